#include "search/sweep/refusals.h"

#include <algorithm>

namespace opledger {

Refusals::Refusals(const Plan& plan, const FreeAxes& free, Prefixes& prefixes, std::vector<double> values)
    : plan_(plan), free_(free), prefixes_(prefixes), values_(std::move(values)) {
  for (const Plan::Level& level : plan.levels()) sizes_.push_back(level.all != nullptr ? level.all->size() : 0);
  alone_.resize(plan.checks());
  known_.resize(sizes_.size(), std::vector<std::optional<Known>>(plan.checks()));
}

void Refusals::add(std::size_t level, std::size_t check, std::uint32_t* path, std::vector<std::uint64_t>& refused, Diagnostics& diagnostics) {
  for (const auto& [by, count] : of(level, check, path, diagnostics)) refused[by] += count;
}

const Refusals::Counts& Refusals::of(std::size_t level, std::size_t check, std::uint32_t* path, Diagnostics& diagnostics) {
  if (!known_[level][check]) known_[level][check] = Known{CodeKey(plan_.doomed(level, check).keys, sizes_), {}};
  Known& known = *known_[level][check];
  const std::uint32_t number = known.key.number(path);
  if (known.counts.size() <= number) known.counts.resize(number + 1);
  if (!known.counts[number]) known.counts[number] = over_choices(level, check, path, diagnostics);
  return *known.counts[number];
}

Refusals::Counts Refusals::over_choices(std::size_t level, std::size_t check, std::uint32_t* path, Diagnostics& diagnostics) {
  if (plan_.settled(check) <= static_cast<int>(level)) return {{check, prefixes_.behind(static_cast<int>(level), path, diagnostics)}};
  const std::size_t next = level + 1;
  const Prefixes::Choices* const choices = prefixes_.choices(next, prefixes_.key(next).number(path), path, diagnostics);
  Counts all;
  for (std::size_t c = 0; choices != nullptr && c < choices->codes.size(); ++c) {
    path[next] = choices->codes[c];
    const std::size_t first = first_failing(next, check, path);
    const Counts some = plan_.doomed(next, first).counted ? of(next, first, path, diagnostics) : over_choices(next, first, path, diagnostics);
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

/// Of the checks before `check` that are known at a level the first that fails; else `check`.
std::size_t Refusals::first_failing(std::size_t level, std::size_t check, const std::uint32_t* path) {
  for (const std::size_t c : plan_.levels()[level].checks) {
    if (c >= check) break;
    for (const std::size_t read : plan_.read_by(c)) values_[plan_.levels()[read].axis] = prefixes_.value(read, path[read]);
    if (!alone_[c]) alone_[c].emplace(plan_.alone(c));
    if (alone_[c]->run(free_.of(values_))[0] == 0) return c;
  }
  return check;
}

}  // namespace opledger
