#include "search/space/counter.h"

namespace opledger {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kMostKnown = 1 << 20;  // limit of memoized counts per axis, which bounds memory

/// Returns a · b, saturated at most + 1.
std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b, std::uint64_t most) {
  const Wide out = static_cast<Wide>(a) * b;
  return out > most ? most + 1 : static_cast<std::uint64_t>(out);
}

}  // namespace

Counter::Counter(Space& space, Domains& domains) : space_(space), domains_(domains), read_(space.axes.size() + 1), known_(space.axes.size()) {
  for (std::size_t a = space.axes.size(); a-- > 0;) read_[a] = (read_[a + 1] | space.axes[a].reads) & (axis_bit(a) - 1);
}

std::optional<std::uint64_t> Counter::count(std::size_t axis, std::vector<double>& values, std::uint64_t most, Diagnostics& diagnostics) {
  // A memo in front of `over`. The count depends only on the values that the remaining domains read (`read_`). These values and
  // the limit are the key. A count that ran out of steps is wrong and is not kept.
  if (axis == space_.axes.size()) return 1;
  std::vector<double> key;
  for (std::size_t a = 0; a < axis; ++a) {
    if ((read_[axis] & axis_bit(a)) != 0) key.push_back(values[a]);
  }
  auto& known = known_[axis];
  if (known.size() >= kMostKnown) known.clear();
  if (const auto found = known.find({most, key}); found != known.end()) return found->second;
  const std::optional<std::uint64_t> out = over(axis, values, most, diagnostics);
  if (out && steps_ <= max_steps) known.emplace(std::pair{most, std::move(key)}, *out);
  return out;
}

std::optional<std::uint64_t> Counter::over(std::size_t axis, std::vector<double>& values, std::uint64_t most, Diagnostics& diagnostics) {
  // Sums the counts of candidates over the values of `axis`; the axes before have fixed `values`. The recursion goes through
  // `count`, which memoizes subtrees. If no later domain reads `axis`, all its values have equally many candidates: one subtree is
  // counted and multiplied. The sum ends once it exceeds `most`, and then any number above `most` may result. Beyond `max_steps`
  // computed domains the count is given up and meaningless; callers compare `steps` with the limit. `values` is restored.
  if (++steps_ > max_steps) return 0;
  const std::vector<double>* domain = domains_.of(axis, values, diagnostics);
  if (domain == nullptr) return std::nullopt;
  std::uint64_t out = 0;
  const double before = values[axis];
  for (const double value : *domain) {
    values[axis] = value;
    const std::optional<std::uint64_t> one = count(axis + 1, values, most, diagnostics);
    if (!one) return std::nullopt;
    if ((read_[axis + 1] & axis_bit(axis)) == 0) {  // later domains don't depend on the value
      out = saturated_product(*one, domain->size(), most);
      break;
    }
    out = *one > most - out ? most + 1 : out + *one;
    if (out > most || steps_ > max_steps) break;
  }
  values[axis] = before;
  return out;
}

}  // namespace opledger
