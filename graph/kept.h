#pragma once
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/marks.h"
#include "graph/placement.h"

/// Tensors that outlive the pass that makes them: for backward, and for calls that go on with a sequence.
namespace opledger {

/// A tensor kept for backward, on one rank.
struct Saved {
  TensorId tensor;
  Placement placement;
  bool rebuilt = false;         ///< Not kept: it exists again while its region is recomputed.
  bool as_produced = false;         ///< In the placement in which its maker leaves it.
  bool once = false;            ///< From outside the layers that repeat, as it arrived: the same for all of them, kept once by each stage.
  std::vector<NodeId> readers;  ///< Nodes whose gradients read it.
  std::vector<AxisList> distinct_axes;  ///< For each earlier copy of the tensor, what tells them apart: it counts only if some axis of each has more than one rank.
  RuleId rule;
  MarkList marks;
};

/// What a call leaves for those after it, on one rank: entries of a tensor that they read again, or a state that is handed on.
struct CachedTensor {
  std::string name;
  TensorId tensor;    ///< None: a state.
  NodeId node;        ///< The first that reads it, or that hands it on.
  SegmentId segment;  ///< That makes it.
  DimList dims;       ///< As readers name them; of entries in front of a call's own without their dimension.
  double times = 1;   ///< Elements per entry of dims.
  double width = 0;   ///< Bytes of an element; 0: nobody says.
  Placement placement;
  DimId grows;         ///< The dimension that has an entry more with each token of a call; none: its size does not change.
  bool rolls = false;  ///< Written anew by every call: a state, and what stands in front of a call's entries.
  std::vector<NodeId> readers;
  /// How many entries before a token's own each reader sees, by a formula of its operator. Empty: all there are.
  std::vector<std::pair<NodeId, ExprPtr>> margins;
  MarkList marks;
};

}  // namespace opledger
