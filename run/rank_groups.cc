#include "run/rank_groups.h"

#include <fmt/core.h>

#include <algorithm>

#include "accounting/sizes.h"
#include "base/limits.h"
#include "base/text.h"

namespace opledger {
namespace {

class Listing {
 public:
  explicit Listing(Run& run) : mesh_(run.annotations().mesh), sizes_(run.evaluator(), run.graph_run()) {
    for (const AxisId axis : mesh_.order) ranks_ *= degree(axis);
  }

  std::int64_t ranks() const { return ranks_; }

  /// Axes of one rank say nothing: what is left of a list, in the order of the mesh.
  AxisList spread(const AxisList& axes) {
    AxisList out;
    for (const AxisId axis : mesh_.order) {
      if (degree(axis) > 1 && std::find(axes.begin(), axes.end(), axis) != axes.end()) out.push_back(axis);
    }
    return out;
  }

  std::string name(const AxisList& axes) { return sizes_.describe(axes); }

  std::vector<std::vector<std::int64_t>> groups(const AxisList& axes) {
    std::vector<std::int64_t> offsets = {0};
    for (const AxisId axis : axes) {
      std::vector<std::int64_t> wider;
      for (const std::int64_t offset : offsets) {
        for (std::int64_t i = 0; i < degree(axis); ++i) wider.push_back(offset + i * stride(axis));
      }
      offsets = std::move(wider);
    }
    std::sort(offsets.begin(), offsets.end());
    std::vector<std::vector<std::int64_t>> out;
    for (std::int64_t rank = 0; rank < ranks_; ++rank) {
      if (std::any_of(axes.begin(), axes.end(), [&](AxisId axis) { return rank / stride(axis) % degree(axis) != 0; })) continue;
      out.emplace_back();
      for (const std::int64_t offset : offsets) out.back().push_back(rank + offset);
    }
    return out;
  }

 private:
  std::int64_t degree(AxisId axis) { return static_cast<std::int64_t>(sizes_.degree(axis).value); }
  std::int64_t stride(AxisId axis) { return static_cast<std::int64_t>(sizes_.stride(axis).value); }

  const Mesh& mesh_;
  Sizes sizes_;
  std::int64_t ranks_ = 1;
};

/// Processors of one host, as the accounting knows them.
std::int64_t node_of(Run& run) {
  const Role* role = run.program().find_role("comm", "node");
  if (role == nullptr || !run.has_system()) return 0;
  Diagnostics ignored;
  const std::optional<Value> value = run.value(role->name, ignored);
  return value && value->is_number() ? static_cast<std::int64_t>(value->scalar.value) : 0;
}

void add(std::vector<std::string>& all, const std::string& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

}  // namespace

std::optional<CommunicatingRanks> communicating_ranks(Run& run, Diagnostics& diagnostics) {
  Listing listing(run);
  CommunicatingRanks out;
  out.ranks = listing.ranks();
  out.node = node_of(run);
  std::vector<AxisList> met;
  for (const Transfer& t : run.annotations().transfers) {
    const AxisList axes = listing.spread(t.axes);
    if (axes.empty() || t.kind == Collective::slice) continue;
    const auto found = std::find(met.begin(), met.end(), axes);
    const auto position = static_cast<std::size_t>(found - met.begin());
    if (found == met.end()) {
      met.push_back(axes);
      out.axes.push_back({listing.name(axes), {}, true, {}});
    }
    add(out.axes[position].collectives, to_string(t.kind));
    out.axes[position].chain = out.axes[position].chain && t.stages && t.kind == Collective::point_to_point;
  }
  if (static_cast<double>(out.ranks) * static_cast<double>(met.size()) > static_cast<double>(kMaxPeers)) {
    diagnostics.error({}, fmt::format("{} groups of axes and {} ranks: at most {} ranks are listed", met.size(), out.ranks, kMaxPeers));
    return std::nullopt;
  }
  for (std::size_t i = 0; i < met.size(); ++i) out.axes[i].groups = listing.groups(met[i]);
  return out;
}

}  // namespace opledger
