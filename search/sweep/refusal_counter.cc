#include "search/sweep/refusal_counter.h"

#include <algorithm>

namespace opledger {

RefusalCounter::RefusalCounter(const Plan& plan, Prefixes& prefixes, std::vector<double> inputs)
    : plan_(plan), prefixes_(prefixes), inputs_(std::move(inputs)), check_kernels_(plan.checks().size()), tables_(plan.variants()) {
  for (const Plan::Level& level : plan.levels()) sizes_.push_back(level.all != nullptr ? level.all->size() : 0);
}

void RefusalCounter::add(std::size_t level, std::size_t variant, std::size_t place, std::uint32_t* path, std::vector<std::uint64_t>& refused,
                         Diagnostics& diagnostics) {
  for (const auto& [by, count] : counts_of(level, variant, place, path, diagnostics)) refused[by] += count;
}

RefusalCounter::CountTable& RefusalCounter::table(std::size_t level, std::size_t variant, std::size_t place) {
  auto& levels = tables_[variant];
  levels.resize(sizes_.size());
  levels[level].resize(plan_.checks_of(variant).size());
  std::unique_ptr<CountTable>& own = levels[level][place];
  if (own == nullptr) own = std::make_unique<CountTable>(CountTable{CodeKey(plan_.order_of(variant).pending_prunes[level][place].keys, sizes_), {}});
  return *own;
}

/// Returns the memoized counts of a subtree; computes missing counts.
const RefusalCounter::Counts& RefusalCounter::counts_of(std::size_t level, std::size_t variant, std::size_t place, std::uint32_t* path,
                                                        Diagnostics& diagnostics) {
  CountTable& table = this->table(level, variant, place);
  const std::uint32_t number = table.key.number(path);
  if (table.counts.size() <= number) table.counts.resize(number + 1);
  if (!table.counts[number]) table.counts[number] = sum_over_choices(level, variant, place, path, diagnostics);
  return *table.counts[number];
}

/// Splits the candidates below a prefix over the checks that refuse them; a candidate counts under its first failing
/// check. The prefix fails the check at `place`, a position in the variant's order of checks. If all earlier checks are
/// decided at `level`, the whole subtree belongs to `place`. Otherwise each child of the prefix is examined. A check
/// that becomes known on the child's level and comes before `place` may fail as well, and takes its position. The child
/// is then split by recursion, or its counts come from a table of its level. Recursion ends at the latest where `place`
/// is decided. Returns pairs of a position and a number of candidates.
RefusalCounter::Counts RefusalCounter::sum_over_choices(std::size_t level, std::size_t variant, std::size_t place, std::uint32_t* path,
                                                        Diagnostics& diagnostics) {
  const CheckOrder& order = plan_.order_of(variant);
  if (order.decided_at[place] <= static_cast<int>(level)) return {{place, prefixes_.subtree_size(static_cast<int>(level), path, variant, diagnostics)}};
  const std::size_t next = level + 1;
  const Prefixes::Choices* const choices = prefixes_.choices(next, prefixes_.choice_key(next).number(path), path, diagnostics);
  Counts all;
  for (std::size_t c = 0; choices != nullptr && c < choices->codes.size(); ++c) {
    if ((choices->variants[c] & variant_bit(variant)) == 0) continue;
    path[next] = choices->codes[c];
    const std::size_t first = first_failing(next, variant, place, path);
    const Counts child_counts = order.pending_prunes[next][first].is_counted ? counts_of(next, variant, first, path, diagnostics)
                                                                             : sum_over_choices(next, variant, first, path, diagnostics);
    for (const auto& [by, count] : child_counts) {
      const auto same = std::find_if(all.begin(), all.end(), [&, by = by](const auto& entry) { return entry.first == by; });
      if (same == all.end())
        all.emplace_back(by, count);
      else
        same->second += count;
    }
  }
  return all;
}

/// Returns the first check before `place` that becomes known on `level` and fails; `place` if every one holds. Checks
/// of earlier levels need no test: the prefix passed them.
std::size_t RefusalCounter::first_failing(std::size_t level, std::size_t variant, std::size_t place, const std::uint32_t* path) {
  const std::vector<std::size_t>& checks = plan_.checks_of(variant);
  for (std::size_t before = 0; before < place; ++before) {
    const std::size_t c = checks[before];
    const Plan::Check& check = plan_.checks()[c];
    if (check.reads.empty() || check.reads.back() != level) continue;
    for (const std::size_t read : check.reads) inputs_[plan_.input_of(read)] = prefixes_.value(read, path[read]);
    if (!check_kernels_[c]) check_kernels_[c].emplace(plan_.check_kernel(c));
    if (check_kernels_[c]->run(inputs_)[0] == 0) return before;
  }
  return place;
}

}  // namespace opledger
