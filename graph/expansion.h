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
/// are left out.
namespace opledger {

struct Scope;

struct PendingNode;
using PendingId = Id<PendingNode>;

struct PendingNode {
  const NodeSpec* spec = nullptr;
  const Operator* op = nullptr;
  Scope* scope = nullptr;
  std::string label;  ///< Name within the segment: `mlp.gate`.
  NodeId id;          ///< Set once the graph has the node; none after errors.
};

/// One use of a block: a segment, or a node that names a block.
struct Scope {
  struct Child {
    PendingId node;                    ///< An operator node, by its position in Expansion::nodes; or
    Scope* scope = nullptr;            ///< a nested block; or
    const NodeSpec* absent = nullptr;  ///< a node without effect that names a tensor in its place.
  };

  Scope* parent = nullptr;  ///< Null for the segment itself.
  const Block* block = nullptr;
  const NodeSpec* instance = nullptr;  ///< The node that names the block; null for a segment.
  std::string prefix;                  ///< `mlp.`; empty for a segment.
  std::string component;
  std::vector<std::string> tags;
  std::map<std::string, std::string, std::less<>> renamed;  ///< Substitutions of dimensions and parameters within the block.
  std::map<std::string, Child, std::less<>> children;
  const std::string* last = nullptr;  ///< Name of the last child.

  const std::string& dimension(const std::string& name) const;  ///< Returns the substitution of a name, or the name itself.
};

struct Expansion {
  SegmentId segment;
  const SegmentSpec* spec = nullptr;
  SegmentPlan plan;
  std::deque<Scope> scopes;                ///< The first scope is the segment's.
  IdVector<PendingId, PendingNode> nodes;  ///< Nodes in the order of the documents.
};

class Expander {
 public:
  Expander(const Model& model, const OperatorLibrary& operators, const Condition& holds, DimensionTable& dimensions)
      : model_(model), operators_(operators), holds_(holds), dimensions_(dimensions), diagnostics_(dimensions.diagnostics()) {}

  /// Expands the block of `out.spec`. Returns false, with errors, if a name is unknown; the valid rest remains usable.
  bool expand(Expansion& out);

  /// Evaluates a condition. A failed evaluation counts as false and makes the expansion fail.
  bool holds(const ExprPtr& when);
  bool failed() const { return failed_; }

  /// Constraints of the used blocks, once for each substitution of their names.
  const std::vector<Requirement>& requirements() const { return requirements_; }

  /// Names of the model that a block substitutes.
  const std::set<std::string>& rebound() const { return rebound_; }

 private:
  const Block* find(const std::string& name, const Span& span);
  void open(Expansion& out, Scope& scope);
  void add(Expansion& out, Scope& scope, const NodeSpec& spec);
  bool is_repeated(const Scope& scope, const NodeSpec& spec);
  void add_block(Expansion& out, Scope& scope, const NodeSpec& spec);
  bool add_operator(Expansion& out, Scope& scope, const NodeSpec& spec);
  void rename(const std::vector<std::pair<Datum, Datum>>& arguments, Scope& scope);
  bool recursive(const Scope& scope, const NodeSpec& spec);
  bool count_node(const Span& span);
  void require(const Scope& scope);

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
};

}  // namespace opledger
