#pragma once
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "graph/condition.h"
#include "graph/dimension_table.h"
#include "graph/graph.h"
#include "graph/parts.h"
#include "graph/substitute.h"

/// Instantiation of blocks within blocks, down to operators, before tensor names are resolved. Nodes whose `when` fails
/// are left out. An Expander fills one Expansion for each segment; Resolver and SegmentBuilder read it.
namespace opledger {

struct Scope;

struct PendingNode;
using PendingId = Id<PendingNode>;

/// An operator node that the graph does not have yet.
struct PendingNode {
  const NodeSpec* spec = nullptr;  ///< The node as its block declares it.
  const Operator* op = nullptr;    ///< Null for an unknown operator, which was reported.
  Scope* scope = nullptr;          ///< The use of the block that contains the node.
  std::string label;               ///< Name within the segment: `mlp.gate`.
  NodeId id;                       ///< Set once the graph has the node; none after errors.
};

/// One use of a block: a segment, or a node that names a block. Scopes form a tree.
struct Scope {
  /// A node of the block; exactly one field is set.
  struct Child {
    PendingId node;                    ///< An operator node, by its position in Expansion::nodes; or
    Scope* scope = nullptr;            ///< a nested block; or
    const NodeSpec* absent = nullptr;  ///< a node without effect that names a tensor in its place.
  };

  Scope* parent = nullptr;  ///< Null for the segment itself.
  const Block* block = nullptr;
  const NodeSpec* instance = nullptr;                       ///< The node that names the block; null for a segment.
  std::string prefix;                                       ///< Beginning of the labels of nodes inside: `mlp.`; empty for a segment.
  std::string component;                                    ///< Group in reports for nodes without their own; may be empty.
  std::vector<std::string> tags;                            ///< Tags of this use and of all enclosing uses.
  std::map<std::string, std::string, std::less<>> renamed;  ///< Substitutions of dimensions and parameters within the block.
  std::map<std::string, Child, std::less<>> children;       ///< Nodes of the block by name.
  const std::string* last = nullptr;                        ///< Name of the last child in the document; null without children.

  const std::string& dimension(const std::string& name) const;  ///< Returns the substitution of a name, or the name itself.
};

/// A segment with all its blocks expanded.
struct Expansion {
  SegmentId segment;                       ///< Number of the segment in the graph.
  const SegmentSpec* spec = nullptr;       ///< The segment as the model declares it.
  SegmentPlan plan;                        ///< The part of the segment that is built: its name and number of layers.
  std::deque<Scope> scopes;                ///< The first scope is the segment's.
  IdVector<PendingId, PendingNode> nodes;  ///< Nodes in the order of the documents.
};

/// Expands segments, and collects facts about all used blocks.
class Expander {
 public:
  /// All arguments must outlive the expander.
  Expander(const Model& model, const OperatorLibrary& operators, const Condition& holds, DimensionTable& dimensions)
      : model_(model), operators_(operators), holds_(holds), dimensions_(dimensions), diagnostics_(dimensions.diagnostics()) {}

  /// Expands the block of `out.spec` into the scopes and nodes of `out`. Returns false after any error of this or an
  /// earlier call, such as an unknown name or a block that contains itself; the valid parts remain usable.
  bool expand(Expansion& out);

  /// Evaluates a condition; null holds. A failed evaluation counts as false and makes the expansion fail.
  bool holds(const ExprPtr& when);
  bool failed() const { return failed_; }  ///< Returns whether an error has occurred in any segment.
  bool is_full() const { return full_; }   ///< Returns whether a node was left out because the graph has `kMaxNodes` nodes.

  /// Returns the constraints of the used blocks, in the model's names, once for each substitution of their names.
  const std::vector<Requirement>& requirements() const { return requirements_; }

  /// Returns the names of dimensions and parameters that some use of a block substitutes.
  const std::set<std::string>& rebound() const { return rebound_; }

 private:
  // Errors are reported and set `failed_`.
  const Block* find(const std::string& name, const Span& span);        ///< Returns a block of the model; null if unknown.
  void open(Expansion& out, Scope& scope);                             ///< Expands the nodes of a block.
  void add(Expansion& out, Scope& scope, const NodeSpec& spec);        ///< Adds a node that exists in this run.
  bool is_repeated(const Scope& scope, const NodeSpec& spec);          ///< Reports a name that the block has already.
  void add_block(Expansion& out, Scope& scope, const NodeSpec& spec);  ///< Adds a nested block and expands it.
  /// Adds an operator node; returns false if the operator is unknown, but adds the node.
  bool add_operator(Expansion& out, Scope& scope, const NodeSpec& spec);
  void rename(const std::vector<std::pair<Datum, Datum>>& arguments, Scope& scope);  ///< Adds the substitutions of names for the block of a scope.
  bool recursive(const Scope& scope, const NodeSpec& spec);                          ///< Reports a block that contains itself.
  bool count_node(const Span& span);                                                 ///< Counts a node; returns false above the limit of nodes.
  void require(const Scope& scope);                                                  ///< Adds the constraints of a block.

  const Model& model_;
  const OperatorLibrary& operators_;
  const Condition& holds_;
  DimensionTable& dimensions_;
  Diagnostics& diagnostics_;
  std::set<std::pair<const Block*, Renames>> required_;  ///< Blocks and substitutions whose constraints are included.
  std::size_t count_ = 0;                                ///< Number of nodes and blocks in the whole graph.
  std::vector<Requirement> requirements_;
  std::set<std::string> rebound_;
  bool failed_ = false;
  bool full_ = false;
};

}  // namespace opledger
