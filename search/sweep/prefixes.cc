#include "search/sweep/prefixes.h"

#include <algorithm>

namespace opledger {
namespace {

constexpr std::size_t kMostNumbers = 1 << 14;  // that are told apart without looking

}  // namespace

CodeKey::CodeKey(std::vector<std::size_t> levels, const std::vector<std::size_t>& sizes) : levels_(std::move(levels)) {
  std::size_t all = 1;
  for (const std::size_t level : levels_) {
    strides_.push_back(static_cast<std::uint32_t>(all));
    all *= sizes[level];
    direct_ = direct_ && all > 0 && all <= kMostNumbers;
    if (!direct_) break;
  }
}

std::uint32_t CodeKey::number(const std::uint32_t* path) {
  if (direct_) {
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < levels_.size(); ++i) out += strides_[i] * path[levels_[i]];
    return out;
  }
  std::vector<std::uint32_t> codes;
  for (const std::size_t level : levels_) codes.push_back(path[level]);
  return known_.try_emplace(std::move(codes), static_cast<std::uint32_t>(known_.size())).first->second;
}

Prefixes::Prefixes(const Space& space, const Plan& plan, Assignment& assignment, AxisSet known, AxisSet fixed, std::vector<double> values, bool ranked)
    : space_(space), plan_(plan), assignment_(assignment), known_(known), fixed_(fixed), values_(std::move(values)), ranked_(ranked) {
  std::vector<std::size_t> sizes;
  for (const Plan::Level& level : plan.levels()) {
    Codes& codes = codes_.emplace_back();
    if (level.all != nullptr) codes.values = *level.all;
    codes.known = level.all != nullptr;
    sizes.push_back(codes.values.size());
    all_.push_back(codes.values);
  }
  for (const Plan::Level& level : plan.levels()) {
    keys_.emplace_back(level.reads, sizes);
    counted_.emplace_back(level.decide, sizes);
  }
  choices_.resize(codes_.size());
  counts_.resize(codes_.size());
}

std::optional<bool> Prefixes::begin(Diagnostics& diagnostics) {
  assignment_.values = values_;
  AxisSet known = known_ | fixed_;
  const Assigned derived = assignment_.derive(known, diagnostics);
  const Assigned all = derived == Assigned::good ? follow(plan_.follow(), known, ranks_, diagnostics) : derived;
  return all == Assigned::error ? std::nullopt : std::optional(all == Assigned::good);
}

/// Axes of a single value: whether it is there.
Assigned Prefixes::follow(const std::vector<std::size_t>& axes, AxisSet& known, std::vector<std::uint32_t>& ranks, Diagnostics& diagnostics) {
  for (const std::size_t axis : axes) {
    const std::vector<double>* const domain = assignment_.domain(axis, diagnostics);
    if (domain == nullptr) return Assigned::error;
    if (domain->empty()) return Assigned::empty;
    std::size_t rank = 0;
    if (space_.axes[axis].derived != nullptr) {
      assignment_.values[axis] = domain->front();
    } else {
      rank = static_cast<std::size_t>(std::find(domain->begin(), domain->end(), assignment_.values[axis]) - domain->begin());
      if (rank == domain->size()) return Assigned::empty;
    }
    known |= axis_bit(axis);
    if (ranked_) ranks.push_back(static_cast<std::uint32_t>(rank));
  }
  return Assigned::good;
}

std::uint32_t Prefixes::code_of(std::size_t level, double value) {
  Codes& codes = codes_[level];
  if (codes.known) return static_cast<std::uint32_t>(std::lower_bound(codes.values.begin(), codes.values.end(), value) - codes.values.begin());
  const auto [found, fresh] = codes.index.try_emplace(value, static_cast<std::uint32_t>(codes.values.size()));
  if (fresh) codes.values.push_back(value);
  return found->second;
}

const Prefixes::Choices* Prefixes::work_out(std::size_t level, std::uint32_t number, const std::uint32_t* path, Diagnostics& diagnostics) {
  const Plan::Level& of = plan_.levels()[level];
  assignment_.values = values_;
  AxisSet before = known_ | fixed_;
  for (const std::size_t read : of.reads) {
    const std::size_t axis = plan_.levels()[read].axis;
    assignment_.values[axis] = value(read, path[read]);
    before |= axis_bit(axis);
  }
  auto out = std::make_unique<Choices>();
  const Assigned derived = assignment_.derive(before, diagnostics);
  if (derived == Assigned::error) return nullptr;
  const std::vector<double>* const domain = derived == Assigned::good ? assignment_.domain(of.axis, diagnostics) : nullptr;
  if (domain == nullptr && derived == Assigned::good) return nullptr;
  for (std::size_t i = 0; domain != nullptr && i < domain->size(); ++i) {
    assignment_.values[of.axis] = (*domain)[i];
    AxisSet known = before | axis_bit(of.axis);
    if (!assignment_.admits(of.axis, known)) continue;
    std::vector<std::uint32_t> ranks;
    if (ranked_) ranks.push_back(static_cast<std::uint32_t>(i));
    const Assigned followed = follow(of.follow, known, ranks, diagnostics);
    if (followed == Assigned::error) return nullptr;
    if (followed == Assigned::empty) continue;
    out->codes.push_back(code_of(level, (*domain)[i]));
    out->values.push_back((*domain)[i]);
    out->ranks.insert(out->ranks.end(), ranks.begin(), ranks.end());
  }
  auto& all = choices_[level];
  if (all.size() <= number) all.resize(number + 1);
  all[number] = std::move(out);
  return all[number].get();
}

std::uint64_t Prefixes::behind(int level, std::uint32_t* path, Diagnostics& diagnostics) {
  const auto next = static_cast<std::size_t>(level + 1);
  if (next == codes_.size()) return 1;
  std::uint32_t number = 0;
  if (level >= 0) {
    number = counted_[level].number(path);
    auto& counts = counts_[level];
    if (counts.size() <= number) counts.resize(number + 1);
    if (counts[number] > 0) return counts[number] - 1;
  }
  const Choices* const choices = this->choices(next, keys_[next].number(path), path, diagnostics);
  std::uint64_t out = 0;
  const bool alike = choices != nullptr && std::find(counted_[next].levels().begin(), counted_[next].levels().end(), next) == counted_[next].levels().end();
  for (std::size_t c = 0; choices != nullptr && c < choices->codes.size(); ++c) {
    path[next] = choices->codes[c];
    out += behind(static_cast<int>(next), path, diagnostics) * (alike ? choices->codes.size() : 1);
    if (alike) break;
  }
  if (level >= 0) counts_[level][number] = out + 1;
  return out;
}

}  // namespace opledger
