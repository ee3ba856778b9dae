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

/// Models and blocks as declared in documents, before instantiation as a graph.
namespace opledger {

/// A renamed dimension of an edge: `{seq: kv_seq}`, or `{seq: {to: kv_seq, size: context}}`.
struct RenameSpec {
  std::string from, to;  ///< Names of the dimension in the tensor, and in the node that reads it.
  ExprPtr size;          ///< Stated size of `to`; null: `to` has the size of `from`.
  Span span;             ///< Position of `from`.
};

/// An input of a node or segment: a tensor by name (a node, `node.port`, or an input of the block), with renamed
/// dimensions: `x`, `{k: {seq: kv_seq}}`.
struct InputSpec {
  std::string port;                 ///< Empty if the input is given by position.
  std::string tensor;               ///< Name of the tensor.
  std::vector<RenameSpec> renames;  ///< Renamed dimensions; empty: the node reads the tensor as it is.
  Span span;                        ///< Position of the tensor's name.
  Span port_span;                   ///< Position of the port's name; without a port, that of the input.
};

/// Positions of a shared weight `w: embedding.tokens.table`.
struct TieSpec {
  Span port_span, target_span;  ///< Positions of the port and of the path.
};

/// A node of a block: an operator or a nested block.
struct NodeSpec {
  std::string name;
  Span span;              ///< Position of the name.
  std::string op;         ///< Name of the operator. Exactly one of `op` and `block` is set.
  std::string block;      ///< Name of the nested block.
  Span target_span;       ///< Position of the operator's or block's name.
  ExprPtr when;           ///< Condition of existence; null: always.
  std::string otherwise;  ///< Tensor that readers use in place of the node if `when` does not hold; empty: none.
  Span otherwise_span;    ///< Position of that tensor's name.
  std::vector<InputSpec> inputs;
  std::optional<std::vector<std::string>> out;  ///< Dimensions of an output of shape `given`.
  Span out_span;
  std::vector<Span> out_spans;  ///< Positions of the dimensions.
  /// Port, or `node.port` inside the nested block, and the path of the shared weight: `embedding.tokens.table`.
  std::vector<std::pair<std::string, std::string>> weights;
  std::vector<TieSpec> weight_spans;  ///< Positions of the entries of `weights`.
  std::string component;              ///< Group in reports, such as `attention`; empty: that of the nested block, if any, then of the enclosing block.
  std::vector<std::string> tags;      ///< Words that rules can match.
  /// Every other key as written: an attribute, parameter or quantity of an operator, or a dimension or parameter of a
  /// block.
  std::vector<std::pair<Datum, Datum>> arguments;
};

/// A declared input of a block.
struct TensorSpec {
  std::string name;
  std::vector<std::string> dims;  ///< Dimensions, in order.
  Span span;                      ///< Position of the name.
  std::vector<Span> dim_spans;    ///< Positions of the dimensions.
};

/// A constraint on the use of a block or on the whole model.
struct Requirement {
  /// A text followed by a value.
  struct Part {
    std::string text;
    ExprPtr value;  ///< Value after the text; null at the end.
  };
  ExprPtr require, when;      ///< The condition that must hold, and the condition under which it is checked; `when` null: always.
  std::vector<Part> message;  ///< Message of a violation: texts and values in turn.
  Span span;
};

/// A reusable subgraph as declared.
struct Block {
  std::string name, doc, component;  ///< `component`: group in reports for nodes that state none; empty: that of the enclosing block.
  Span span;
  std::vector<TensorSpec> inputs;  ///< Activations.
  std::vector<TensorSpec> data;    ///< Integers of the data loader: every rank reads its share, without gradients.
  std::vector<NodeSpec> nodes;     ///< Nodes in document order; groups are flattened and their conditions joined.
  std::string output;              ///< Name of the output tensor; empty: the output of the last node.
  Span output_span;
  std::vector<Requirement> constraints;  ///< Constraints over names of the block.
};

/// A run of equal layers, stored as one set of nodes and a count.
struct SegmentSpec {
  std::string name, block;        ///< Names of the segment and of its block.
  Span span, block_span;          ///< Positions of these names.
  ExprPtr repeat;                 ///< Null: a single layer, on the stage of its neighbor; otherwise the layers are distributed over the stages.
  ExprPtr rounds;                 ///< Number of rounds of the surrounding group, whose segments alternate with `repeat` layers each; null outside groups.
  int group = -1;                 ///< Equal for segments that alternate; -1 outside groups.
  ExprPtr when;                   ///< Condition of existence; null: always.
  std::vector<InputSpec> inputs;  ///< If the first input of the block is left out, it is the output of the previous segment.
  std::vector<std::pair<std::string, std::string>> weights;  ///< `node.port` inside the block -> path of the shared weight.
  std::vector<TieSpec> weight_spans;
  std::vector<std::pair<Datum, Datum>> arguments;  ///< Dimensions and parameters renamed inside the block, as for a nested block.

