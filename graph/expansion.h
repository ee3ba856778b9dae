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

/// Blocks instantiated inside each other, down to operators, before any tensor's name is looked up. What a `when` leaves out is not there.
namespace opledger {

struct Scope;

struct PendingNode;
using PendingId = Id<PendingNode>;

struct PendingNode {
  const NodeSpec* spec = nullptr;
  const Operator* op = nullptr;
  Scope* scope = nullptr;
  std::string label;  ///< `mlp.gate`
  NodeId id;          ///< Once it is in the graph; none after errors.
};

/// One use of a block: a segment, or a node that names a block.
struct Scope {
  struct Child {
    PendingId node;                    ///< One of Expansion::nodes, or
    Scope* scope = nullptr;            ///< a block, or
    const NodeSpec* absent = nullptr;  ///< a node that is left out and says what its readers read instead.
  };

  Scope* parent = nullptr;  ///< Null: the segment itself.
  const Block* block = nullptr;
  const NodeSpec* instance = nullptr;  ///< The node that names the block; null for a segment.
  std::string prefix;                  ///< `mlp.`, empty for a segment.
  std::string component;
  std::vector<std::string> tags;
  std::map<std::string, std::string, std::less<>> renamed;  ///< Dimensions and parameters that stand for others in here.
  std::map<std::string, Child, std::less<>> children;
  const std::string* last = nullptr;  ///< Name of the last child.

  const std::string& dimension(const std::string& name) const;  ///< What a name stands for.
};

struct Expansion {
  SegmentId segment;
  const SegmentSpec* spec = nullptr;
  SegmentPlan plan;
  std::deque<Scope> scopes;                ///< The first one is the segment's.
  IdVector<PendingId, PendingNode> nodes;  ///< In the order of the documents.
};

class Expander {
 public:
  Expander(const Model& model, const OperatorLibrary& operators, const Condition& holds, DimensionTable& dimensions)
      : model_(model), operators_(operators), holds_(holds), dimensions_(dimensions), diagnostics_(dimensions.diagnostics()) {}

  /// False, with errors, if something is unknown. What is there is usable all the same.
  bool expand(Expansion& out);

  /// A condition that can't be told counts as not holding, and as a failure.
  bool holds(const ExprPtr& when);
  bool broken() const { return failed_; }

  /// Constraints of the blocks that were used, each once for the names it speaks of.
  const std::vector<Requirement>& requirements() const { return requirements_; }

  /// The model's names that stand for others in some block.
  const std::set<std::string>& rebound() const { return rebound_; }

 private:
  const Block* find(const std::string& name, const Span& span);
  void open(Expansion& out, Scope& scope);
  void add(Expansion& out, Scope& scope, const NodeSpec& spec);
  bool taken(const Scope& scope, const NodeSpec& spec);
  void add_block(Expansion& out, Scope& scope, const NodeSpec& spec);
  bool add_operator(Expansion& out, Scope& scope, const NodeSpec& spec);
  void rename(const std::vector<std::pair<Datum, Datum>>& arguments, Scope& scope);
  bool recursive(const Scope& scope, const NodeSpec& spec);
  bool room(const Span& span);
  void require(const Scope& scope);

  const Model& model_;
  const OperatorLibrary& operators_;
  const Condition& holds_;
  DimensionTable& dimensions_;
  Diagnostics& diagnostics_;
  std::set<std::pair<const Block*, Renames>> required_;  ///< Whose constraints are taken in.
  std::size_t count_ = 0;                                ///< Nodes and blocks of the whole graph.
  std::vector<Requirement> requirements_;
  std::set<std::string> rebound_;
  bool failed_ = false;
};

}  // namespace opledger
