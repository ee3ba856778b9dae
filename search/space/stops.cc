#include "search/space/stops.h"

#include <algorithm>
#include <bit>

namespace opledger {
namespace {

/// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

Stops::Key Stops::key(std::size_t axis, double value) {
  const std::uint64_t high = mix(mix(axis) ^ std::bit_cast<std::uint64_t>(value)), low = mix(high + axis);
  return static_cast<Key>(high) << 64 | low;
}

Stops::Stops(const Space& space) : space_(space) {
  for (std::size_t a = space.axes.size(); a-- > 0;) {
    if (space.axes[a].stops) axes_.push_back(a);
  }
  feasible_.resize(axes_.size());
}

std::vector<AxisSet> Stops::deciding() const {
  std::vector<AxisSet> out(space_.axes.size());
  for (std::size_t a = 0; a < out.size(); ++a) {
    for (AxisSet rest = reads(a); rest != 0; rest &= rest - 1) {
      const auto read = static_cast<std::size_t>(std::countr_zero(rest));
      out[a] |= space_.axes[read].derived != nullptr ? out[read] : axis_bit(read);  // `read` is before `a`, so that its entry is complete
    }
  }
  return out;
}

AxisSet Stops::with_dependencies(AxisSet axes) const {
  // Domains read earlier axes only: one pass from the innermost axis outwards is the transitive closure.
  for (std::size_t a = space_.axes.size(); a-- > 0;) {
    if ((axes & axis_bit(a)) != 0) axes |= reads(a);
  }
  return axes;
}

void Stops::begin() {
  next_ = 0;
  resolved_ = 0;
  for (auto& keys : feasible_) keys.clear();
}

std::optional<std::size_t> Stops::next() const { return next_ < axes_.size() ? std::optional(axes_[next_]) : std::nullopt; }

void Stops::resolve() {
  // Sorts the collected hashes for binary search and moves on to the next outer axis.
  std::vector<Key>& keys = feasible_[next_];
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  resolved_ |= axis_bit(axes_[next_++]);
}

Stops::Key Stops::key_before(std::size_t axis, const std::vector<double>& values) const {
  Key out = 0;
  for (std::size_t a = 0; a < axis; ++a) {
    if (space_.axes[a].derived == nullptr) out += key(a, values[a]);
  }
  return out;
}

bool Stops::feasible(std::size_t axis, Key key) const {
  const auto at = static_cast<std::size_t>(std::find(axes_.begin(), axes_.end(), axis) - axes_.begin());
  return std::binary_search(feasible_[at].begin(), feasible_[at].end(), key);
}

}  // namespace opledger
