#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "accounting/layouts.h"

/// The layers of each class of pipeline stages, by segment. The table is computed once for all sets, and reused by
/// consecutive candidates with equal layouts and segments on one tape.
namespace opledger {

class ResidentLayers {
 public:
  /// Returns the table for the current candidate; a table of an earlier candidate is reused if it fits. `layers` are
  /// the layers of each segment on all stages together. `layouts` and `layers` must outlive the use of the table.
  /// `names` are the names of the segments.
  static std::shared_ptr<ResidentLayers> of(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers, std::vector<std::string> names,
                                            Evaluator& evaluator);

  /// Number of layers of a segment on each stage of a class.
  Scalar layers(std::size_t stage, SegmentId segment);

  struct Presence {
    bool possible = false;  ///< True in at least one layout of the group.
    Scalar condition;
  };
  /// Returns whether stages of a class hold layers of a segment.
  const Presence& presence(std::size_t stage, SegmentId segment) { return first(stage, {}, segment); }
  /// Returns whether stages of a class hold layers of `segment`, and none of `others`.
  const Presence& first(std::size_t stage, std::vector<SegmentId> others, SegmentId segment);

  /// Elements that follow from this table alone.
  struct Sets {
    Elements segments, layers, chunk_ends, following;  ///< Segments of stages, layers of stages, ends of chunks, and the layers that follow each end.
  };
  /// Returns the sets; the first call computes them with `make`.
  const Sets& sets(FunctionRef<Sets(ResidentLayers&)> make);

 private:
  bool matches(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers, const std::vector<std::string>& names) const;
  void refresh(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers, Tape* tape);
  template <class Make>
  void record(Make&& make);

  LayoutGroup group_;
  Scalar index_;
  std::vector<Scalar> whole_;  ///< Layers of each segment on all stages together.
  std::vector<std::string> names_;
  bool transient_ = false;  ///< True if a value was folded under guards, and so holds for this candidate only.

  Tape* tape_ = nullptr;
  const Layouts* layouts_ = nullptr;
  const IdVector<SegmentId, Scalar>* layers_ = nullptr;
  std::map<std::pair<std::size_t, SegmentId>, Scalar> numbers_;
  std::map<std::tuple<std::size_t, std::vector<SegmentId>, SegmentId>, Presence> presences_;
  std::optional<Sets> sets_;
};

}  // namespace opledger
