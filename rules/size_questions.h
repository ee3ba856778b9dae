#pragma once
#include "base/function_ref.h"
#include "graph/annotations.h"

namespace opledger {

/// Questions about the sizes of a run, which rules don't know otherwise. Annotations hold for all runs with the same answers.
struct SizeQuestions {
  FunctionRef<bool(DimId dimension, const Mesh& mesh, const AxisList& axes)> divides;  ///< Only `uneven: skip` asks.
  FunctionRef<bool(const Mesh& mesh, AxisId axis)>
      one_rank;  ///< Returns whether the axis may be treated as one rank, which saves a message (rules/one_rank.h).
};

}  // namespace opledger
