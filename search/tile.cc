#include "search/tile.h"

#include <algorithm>

namespace opledger {

Tiles::Tiles(const Space& space, const FreeAxes& free, const Part& part, const Stops& stops, bool ranked, Assignment& assignment, Listings& listings)
    : space_(space),
      free_(free),
      plan_(*part.plan),
      assignment_(assignment),
      listings_(listings),
      read_(part.region.joined(plan_.late())),
      ranked_(ranked),
      key_{part.stretch->number, plan_.late(), stops.settled(), {}, part.region.on(plan_.late())} {
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    if ((plan_.late() & axis_bit(a)) != 0) read_ |= stops.reads(a);
  }
}

Tile* Tiles::of(AxisSet known, Diagnostics& diagnostics) {
  std::vector<double> key;
  for (std::size_t a = 0; a < space_.axes.size(); ++a) {
    if ((known & read_ & axis_bit(a)) != 0) key.push_back(assignment_.values[a]);
  }
  std::unique_ptr<Tile>& tile = tiles_[key];
  if (tile != nullptr) return tile.get();
  const Listing* const listing = list(known, diagnostics);
  if (listing == nullptr) return nullptr;
  tile = std::make_unique<Tile>();
  sieve(*listing, *tile);
  return tile.get();
}

const Listing* Tiles::list(AxisSet known, Diagnostics& diagnostics) {
  Listing listing;
  listing.key = key_;
  for (std::size_t a = 0; a < space_.axes.size(); ++a) {
    if ((known & (read_ | plan_.late()) & axis_bit(a)) != 0) listing.key.values.emplace_back(a, assignment_.values[a]);
  }
  if (const Listing* const found = listings_.find(listing.key)) return found;
  listing.inputs.resize(free_.axes.size());
  listing.ranks.resize(free_.axes.size());
  const std::vector<double> before = assignment_.values;
  const bool good = assignment_.each(known, assignment_.all(), diagnostics, [&](AxisSet) {
    for (std::size_t i = 0; i < free_.axes.size(); ++i) {
      if ((plan_.late() & axis_bit(free_.axes[i])) == 0) continue;
      listing.inputs[i].push_back(assignment_.values[free_.axes[i]]);
      if (ranked_) listing.ranks[i].push_back(assignment_.ranks[free_.axes[i]]);
    }
    ++listing.all;
    return true;
  });
  assignment_.values = before;
  return good ? &listings_.keep(std::move(listing)) : nullptr;
}

/// Refuses columns by the checks that come first and need nothing of rows.
void Tiles::sieve(const Listing& listing, Tile& tile) {
  const std::size_t checks = plan_.sieved();
  tile.refused.resize(checks);
  tile.all = listing.all;
  left_.clear();
  holds_.resize(std::max(checks, holds_.size()));
  spread_.resize(free_.axes.size());
  std::vector<const double*> in;
  std::vector<double*> out;
  for (std::size_t i = 0; i < free_.axes.size(); ++i) {
    if (listing.inputs[i].empty() && checks > 0) spread_[i].assign(listing.all, assignment_.values[free_.axes[i]]);
    in.push_back(listing.inputs[i].empty() ? spread_[i].data() : listing.inputs[i].data());
  }
  for (std::size_t c = 0; c < checks; ++c) {
    holds_[c].resize(listing.all);
    out.push_back(holds_[c].data());
  }
  if (checks > 0) plan_.sieve().run(in, out, listing.all);
  for (std::size_t k = 0; k < listing.all; ++k) {
    std::size_t c = 0;
    while (c < checks && holds_[c][k] != 0) ++c;
    if (c < checks)
      ++tile.refused[c];
    else
      left_.push_back(static_cast<std::uint32_t>(k));
  }
  tile.count = left_.size();
  const auto take = [&](const auto& from, auto& to) {
    if (from.empty()) return;
    to.resize(left_.size());
    std::transform(left_.begin(), left_.end(), to.begin(), [&](std::uint32_t k) { return from[k]; });
  };
  tile.inputs.resize(free_.axes.size());
  tile.ranks.resize(free_.axes.size());
  for (std::size_t i = 0; i < free_.axes.size(); ++i) {
    take(listing.inputs[i], tile.inputs[i]);
    take(listing.ranks[i], tile.ranks[i]);
  }
}

}  // namespace opledger
