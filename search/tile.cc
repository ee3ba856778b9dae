#include "search/tile.h"

#include <algorithm>

namespace opledger {

Tiles::Tiles(const Space& space, const FreeAxes& free, const Plan& plan, const Stops& stops, const Region& region, bool ranked, Assignment& assignment)
    : space_(space), free_(free), plan_(plan), assignment_(assignment), read_(region.joined(plan.late())), ranked_(ranked) {
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    if ((plan.late() & axis_bit(a)) != 0) read_ |= stops.reads(a);
  }
}

Tile* Tiles::of(AxisSet known, Diagnostics& diagnostics) {
  std::vector<double> key;
  for (std::size_t a = 0; a < space_.axes.size(); ++a) {
    if ((known & read_ & axis_bit(a)) != 0) key.push_back(assignment_.values[a]);
  }
  std::unique_ptr<Tile>& tile = tiles_[key];
  if (tile != nullptr) return tile.get();
  tile = std::make_unique<Tile>();
  tile->inputs.resize(free_.axes.size());
  tile->ranks.resize(free_.axes.size());
  const std::vector<double> before = assignment_.values;
  const bool good = assignment_.each(known, assignment_.all(), diagnostics, [&](AxisSet) {
    for (std::size_t i = 0; i < free_.axes.size(); ++i) {
      if ((plan_.late() & axis_bit(free_.axes[i])) == 0) continue;
      tile->inputs[i].push_back(assignment_.values[free_.axes[i]]);
      if (ranked_) tile->ranks[i].push_back(assignment_.ranks[free_.axes[i]]);
    }
    ++tile->all;
    return true;
  });
  assignment_.values = before;
  if (!good) return nullptr;
  sieve(*tile);
  return tile.get();
}

/// Refuses columns by the checks that come first and need nothing of rows.
void Tiles::sieve(Tile& tile) {
  const std::size_t checks = plan_.sieved();
  tile.refused.resize(checks);
  tile.count = tile.all;
  if (checks == 0 || tile.all == 0) return;
  holds_.resize(std::max(checks, holds_.size()));
  spread_.resize(free_.axes.size());
  std::vector<const double*> in;
  std::vector<double*> out;
  for (std::size_t i = 0; i < free_.axes.size(); ++i) {
    if (tile.inputs[i].empty()) spread_[i].assign(tile.all, assignment_.values[free_.axes[i]]);
    in.push_back(tile.inputs[i].empty() ? spread_[i].data() : tile.inputs[i].data());
  }
  for (std::size_t c = 0; c < checks; ++c) {
    holds_[c].resize(tile.all);
    out.push_back(holds_[c].data());
  }
  plan_.sieve().run(in, out, tile.all);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < tile.all; ++k) {
    std::size_t c = 0;
    while (c < checks && holds_[c][k] != 0) ++c;
    if (c < checks) {
      ++tile.refused[c];
      continue;
    }
    for (std::size_t i = 0; i < tile.inputs.size(); ++i) {
      if (tile.inputs[i].empty()) continue;
      tile.inputs[i][kept] = tile.inputs[i][k];
      if (ranked_) tile.ranks[i][kept] = tile.ranks[i][k];
    }
    ++kept;
  }
  tile.count = kept;
}

}  // namespace opledger