  /// Returns whether the segment is written as a single layer, independently of parameters.
  bool single() const { return !rounds && (!repeat || (repeat->kind == Expr::Kind::number && repeat->number == 1)); }
};

/// A declared dimension: its size and further properties.
struct DimensionSpec {
  ExprPtr size;            ///< Formula of the size; null: the parameter with the dimension's name.
  bool unordered = false;  ///< Elements may have any order, such as slots of one expert.
  bool rounds = false;     ///< Size is rounded down to a whole number, unless it is a mean.
  bool mean = false;       ///< Size is an average: any positive number, divided without rounding.
  std::string continues;   ///< Dimension that this one extends by the entries of earlier calls; empty for none.
  ExprPtr load;            ///< Load of the busiest rank relative to an even share; null: 1.
  Span span;
};

/// A number or truth that segments state for a dimension or parameter, `kv_heads: 4`. It becomes a parameter of its own, and
/// rules for the replaced parameter apply to it.
struct VariantSpec {
  std::string name, of;  ///< Name of the new parameter, `kv_heads_4`, and of the replaced dimension or parameter.
  std::string text;      ///< The stated value as written.
  ExprPtr size;          ///< The stated value.
  Span span;
};

/// A model assembled from its documents.
struct Model {
  std::string name, doc;
  std::vector<Definition> parameters;                             ///< Parameters of block libraries, then of the model, which overrides by name.
  std::vector<std::pair<std::string, DimensionSpec>> dimensions;  ///< Declared dimensions; every other dimension has the size of the parameter with its name.
  std::map<std::string, ExprPtr, std::less<>> defaults;           ///< Formulas of block libraries by parameter or dimension, including overridden ones.
  std::vector<std::pair<std::string, std::string>> grouped;       ///< Fine -> coarse dimension, for example heads -> kv_heads.
  std::vector<VariantSpec> variants;                              ///< Numbers in segments, each in place of the value of a parameter.
  std::map<std::string, Block, std::less<>> blocks;               ///< All declared blocks, by name.
  std::vector<SegmentSpec> graph;                                 ///< Segments in order; groups are flattened.
  std::vector<Requirement> constraints;                           ///< Constraints on the whole model.
  std::vector<const Document*> documents;                         ///< The model's document after all its dependencies, including `ops` documents.
};

/// Returns the names of operators in all blocks that the model's segments can reach, whether their conditions hold or not.
std::set<std::string> operators_of(const Model& model);

/// Loads the documents that a model uses, directly or indirectly, and assembles the model. Returns nothing, with errors, if
/// a document is missing or malformed. The library owns the documents, which the model refers to.
std::optional<Model> load_model(const Document& document, Library& library, Diagnostics& diagnostics);

/// Assembles a model from loaded documents, dependencies first and the model's own document last. Later documents override
/// parameters, dimensions and grouped dimensions by name; declaring a block twice is an error. Returns nothing, with
/// errors, if a section is malformed.
std::optional<Model> assemble_model(const std::vector<const Document*>& documents, Diagnostics& diagnostics);

}  // namespace opledger
