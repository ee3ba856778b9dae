#include "search/sweep/refusals.h"

#include <algorithm>

namespace opledger {

Refusals::Refusals(const Plan& plan, Prefixes& prefixes, std::vector<double> inputs)
    : plan_(plan), prefixes_(prefixes), inputs_(std::move(inputs)), alone_(plan.checks().size()), known_(plan.siblings()) {
  for (const Plan::Level& level : plan.levels()) sizes_.push_back(level.all != nullptr ? level.all->size() : 0);
}

void Refusals::add(std::size_t level, std::size_t sibling, std::size_t place, std::uint32_t* path, std::vector<std::uint64_t>& refused,
                   Diagnostics& diagnostics) {
  for (const auto& [by, count] : of(level, sibling, place, path, diagnostics)) refused[by] += count;
}

Refusals::Known& Refusals::known(std::size_t level, std::size_t sibling, std::size_t place) {
  auto& levels = known_[sibling];
  levels.resize(sizes_.size());
  levels[level].resize(plan_.checks_of(sibling).size());
  std::unique_ptr<Known>& own = levels[level][place];
  if (own == nullptr) own = std::make_unique<Known>(Known{CodeKey(plan_.order_of(sibling).doomed[level][place].keys, sizes_), {}});
  return *own;
}

const Refusals::Counts& Refusals::of(std::size_t level, std::size_t sibling, std::size_t place, std::uint32_t* path, Diagnostics& diagnostics) {
  Known& known = this->known(level, sibling, place);
  const std::uint32_t number = known.key.number(path);
  if (known.counts.size() <= number) known.counts.resize(number + 1);
  if (!known.counts[number]) known.counts[number] = over_choices(level, sibling, place, path, diagnostics);
  return *known.counts[number];
}

Refusals::Counts Refusals::over_choices(std::size_t level, std::size_t sibling, std::size_t place, std::uint32_t* path, Diagnostics& diagnostics) {
  const CheckOrder& order = plan_.order_of(sibling);
  if (order.settled[place] <= static_cast<int>(level)) return {{place, prefixes_.behind(static_cast<int>(level), path, sibling, diagnostics)}};
  const std::size_t next = level + 1;
  const Prefixes::Choices* const choices = prefixes_.choices(next, prefixes_.key(next).number(path), path, diagnostics);
  Counts all;
  for (std::size_t c = 0; choices != nullptr && c < choices->codes.size(); ++c) {
    if ((choices->siblings[c] & sibling_bit(sibling)) == 0) continue;
    path[next] = choices->codes[c];
    const std::size_t first = first_failing(next, sibling, place, path);
    const Counts some = order.doomed[next][first].counted ? of(next, sibling, first, path, diagnostics) : over_choices(next, sibling, first, path, diagnostics);
    for (const auto& [by, count] : some) {
      const auto same = std::find_if(all.begin(), all.end(), [&, by = by](const auto& entry) { return entry.first == by; });
      if (same == all.end())
        all.emplace_back(by, count);
      else
        same->second += count;
    }
  }
  return all;
}

/// Of the checks before one that are known at a level the first that fails; else that one.
std::size_t Refusals::first_failing(std::size_t level, std::size_t sibling, std::size_t place, const std::uint32_t* path) {
  const std::vector<std::size_t>& checks = plan_.checks_of(sibling);
  for (std::size_t before = 0; before < place; ++before) {
    const std::size_t c = checks[before];
    const Plan::Check& check = plan_.checks()[c];
    if (check.reads.empty() || check.reads.back() != level) continue;
    for (const std::size_t read : check.reads) inputs_[plan_.input_of(read)] = prefixes_.value(read, path[read]);
    if (!alone_[c]) alone_[c].emplace(plan_.alone(c));
    if (alone_[c]->run(inputs_)[0] == 0) return before;
  }
  return place;
}

}  // namespace opledger
