#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "expr/ast.h"
#include "graph/annotations.h"
#include "graph/parts.h"
#include "rules/match.h"
#include "schemas/library.h"

/// Rule documents as written, before selection by conditions and before mesh and graph are known.
namespace opledger {

enum class Uneven { error, pad, skip, replicate, part };

struct ShardRule {
  std::vector<std::string> dimensions;
  std::vector<std::string> axes;
  std::optional<Uneven> uneven;  ///< Empty: `uneven_of` looks for a default.
  ExprPtr when;
  RuleRef ref;
  RuleId id;  ///< AssignmentStatus by `select`, here and in the rules below.
};

/// A default for rules without `uneven`: the handling of dimensions that the axes do not divide.
struct UnevenRule {
  std::vector<std::string> dimensions;
  Uneven uneven = Uneven::error;
  ExprPtr when;
  RuleRef ref;
  RuleId id;  ///< AssignmentStatus by `select`.
};

struct NodeRule {
  Match match;
  std::vector<ShardRule> shard;
  std::vector<std::string> freeze, thaw, avoid, pass;
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

struct WeightRule {
  Match match;
  std::vector<std::string> tensor;                                                     ///< Patterns for the weight's name, with or without its segment.
  std::optional<std::vector<std::string>> stored, keep, optimizer, gradient, reduced;  ///< Axes.
  std::optional<bool> trained;
  bool keep_gathered = false;
  ExprPtr when;
  RuleRef ref;
  RuleId id;

  /// Returns whether the rule places a state of the weight.
  bool places() const { return stored || keep || optimizer || gradient || reduced || keep_gathered; }
};

struct ActivationRule {
  Match match;
  bool sharded = false;  ///< keep: sharded | gathered.
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

struct RecomputeRule {
  Match match;
  bool needed = false;   ///< replay: needed | whole.
  bool dropped = false;  ///< outputs: dropped | kept, for results that a gradient outside reads.
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

/// Nodes that run as one kernel if they read each other's results, or a common input.
struct FuseRule {
  Match match;
  bool by_input = false;  ///< by: input.
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

/// A cut of layers into a segment of their own, before the graph is built.
struct PartRule {
  LayerPart part;
  ExprPtr when;
};

/// Returns the words for the contents of a message: activation, weight, the gradient of either, statistic.
const std::vector<std::string>& carried_words();

/// Marks for all matches of the rule. The first five lists restrict messages.
struct MarkRule {
  Match match;
  std::vector<std::string> axes;
  std::vector<std::string> collective, phase, cadence, carries;
  std::vector<std::string> tensor;  ///< Patterns for the tensor of a message, a saved tensor, or a weight: its name, with or without the segment.
  std::vector<Mark> marks;
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

/// Axes that share a communicator.
struct MergeRule {
  std::vector<std::string> axes;
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

/// All rule documents of a run, in order, with all conditions; `select` drops rules whose `when` does not hold.
struct RuleSet {
  std::vector<PartRule> parts;
  std::vector<UnevenRule> uneven;
  std::vector<ShardRule> shard;
  std::vector<NodeRule> nodes;
  std::vector<WeightRule> weights;
  std::vector<ActivationRule> activations;
  std::vector<RecomputeRule> recompute;
  std::vector<FuseRule> fuse;
  std::vector<MarkRule> mark;
  std::vector<MergeRule> merge;
  /// Returns the rule's `uneven`, else that of the last default which names the dimension, else `error`.
  Uneven uneven_of(const ShardRule& rule, const std::string& dimension) const;

  bool for_many = false;  ///< The rules serve several runs, so a rule that marks nothing in one run causes no warning.

  /// Appends a document's rules. `when` is a further condition for each of them; `quiet` suppresses warnings (RuleRef).
  /// Returns false, with errors, if a rule is invalid.
  bool add(const Document& document, Diagnostics& diagnostics, const ExprPtr& when = nullptr, bool quiet = false);
};

}  // namespace opledger
