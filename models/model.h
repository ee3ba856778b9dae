#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "ops/definition.h"
#include "schemas/library.h"

/// Models and blocks as their documents declare them, before anything is instantiated.
namespace opledger {

/// A dimension that an edge renames: `{seq: kv_seq}`, or `{seq: {to: kv_seq, size: context}}`.
struct RenameSpec {
  std::string from, to;  ///< Names of the dimension in the tensor, and in the node that reads it.
  ExprPtr size;          ///< Stated size of `to`; null: `to` has the size of `from`.
  Span span;             ///< Position of `from`.
};

/// `x`, `{k: {seq: kv_seq}}`: a tensor by name (of a node, `node.port`, or a block's input), with dimensions renamed on the edge.
struct InputSpec {
  std::string port;  ///< Empty: by position.
  std::string tensor;
  std::vector<RenameSpec> renames;
  Span span;  ///< Of the tensor's name.
  Span port_span;
};

/// `w: embedding.tokens.table`: a weight that is another one.
struct TieSpec {
  Span port_span, target_span;
};

struct NodeSpec {
  std::string name;
  Span span;
  std::string op;  ///< One of `op` and `block` is given.
  std::string block;
  Span target_span;       ///< Of that name.
  ExprPtr when;           ///< Null: always.
  std::string otherwise;  ///< What stands in its place where `when` does not hold: a tensor that its readers then read. Empty: nothing.
  Span otherwise_span;
  std::vector<InputSpec> inputs;
  std::optional<std::vector<std::string>> out;  ///< Dimensions of a `given` output.
  Span out_span;
  std::vector<Span> out_spans;                               ///< Of each of them.
  std::vector<std::pair<std::string, std::string>> weights;  ///< Port -> path of the node and port whose weight it shares: `embedding.tokens.table`.
  std::vector<TieSpec> weight_spans;                         ///< Of each of them.
  std::string component;                                     ///< `attention`, `mlp`, …: what reports sum by. Empty: the block's, then the operator's.
  std::vector<std::string> tags;
  /// Every other key: an operator's attribute, parameter or quantity (or a dimension or parameter of a block), as written.
  std::vector<std::pair<Datum, Datum>> arguments;
};

struct TensorSpec {
  std::string name;
  std::vector<std::string> dims;
  Span span;
  std::vector<Span> dim_spans;
};

/// What must hold where a block is used, or for the whole model.
struct Requirement {
  struct Part {
    std::string text;
    ExprPtr value;  ///< Follows the text; null: nothing does.
  };
  ExprPtr require, when;  ///< `when` null: always.
  std::vector<Part> message;
  Span span;
};

struct Block {
  std::string name, doc, component;
  Span span;
  std::vector<TensorSpec> inputs;  ///< Activations.
  std::vector<TensorSpec> data;    ///< Integers of the data loader: every rank reads what it needs, no gradient.
  std::vector<NodeSpec> nodes;     ///< In the order written; groups are flattened, their `when` joined.
  std::string output;              ///< Empty: the last node.
  Span output_span;
  std::vector<Requirement> constraints;  ///< In the block's own names.
};

/// A run of equal layers: one set of nodes with a count.
struct SegmentSpec {
  std::string name, block;
  Span span, block_span;
  ExprPtr repeat;  ///< Null: once, and it stays on the stage of its neighbour; otherwise its layers are spread over the stages.
  ExprPtr rounds;  ///< Of the group that it is in, whose segments take turns: `repeat` layers of it in each round. Null: in no group.
  int group = -1;  ///< Equal for segments that take turns; -1: in no group.
  ExprPtr when;
  std::vector<InputSpec> inputs;                             ///< Empty: the output of the segment before.
  std::vector<std::pair<std::string, std::string>> weights;  ///< `node.port` inside the block -> shared with.
  std::vector<TieSpec> weight_spans;
  std::vector<std::pair<Datum, Datum>> arguments;  ///< Dimensions and parameters renamed inside the block, as for a block inside a block.

  /// Whether it is written to occur once, whatever the parameters are.
  bool single() const { return !rounds && (!repeat || (repeat->kind == Expr::Kind::number && repeat->number == 1)); }
};

struct DimensionSpec {
  ExprPtr size;
  bool unordered = false;  ///< Any order of its elements will do (slots of one expert).
  bool rounds = false;     ///< Down to a whole number, unless it is a mean.
  bool mean = false;       ///< An average: any number above 0, shared out as it is.
  std::string continues;   ///< A dimension of which it has all entries, those of earlier calls included; empty: none.
  ExprPtr load;            ///< What the busiest rank holds over an even share; null: 1.
  Span span;
};

struct Model {
  std::string name, doc;
  std::vector<Definition> parameters;                             ///< Of the model; those of block libraries first, overridden by name.
  std::vector<std::pair<std::string, DimensionSpec>> dimensions;  ///< Those that differ from the parameter of their name.
  std::map<std::string, ExprPtr, std::less<>> defaults;           ///< Formulas of documents of blocks, by parameter or dimension, even if replaced.
  std::vector<std::pair<std::string, std::string>> grouped;       ///< Fine -> coarse: heads -> kv_heads.
  std::map<std::string, Block, std::less<>> blocks;
  std::vector<SegmentSpec> graph;
  std::vector<Requirement> constraints;    ///< Of the model as a whole.
  std::vector<const Document*> documents;  ///< The model's and all it uses, dependencies first; `ops` documents too.
};

/// Names of the operators that nodes of the model's segments have, in any block that they may reach.
std::set<std::string> operators_of(const Model& model);

/// Loads a model and everything it uses. Parameters, dimensions and groups of a later document replace those of their name; a block declared twice is an error.
std::optional<Model> load_model(const Document& document, Library& library, Diagnostics& diagnostics);

/// The same from documents that are loaded already: dependencies first, the model last.
std::optional<Model> assemble_model(const std::vector<const Document*>& documents, Diagnostics& diagnostics);

}  // namespace opledger
