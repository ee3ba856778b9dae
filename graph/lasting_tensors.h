#pragma once
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/marks.h"
#include "graph/placement.h"

/// Tensors that outlive the pass that produces them: tensors saved for backward, and tensors cached for later calls of
/// a sequence. `rules/` fills both records; the accounting counts their bytes.
namespace opledger {

/// A tensor saved for backward, on one rank.
struct Saved {
  TensorId tensor;
  Placement placement;                  ///< Distribution of the saved copy.
  bool rebuilt = false;                 ///< The tensor is not saved, but produced again while its region is recomputed.
  bool as_produced = false;             ///< The placement is the producer's.
  bool once = false;                    ///< An input from outside the repeated layers, equal for all of them: each stage saves one copy.
  std::vector<NodeId> readers;          ///< Nodes whose gradients read the tensor, or that run again and read it.
  std::vector<AxisList> distinct_axes;  ///< Axes that distinguish this copy from each earlier copy. It counts if each list has an axis of several ranks.
  RuleId rule;                          ///< The rule that decides how operands are saved; none: they are saved as they are read.
  MarkList marks;
};

/// A tensor or state that a call leaves for later calls of its sequence, on one rank.
struct CachedTensor {
  std::string name;             ///< Name of the tensor, or of the node with `.state`.
  TensorId tensor;              ///< The tensor; none for a state.
  NodeId node;                  ///< The first reader, or the node that carries the state.
  SegmentId segment;            ///< Segment of the producer.
  DimList dims;                 ///< Dimensions as readers name them; a window of earlier entries lacks the sequence's dimension.
  double times = 1;             ///< Elements per entry of dims.
  double width = 0;             ///< Bytes of an element; 0: unknown here.
  Placement placement;          ///< Distribution as the first reader reads it.
  DimId grows;                  ///< The dimension that gains an entry with each token; none if the size is constant.
  bool rolls = false;           ///< Every call writes the tensor anew: a state, or a window of earlier entries.
  std::vector<NodeId> readers;  ///< Nodes that read the cache.
  /// Number of earlier entries that each reader needs, as a formula of its operator. Empty: all entries.
  std::vector<std::pair<NodeId, ExprPtr>> margins;
  MarkList marks;
};

}  // namespace opledger
