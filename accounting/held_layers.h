#pragma once
#include <map>
#include <tuple>
#include <vector>

#include "accounting/layouts.h"

/// Which layers the stages of a pipeline hold, by class of stages and segment: found once for all that lies in them.
namespace opledger {

class HeldLayers {
 public:
  /// `layers`: of all stages together. Both must outlive it.
  HeldLayers(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers) : layouts_(layouts), layers_(layers) {}

  /// Of a segment, on each stage of a class.
  Scalar layers(std::size_t stage, SegmentId segment);

  struct Held {
    bool ever = false;  ///< In some layout.
    Scalar whether;
  };
  /// Whether stages of a class hold layers of a segment.
  const Held& held(std::size_t stage, SegmentId segment) { return first(stage, {}, segment); }
  /// Whether they do, and none of these.
  const Held& first(std::size_t stage, std::vector<SegmentId> others, SegmentId segment);

 private:
  const Layouts& layouts_;
  const IdVector<SegmentId, Scalar>& layers_;
  std::map<std::pair<std::size_t, SegmentId>, Scalar> numbers_;
  std::map<std::tuple<std::size_t, std::vector<SegmentId>, SegmentId>, Held> held_;
};

}  // namespace opledger
