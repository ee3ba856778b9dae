#pragma once
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "find/placed_graphs.h"
#include "run/section_formulas.h"

/// Properties of a whole run that a sum of tables can't say, read from the best run so far (the incumbent): layers on
/// the slowest stage, and windows of computing that transfers share to hide.
namespace opledger {

/// The price of a transfer in one layer, by the section `find` of an accounting.
struct TransferPrice {
  SegmentId segment;
  double seconds = 0;  ///< Seconds on the links in a step.
  double claim = 0;    ///< Part of `seconds` that computing can hide.
  double usable = 0;   ///< Share of the seconds of `hosts` that can hide the transfer.
  /// The window in which the transfer hides: a segment, none for windows of the whole run, and a number; 0: beside `hosts`.
  std::pair<SegmentId, long long> window{};
  std::vector<NodeId> hosts{};  ///< Nodes beside it.
  Phase phase = Phase::forward;
};

/// Reads the price of a transfer in this segment, which has this share of the message at a point. Empty, with errors, if
/// a formula fails.
std::optional<TransferPrice> read_price(SectionFormulas& formulas, const Point& at, SegmentId segment, double share = 1);

/// Properties of one evaluated run.
class Incumbent {
 public:
  /// Reads them. Empty, with errors, if a formula fails.
  static std::optional<Incumbent> read(PlacedGraphs::Placed& placed, const Graph& graph, const Datum& section, Diagnostics& diagnostics);

  /// Returns the number of times that the seconds of one layer of a segment count in a step.
  double layers(SegmentId segment) const { return layers_[segment]; }
  /// Returns the seconds that one more transfer adds to a step: all of its seconds if its window is full.
  double seconds(const TransferPrice& price) const;
  /// Returns the seconds of a step that full windows hide.
  double hidden() const;

  /// Returns whether tables with these properties are equal, but for a constant.
  friend bool operator==(const Incumbent& a, const Incumbent& b);

 private:
  IdVector<SegmentId, double> layers_;
  std::map<std::pair<SegmentId, long long>, double> full_;  ///< Hidden seconds of the full windows.
};

}  // namespace opledger
