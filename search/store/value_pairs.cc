#include "search/store/value_pairs.h"

namespace opledger {
namespace {

constexpr std::size_t kMostSteps = 3'000'000;  // limit of visited values and inserted pairs, including repeated ones

}  // namespace

ValuePairs::ValuePairs(Space& space, Diagnostics& diagnostics)
    : space_(space), diagnostics_(diagnostics), domains_(space), values_(space.axes.size()), read_(space.axes.size() + 1), known_(space.axes.size() + 1) {
  for (std::size_t a = 0; a < space.axes.size(); ++a) values_[a] = any_value(space.axes[a]);
  for (std::size_t a = space.axes.size(); a-- > 0;) read_[a] = (read_[a + 1] | space.axes[a].reads) & (axis_bit(a) - 1);
  if (visit(0) == nullptr) pairs_.clear();
}

/// Pairs the current value of every axis before `axis` with every value of the suffix, which has sets for `axis` and
/// later axes.
void ValuePairs::join(std::size_t axis, const Suffix& suffix) {
  for (std::size_t inner = axis; inner < suffix.size(); ++inner) {
    for (std::size_t outer = 0; outer < axis; ++outer) {
      auto& pairs = pairs_[{outer, inner}];
      for (const double value : suffix[inner]) pairs.emplace(values_[outer], value);
      steps_ += suffix[inner].size();
    }
  }
}

/// Visits the values of `axis` and of all later axes, for the current `values_` of the earlier axes. Returns the
/// suffix: for each axis from `axis` on, the set of values that occur in a candidate. Depth-first walk with a memo: the
/// suffix depends only on the values that the domains of its axes read (`read_`), so equal subtrees are visited once.
/// Values that lead to no candidate are left out. `join` pairs the values of earlier axes with the suffix after each
/// value, also if the suffix comes from the memo. Returns null beyond kMostSteps steps or on an error; all sets
/// are empty if no candidate follows.
const ValuePairs::Suffix* ValuePairs::visit(std::size_t axis) {
  std::vector<double> key;
  for (std::size_t a = 0; a < axis; ++a) {
    if ((read_[axis] & axis_bit(a)) != 0) key.push_back(values_[a]);
  }
  if (const auto found = known_[axis].find(key); found != known_[axis].end()) return &found->second;
  Suffix out(space_.axes.size());
  if (axis < space_.axes.size()) {
    const std::vector<double>* domain = domains_.of(axis, values_, diagnostics_);
    if (domain == nullptr) return nullptr;
    for (const double value : *domain) {
      values_[axis] = value;
      const Suffix* suffix = visit(axis + 1);
      if (suffix == nullptr || ++steps_ > kMostSteps) return nullptr;
      if (axis + 1 < space_.axes.size() && suffix->back().empty()) continue;
      out[axis].insert(value);
      for (std::size_t a = axis + 1; a < out.size(); ++a) out[a].insert((*suffix)[a].begin(), (*suffix)[a].end());
      join(axis + 1, *suffix);
    }
  }
  return &known_[axis].emplace(std::move(key), std::move(out)).first->second;
}

}  // namespace opledger
