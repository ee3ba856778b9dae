#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "accounting/layouts.h"

/// The layers of each class of pipeline stages, by segment. The sets of stage contents read this table. Each entry is
/// computed once, and reused by consecutive candidates with equal layouts and segments on one tape. Numbers and
/// conditions are constants, or look-ups by the candidate's layout.
namespace opledger {

/// A table with one entry per class of stages (`stage`, its position in the layout) and segment. Entries are recorded
/// on first request and kept.
class ResidentLayers {
 public:
  /// Returns the table for the current candidate; a table of an earlier candidate is reused if it fits. `layers` are
  /// the layers of each segment on all stages together. `layouts` and `layers` must outlive the use of the table.
  /// `names` are the names of the segments.
  static std::shared_ptr<ResidentLayers> of(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers, std::vector<std::string> names,
                                            Evaluator& evaluator);

  /// Returns the number of layers of a segment on each stage of a class.
  Scalar layers(std::size_t stage, SegmentId segment);

  /// A fact about a class of stages.
  struct Presence {
    bool possible = false;  ///< True in at least one layout of the group.
    Scalar condition;       ///< Truth of the fact in the layout of the candidate.
  };
  /// Returns whether stages of a class hold layers of a segment.
  const Presence& presence(std::size_t stage, SegmentId segment) { return first(stage, {}, segment); }
  /// Returns whether stages of a class hold layers of `segment`, and none of `others`.
  const Presence& first(std::size_t stage, std::vector<SegmentId> others, SegmentId segment);

  /// Elements that follow from layers alone, so that candidates with an equal table can share them.
  struct Sets {
    Elements segments, layers, chunk_ends, following;  ///< Segments of stages, layers of stages, ends of chunks, and the layers that follow each end.
  };
  /// Returns the sets; the first call computes them with `make`.
  const Sets& sets(FunctionRef<Sets(ResidentLayers&)> make);

 private:
  /// Returns whether the table was recorded for equal layouts, layers and names.
  bool matches(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers, const std::vector<std::string>& names) const;
  /// Points the table to the current candidate and updates the sample values of recorded scalars.
  void refresh(const Layouts& layouts, const IdVector<SegmentId, Scalar>& layers, Tape* tape);
  /// Calls `make`, which records scalars, and marks the table as transient if guards folded one of them.
  template <class Make>
  void record(Make&& make);

  LayoutGroup group_;          ///< Layouts of the recording.
  Scalar index_;               ///< The candidate's layout number.
  std::vector<Scalar> whole_;  ///< Layers of each segment on all stages together.
  std::vector<std::string> names_;
  bool transient_ = false;  ///< True if a value was folded under guards, and so holds for this candidate only.

  Tape* tape_ = nullptr;  ///< Tape of the current candidate; null without recording.
  const Layouts* layouts_ = nullptr;
  const IdVector<SegmentId, Scalar>* layers_ = nullptr;
  std::map<std::pair<std::size_t, SegmentId>, Scalar> numbers_;                               ///< Layers by class and segment.
  std::map<std::tuple<std::size_t, std::vector<SegmentId>, SegmentId>, Presence> presences_;  ///< Facts by class, excluded segments and segment.
  std::optional<Sets> sets_;
};

}  // namespace opledger
