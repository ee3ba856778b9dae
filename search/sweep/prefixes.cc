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

Prefixes::Prefixes(const Space& space, const Part& part, Assignment& assignment, bool ranked)
    : space_(space),
      part_(part),
      plan_(part.plan->get()),
      siblings_(part.siblings),
      assignment_(assignment),
      ranked_(ranked),
      last_(plan_.levels().empty() ? plan_.kinds() : plan_.levels().back().kinds),
      ones_(last_.first.size(), 1) {
  std::vector<std::size_t> sizes;
  for (const Plan::Level& level : plan_.levels()) {
    Codes& codes = codes_.emplace_back();
    if (level.all != nullptr) codes.values = *level.all;
    codes.known = level.all != nullptr;
    sizes.push_back(codes.values.size());
    all_.push_back(codes.values);
  }
  for (const Plan::Level& level : plan_.levels()) {
    keys_.emplace_back(level.reads, sizes);
    counted_.emplace_back(level.decide, sizes);
  }
  choices_.resize(codes_.size());
  counts_.resize(codes_.size());
}

std::optional<SiblingSet> Prefixes::begin(Diagnostics& diagnostics) {
  SiblingSet out = 0;
  const SiblingKinds& kinds = plan_.kinds();
  ranks_.resize(kinds.first.size());
  for (std::size_t kind = 0; kind < kinds.first.size(); ++kind) {
    assignment_.values = siblings_[kinds.first[kind]].values;
    AxisSet known = part_.fixed;
    const Assigned derived = assignment_.derive(known, diagnostics);
    const Assigned all = derived == Assigned::good ? follow(plan_.follow(), known, ranks_[kind], diagnostics) : derived;
    if (all == Assigned::error) return std::nullopt;
    if (all == Assigned::good) out |= kinds.members[kind];
  }
  return out;
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
  const std::size_t kinds = plan_.levels()[level].kinds.first.size(), width = ranked_ ? 1 + plan_.levels()[level].follow.size() : 0;
  Choices of_all;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    if (!add_choices(level, kind, path, of_all, diagnostics)) return nullptr;
  }
  auto out = std::make_unique<Choices>();
  for (std::size_t i = 0; i < of_all.siblings.size(); ++i) {
    if (of_all.siblings[i] == 0) continue;
    out->codes.push_back(code_of(level, of_all.values[i]));
    out->values.push_back(of_all.values[i]);
    out->siblings.push_back(of_all.siblings[i]);
    const auto ranks = of_all.ranks.begin() + static_cast<std::ptrdiff_t>(i * kinds * width);
    out->ranks.insert(out->ranks.end(), ranks, ranks + static_cast<std::ptrdiff_t>(kinds * width));
  }
  auto& all = choices_[level];
  if (all.size() <= number) all.resize(number + 1);
  all[number] = std::move(out);
  return all[number].get();
}

/// Those of a kind; `out` has an entry for each value of the domain, which is the same for all kinds. Codes are not given yet.
bool Prefixes::add_choices(std::size_t level, std::size_t kind, const std::uint32_t* path, Choices& out, Diagnostics& diagnostics) {
  const Plan::Level& of = plan_.levels()[level];
  assignment_.values = siblings_[of.kinds.first[kind]].values;
  std::vector<double> of_first = siblings_[0].values;  // whose region it is
  AxisSet before = part_.fixed;
  for (const std::size_t read : of.reads) {
    const std::size_t axis = plan_.levels()[read].axis;
    of_first[axis] = assignment_.values[axis] = value(read, path[read]);
    before |= axis_bit(axis);
  }
  const AxisSet given = before | axis_bit(of.axis);  // without derived axes, which no region filters
  const Assigned derived = assignment_.derive(before, diagnostics);
  if (derived != Assigned::good) return derived == Assigned::empty;
  const std::vector<double>* const domain = assignment_.domain(of.axis, diagnostics);
  if (domain == nullptr) return false;
  const std::size_t width = ranked_ ? 1 + of.follow.size() : 0, kinds = of.kinds.first.size();
  out.values = *domain;
  out.siblings.resize(domain->size());
  out.ranks.resize(domain->size() * kinds * width);
  std::vector<std::uint32_t> ranks;
  for (std::size_t i = 0; i < domain->size(); ++i) {
    of_first[of.axis] = assignment_.values[of.axis] = out.values[i];
    if (!part_.region.admits(of.axis, given, of_first)) continue;
    AxisSet known = before | axis_bit(of.axis);
    ranks.assign(ranked_ ? 1 : 0, static_cast<std::uint32_t>(i));
    const Assigned followed = follow(of.follow, known, ranks, diagnostics);
    if (followed == Assigned::error) return false;
    if (followed == Assigned::empty) continue;
    out.siblings[i] |= of.kinds.members[kind];
    std::copy(ranks.begin(), ranks.end(), out.ranks.begin() + static_cast<std::ptrdiff_t>((i * kinds + kind) * width));
  }
  return true;
}

/// By kind of the last level.
const std::uint64_t* Prefixes::counts(int level, std::uint32_t* path, Diagnostics& diagnostics) {
  const auto next = static_cast<std::size_t>(level + 1);
  if (next == codes_.size()) return ones_.data();
  std::uint32_t number = 0;
  if (level >= 0) {
    number = counted_[level].number(path);
    auto& known = counts_[level];
    if (known.size() <= number) known.resize(number + 1);
    if (!known[number].empty()) return known[number].data();
  }
  std::vector<std::uint64_t> out(ones_.size());
  const Choices* const choices = this->choices(next, keys_[next].number(path), path, diagnostics);
  const std::size_t count = choices != nullptr ? choices->codes.size() : 0;
  const auto& decide = counted_[next].levels();
  const bool alike = count > 0 && std::find(decide.begin(), decide.end(), next) == decide.end() &&
                     std::equal(choices->siblings.begin() + 1, choices->siblings.end(), choices->siblings.begin());
  for (std::size_t c = 0; c < (alike ? 1 : count); ++c) {
    path[next] = choices->codes[c];
    const std::uint64_t* const behind = counts(static_cast<int>(next), path, diagnostics);
    for (std::size_t kind = 0; kind < out.size(); ++kind) {
      if ((choices->siblings[c] & last_.members[kind]) != 0) out[kind] += behind[kind] * (alike ? count : 1);
    }
  }
  std::vector<std::uint64_t>& kept = level >= 0 ? counts_[level][number] : all_counts_;
  kept = std::move(out);
  return kept.data();
}

}  // namespace opledger
