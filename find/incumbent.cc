#include "find/incumbent.h"

#include <algorithm>
#include <cmath>

#include "accounting/graph_engine.h"

namespace opledger {

namespace {

/// Share of the claims on a window that rounding may leave unmet.
constexpr double kRounding = 1e-9;

/// Share by which numbers of layers of equal tables differ at most.
constexpr double kSameLayers = 0.01;

}  // namespace

std::optional<TransferPrice> read_price(SectionFormulas& formulas, const Point& at, SegmentId segment, double share) {
  const auto seconds = formulas.seconds({"placements", "transfer"}, at), claim = formulas.seconds({"placements", "claim"}, at);
  const auto usable = formulas.number({"placements", "usable"}, at), window = formulas.number({"placements", "window"}, at);
  if (!seconds || !claim || !usable || !window) return std::nullopt;
  const long long number = std::llround(*window);
  return TransferPrice{segment, *seconds * share, *claim * share, *usable, {number < 0 ? SegmentId() : segment, number}};
}

std::optional<Incumbent> Incumbent::read(PlacedGraphs::Placed& placed, const Graph& graph, const Datum& section, Diagnostics& diagnostics) {
  Evaluator& evaluator = placed.evaluator;
  SectionFormulas formulas(section, "find", evaluator, diagnostics);
  Incumbent out;
  for (const SegmentId s : graph.segments.ids()) {
    const auto layers =
        formulas.number({"placements", "layers"}, evaluator.choose(nowhere(), kSegmentSet, evaluator.element_at(kSegmentSet, static_cast<WordId>(s.index()))));
    if (!layers) return std::nullopt;
    out.layers_.push_back(*layers);
  }
  std::map<std::pair<SegmentId, long long>, std::pair<double, double>> claims;  // Claimed and hidden seconds.
  const std::vector<Transfer>& transfers = placed.annotations.transfers;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Point at = evaluator.choose(nowhere(), kTransferSet, evaluator.element_at(kTransferSet, static_cast<WordId>(i)));
    const auto share = formulas.number({"placements", "share"}, at);
    const std::optional<TransferPrice> price = share ? read_price(formulas, at, transfers[i].segment, *share) : std::nullopt;
    if (!price) return std::nullopt;
    if (price->window.second == 0) continue;
    const auto exposed = formulas.seconds({"placements", "exposed"}, at);
    if (!exposed) return std::nullopt;
    auto& [claimed, hidden] = claims[price->window];
    claimed += out.layers(price->segment) * price->claim;
    hidden += out.layers(price->segment) * (price->seconds - *exposed * *share);
  }
  for (const auto& [window, sums] : claims) {
    if (sums.second < sums.first * (1 - kRounding)) out.full_[window] = sums.second;
  }
  return out;
}

double Incumbent::seconds(const TransferPrice& price) const {
  return layers(price.segment) * (full_.contains(price.window) ? price.seconds : price.seconds - price.claim);
}

double Incumbent::hidden() const {
  double out = 0;
  for (const auto& [window, seconds] : full_) out += seconds;
  return out;
}

bool operator==(const Incumbent& a, const Incumbent& b) {
  const auto is_same_window = [](const auto& x, const auto& y) { return x.first == y.first; };
  const auto is_same_number = [](double x, double y) { return std::abs(x - y) <= kSameLayers * std::max(x, y); };
  return std::equal(a.full_.begin(), a.full_.end(), b.full_.begin(), b.full_.end(), is_same_window) &&
         std::equal(a.layers_.begin(), a.layers_.end(), b.layers_.begin(), b.layers_.end(), is_same_number);
}

}  // namespace opledger
