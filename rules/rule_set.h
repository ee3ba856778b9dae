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

/// Rule documents as they are written, before they meet a mesh or a graph.
namespace opledger {

enum class Uneven { error, pad, skip, replicate, part };

struct ShardRule {
  std::vector<std::string> dimensions;
  std::vector<std::string> axes;
  std::optional<Uneven> uneven;  ///< Empty: the rule says nothing, and `uneven_of` looks for a default.
  ExprPtr when;
  RuleRef ref;
  RuleId id;  ///< Here and below: given by `select`.
};

/// A default for rules without `uneven`: how they split dimensions that the axes do not divide.
struct UnevenRule {
  std::vector<std::string> dimensions;
  Uneven uneven = Uneven::error;
  ExprPtr when;
  RuleRef ref;
  RuleId id;  ///< Given by `select`.
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
  std::vector<std::string> tensor;                                                     ///< The weight's name, or that without the segment.
  std::optional<std::vector<std::string>> stored, keep, optimizer, gradient, reduced;  ///< Axes.
  std::optional<bool> trained;
  bool keep_gathered = false;
  ExprPtr when;
  RuleRef ref;
  RuleId id;

  /// Whether it says where something of the weight lies.
  bool places() const { return stored || keep || optimizer || gradient || reduced || keep_gathered; }
};

struct ActivationRule {
  Match match;
  bool sharded = false;  ///< keep: sharded | gathered
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

struct RecomputeRule {
  Match match;
  bool needed = false;   ///< replay: needed | whole
  bool dropped = false;  ///< outputs: dropped | kept where a gradient outside reads them
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

/// Nodes that run as one kernel where they read each other's results, or where they all read the same.
struct FuseRule {
  Match match;
  bool beside = false;  ///< by: input
  ExprPtr when;
  RuleRef ref;
  RuleId id;
};

/// Layers set apart before the graph is built.
struct PartRule {
  LayerPart part;
  ExprPtr when;
};

/// What a message can carry, as rules call it: a gradient or not of an activation or a weight, or a statistic.
const std::vector<std::string>& carried_words();

/// Names and values for what the rule finds. The first five narrow messages down.
struct MarkRule {
  Match match;
  std::vector<std::string> axes;
  std::vector<std::string> collective, phase, cadence, carries;
  std::vector<std::string> tensor;  ///< What is carried, kept, or the weight: its name, or that without the segment.
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

/// All rule documents of a run, in their order. `when`s are still there; `select` drops what does not hold.
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
  /// Returns the rule's `uneven`, else that of the last rule of `uneven` which names the dimension, else `error`.
  Uneven uneven_of(const ShardRule& rule, const std::string& dimension) const;

  bool for_many = false;  ///< Runs: what marks nothing in one of them may do so in others, and is not remarked on.

  /// Appends a document's rules; with `when`, only where that holds too; `quiet`: see RuleRef. False, with errors, if some could not be read.
  bool add(const Document& document, Diagnostics& diagnostics, const ExprPtr& when = nullptr, bool quiet = false);
};

}  // namespace opledger
