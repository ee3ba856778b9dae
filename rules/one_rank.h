#pragma once
#include <set>

#include "base/function_ref.h"
#include "graph/mesh.h"

/// Single-rank axes. Annotations should hold for all degrees, so a derivation assumes that every axis has several
/// ranks. A collective over a single rank costs nothing anyway. But placements that differ only in single-rank axes are
/// equal; a derivation that considers them different may send or keep a tensor twice. The remedy is a query, made only
/// if the answer matters. An axis that a query finds to have a single rank is removed from every placement, and the
/// derivation starts again. The result then depends on the contents of ranks alone, not on names and cuts of axes.
namespace opledger {

/// The axes that derivations have queried, with the answers.
class OneRank {
 public:
  using Query = FunctionRef<bool(const Mesh& mesh, AxisId axis)>;  ///< Returns whether an axis has a single rank in this run.
  /// The function that `query` refers to must outlive this object.
  explicit OneRank(Query query) : query_(query) {}

  bool left_out(AxisId axis) const { return left_out_.count(axis) > 0; }  ///< Returns whether an axis was removed.
  AxisList without(AxisList axes) const;                                  ///< Returns the axes that were not removed.

  /// Returns whether the axis is already known to have several ranks, without a query.
  bool has_several(AxisId axis) const { return several_.count(axis) > 0; }

  /// Queries the axes in order until one has several ranks; removes the single-rank axes before it. Returns whether
  /// every axis has a single rank.
  bool query_until_several(const Mesh& mesh, const AxisList& axes);
  /// Queries every axis, and removes the single-rank axes.
  void query_all(const Mesh& mesh, const AxisList& axes);

  /// Returns whether an axis was removed since the last call; the derivation must then start again.
  bool must_restart();

 private:
  bool query(const Mesh& mesh, AxisId axis);  ///< Returns whether the axis has a single rank, known or queried, and then removes it.

  Query query_;
  std::set<AxisId> left_out_, several_;  ///< Single-rank axes, and axes with several ranks, as far as queried.
  bool must_restart_ = false;
};

}  // namespace opledger
