#include "search/store/value_pairs.h"

namespace opledger {
namespace {

constexpr std::size_t kMostSteps = 3'000'000;  // cells that are written down, again and again

}  // namespace

Cells::Cells(Space& space, Diagnostics& diagnostics)
    : space_(space), diagnostics_(diagnostics), domains_(space), values_(space.axes.size()), read_(space.axes.size() + 1), known_(space.axes.size() + 1) {
  for (std::size_t a = 0; a < space.axes.size(); ++a) values_[a] = any_value(space.axes[a]);
  for (std::size_t a = space.axes.size(); a-- > 0;) read_[a] = (read_[a + 1] | space.axes[a].reads) & (axis_bit(a) - 1);
  if (visit(0) == nullptr) cells_.clear();
}

/// Every value of an outer axis with all that is possible behind it.
void Cells::join(std::size_t axis, const Suffix& suffix) {
  for (std::size_t inner = axis; inner < suffix.size(); ++inner) {
    for (std::size_t outer = 0; outer < axis; ++outer) {
      auto& cells = cells_[{outer, inner}];
      for (const double value : suffix[inner]) cells.emplace(values_[outer], value);
      steps_ += suffix[inner].size();
    }
  }
}

/// Null: given up, or an error. All sets empty: no candidate.
const Cells::Suffix* Cells::visit(std::size_t axis) {
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
      const Suffix* behind = visit(axis + 1);
      if (behind == nullptr || ++steps_ > kMostSteps) return nullptr;
      if (axis + 1 < space_.axes.size() && behind->back().empty()) continue;
      out[axis].insert(value);
      for (std::size_t a = axis + 1; a < out.size(); ++a) out[a].insert((*behind)[a].begin(), (*behind)[a].end());
      join(axis + 1, *behind);
    }
  }
  return &known_[axis].emplace(std::move(key), std::move(out)).first->second;
}

}  // namespace opledger
