#pragma once
#include "base/function_ref.h"
#include "graph/annotations.h"

/// The questions of the rule passes about sizes and degrees, which the caller of `annotate` answers.
namespace opledger {

/// Queries about sizes, besides conditions the only facts about a run that rules use. Annotations hold for all runs
/// with equal answers.
struct SizeQueries {
  FunctionRef<bool(DimId dimension, const Mesh& mesh, const AxisList& axes)> divides;  ///< Returns whether the axes divide the dimension; for `uneven: skip`.
  FunctionRef<bool(const Mesh& mesh, AxisId axis)>
      one_rank;  ///< Returns whether the axis may be treated as having one rank, which saves a message (rules/one_rank.h).
};

}  // namespace opledger
