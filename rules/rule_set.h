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

/// Rule documents as written, before selection by conditions and before mesh and graph are known. RuleSet::add reads
/// the documents of a run; `annotate` applies them. docs/sharding.md describes every section for authors of rules. In
/// all rules, names of dimensions and axes may be unknown in a run, `when` is the condition (null: always), and `ref`
/// is the rule's name and position.
namespace opledger {

/// The handling of axes that don't divide a dimension.
enum class Uneven {
  error,      ///< The run is invalid.
  pad,        ///< The size is rounded up.
  skip,       ///< The axis does not split the dimension.
  replicate,  ///< The part of the axis that divides splits the dimension; ranks along the remaining part repeat the work.
  part        ///< The part of the axis that divides splits the dimension; the remaining part is free for other dimensions.
};

/// Returns the words for Uneven in documents, in its order.
const std::vector<std::string>& uneven_words();

/// A rule of `shard`: axes that split dimensions.
struct ShardRule {
  std::vector<std::string> dimensions;  ///< Alternatives: a node may split at most one of them.
  std::vector<std::string> axes;        ///< Axes or groups of axes, outermost first.
  std::optional<Uneven> uneven;         ///< Empty: `uneven_of` looks for a default.
  ExprPtr when;
  RuleRef ref;
  RuleId id;  ///< Number in Annotations::rules, set by `select`, here and in the rules below.
};

/// A default for rules without `uneven`: the handling of dimensions that the axes do not divide.
struct UnevenRule {
  std::vector<std::string> dimensions;
  Uneven uneven = Uneven::error;
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

/// A rule of `nodes`: exceptions for matching nodes.
struct NodeRule {
  Match match;
  std::vector<ShardRule> shard;           ///< Rules applied before the rules for all nodes.
  std::vector<std::string> freeze, thaw;  ///< Dimensions that must not be split; frozen dimensions that may be split.
  std::vector<std::string> avoid;         ///< Axes forbidden for other rules at the matching nodes.
  std::vector<std::string> pass;          ///< Inputs that let partial sums pass.
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

/// A rule of `weights`, for weights that a matching node uses. Axes spread a state of the weight in addition to the
/// axes by which its nodes compute.
struct WeightRule {
  Match match;
  std::vector<std::string> tensor;  ///< Patterns for the weight's name, with or without its segment.
  /// Axes of the weight between steps, between forward and backward, of optimizer states, and of the gradient; and
  /// axes over which the gradient is only reduced. Empty: an earlier rule decides.
  std::optional<std::vector<std::string>> stored, keep, optimizer, gradient, reduced;
  std::optional<bool> trained;  ///< True if the weight is trained; empty: an earlier rule decides, else true.
  bool keep_gathered = false;   ///< True for `keep: gathered`: between forward and backward the weight stays as computed with.
  ExprPtr when;
  RuleRef ref;
  RuleId id;

  /// Returns whether the rule places a state of the weight.
  bool places() const { return stored || keep || optimizer || gradient || reduced || keep_gathered; }
};

/// A rule of `activations`: the placement in which matching nodes save operands for backward.
struct ActivationRule {
  Match match;
  bool sharded = false;  ///< True for `keep: sharded`: saved as produced, if gathering restores it; false: saved as read.
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

/// A rule of `recompute`: nodes whose forward runs again in backward.
struct RecomputeRule {
  Match match;
  bool needed = false;   ///< True for `replay: needed`: only nodes whose results are read run again; false: all.
  bool dropped = false;  ///< True for `outputs: dropped`: results that gradients outside of the region read are recomputed too, not saved.
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

/// Nodes that run as one kernel if they read each other's results, or a common input.
struct FuseRule {
  Match match;
  bool by_input = false;  ///< True for `by: input`: nodes with a common first input; false: a node and the producer of an input.
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

/// A cut of layers into a segment of their own, before the graph is built.
struct PartRule {
  LayerPart part;
  ExprPtr when;
};

/// Returns the words for the contents of a message, in this order: activation, its gradient, weight, its gradient,
/// statistic.
const std::vector<std::string>& carried_words();

/// A rule of `mark`: marks for all matching parts of the graph.
struct MarkRule {
  Match match;
  std::vector<std::string> axes;                                 ///< A message matches if all its axes are here; empty: all messages.
  std::vector<std::string> collective, phase, cadence, carries;  ///< Only messages with one of these words; empty: all. `carries`: contents.
  std::vector<std::string> tensor;  ///< Patterns for the name of a message, a saved or cached tensor, or a weight, with or without the segment.
  std::vector<Mark> marks;          ///< Marks to attach, without rule.
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

/// A rule of `merge`: axes with a common communicator and common collectives.
struct MergeRule {
  std::vector<std::string> axes;
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

/// The rules of all documents of a run, in order, with all conditions; `select` drops rules whose `when` does not
/// hold. The lists are the sections of the documents.
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

  /// Returns the rule's `uneven`, else that of the last default which names the dimension, else `error`. Conditions of
  /// defaults are not checked: `select` must have dropped those that don't hold.
  Uneven uneven_of(const ShardRule& rule, const std::string& dimension) const;

  bool for_many = false;  ///< The rules serve several runs, so a rule that marks nothing in one run causes no warning.

  /// Appends a document's rules. `when` is a further condition for each rule; `quiet` suppresses warnings about rules
  /// without effect, as does `quiet: true` in the document. Returns false, with errors, if a rule is invalid.
  bool add(const Document& document, Diagnostics& diagnostics, const ExprPtr& when = nullptr, bool quiet = false);
};

}  // namespace opledger
