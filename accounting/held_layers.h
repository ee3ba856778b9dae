#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "accounting/layouts.h"

/// Which layers the stages of a pipeline hold, by class of stages and segment: found once for all that lies in them, and for all candidates that are recorded
/// one after the other with the same layouts and segments.
namespace opledger {

class HeldLayers {
 public:
  /// For the candidate at hand. `layers`: of all stages together. Both must outlive its use. `names`: of the segments.
  static std::shared_ptr<HeldLayers> of(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers, std::vector<std::string> names,
                                        Evaluator& evaluator);

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

  /// Elements that follow from all this alone.
  struct Sets {
    Elements segments, shares, endings, reach;  ///< What stages hold of segments, and of their layers; the ends of pieces, and what stands behind them.
  };
  /// `make` is asked once.
  const Sets& sets(FunctionRef<Sets(HeldLayers&)> make);

 private:
  bool fits(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers, const std::vector<std::string>& names) const;
  void renew(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers, Tape* tape);
  template <class Make>
  void record(Make&& make);

  LayoutGroup group_;
  Scalar index_;
  std::vector<Scalar> whole_;  ///< By segment: its layers on all stages together.
  std::vector<std::string> names_;
  bool passing_ = false;  ///< Something in it holds for this candidate alone.

  Tape* tape_ = nullptr;
  const Layouts* layouts_ = nullptr;
  const IdVector<SegmentId, Scalar>* layers_ = nullptr;
  std::map<std::pair<std::size_t, SegmentId>, Scalar> numbers_;
  std::map<std::tuple<std::size_t, std::vector<SegmentId>, SegmentId>, Held> held_;
  std::optional<Sets> sets_;
};

}  // namespace opledger
