#include "search/sweep/prefixes.h"

#include <algorithm>

namespace opledger {
namespace {

constexpr std::size_t kMaxDirect = 1 << 14;  // largest dense array of numbers

}  // namespace

/// Numbers are direct, as in a dense array with strides, under two conditions: every level has a known number of codes,
/// and the array has at most kMaxDirect entries. Otherwise `number` uses a map.
CodeKey::CodeKey(std::vector<std::size_t> levels, const std::vector<std::size_t>& sizes) : levels_(std::move(levels)) {
  std::size_t all = 1;
  for (const std::size_t level : levels_) {
    strides_.push_back(static_cast<std::uint32_t>(all));
    all *= sizes[level];
    direct_ = direct_ && all > 0 && all <= kMaxDirect;
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

/// Prepares codes and memo keys of all levels. Values of an axis that are known in advance get their index as code.
/// Other codes are assigned at the first occurrence of a value, so their number is unknown (size 0) and keys over them
/// use a map.
Prefixes::Prefixes(const Space& space, const PartitionGroup& group, Assignment& assignment, bool ranked)
    : space_(space),
      group_(group),
      plan_(group.plan->get()),
      variants_(group.variants),
      assignment_(assignment),
      ranked_(ranked),
      last_(plan_.levels().empty() ? plan_.kinds() : plan_.levels().back().kinds),
      ones_(last_.representatives.size(), 1) {
  std::vector<std::size_t> sizes;
  for (const Plan::Level& level : plan_.levels()) {
    Codes& codes = codes_.emplace_back();
    if (level.all != nullptr) codes.values = *level.all;
    codes.known = level.all != nullptr;
    sizes.push_back(codes.values.size());
    all_.push_back(codes.values);
  }
  for (const Plan::Level& level : plan_.levels()) {
    choice_keys_.emplace_back(level.domain_levels, sizes);
    size_keys_.emplace_back(level.size_levels, sizes);
  }
  choices_.resize(codes_.size());
  subtree_sizes_.resize(codes_.size());
}

/// Assigns the axes that are known before any level, once for each kind of variants: variants of a kind have equal
/// fixed values, so the first of them represents the kind. A kind without a value for an axis has no candidates.
std::optional<VariantSet> Prefixes::begin(Diagnostics& diagnostics) {
  VariantSet out = 0;
  const VariantKinds& kinds = plan_.kinds();
  ranks_.resize(kinds.representatives.size());
  for (std::size_t kind = 0; kind < kinds.representatives.size(); ++kind) {
    assignment_.values = variants_[kinds.representatives[kind]].values;
    AxisSet known = group_.fixed;
    const AssignmentStatus derived = assignment_.derive(known, diagnostics);
    const AssignmentStatus all = derived == AssignmentStatus::good ? assign_dependents(plan_.dependents(), known, ranks_[kind], diagnostics) : derived;
    if (all == AssignmentStatus::error) return std::nullopt;
    if (all == AssignmentStatus::good) out |= kinds.members[kind];
  }
  return out;
}

/// Assigns the dependents of a level, axes with a single value, in order. A derived axis gets its value from its
/// domain. A fixed axis has its value already, and its domain must admit the value: domains depend on the values chosen
/// so far. Assigned axes are added to `known`. `ranks` receives the position of each value in its domain, if rows are
/// sorted (`ranked_`). Returns `empty` if a domain is empty or does not admit the fixed value; `error`, with
/// diagnostics, if a domain can't be evaluated.
AssignmentStatus Prefixes::assign_dependents(const std::vector<std::size_t>& axes, AxisSet& known, std::vector<std::uint32_t>& ranks,
                                             Diagnostics& diagnostics) {
  for (const std::size_t axis : axes) {
    const std::vector<double>* const domain = assignment_.domain(axis, diagnostics);
    if (domain == nullptr) return AssignmentStatus::error;
    if (domain->empty()) return AssignmentStatus::empty;
    std::size_t rank = 0;
    if (space_.axes[axis].derived != nullptr) {
      assignment_.values[axis] = domain->front();
    } else {
      rank = static_cast<std::size_t>(std::find(domain->begin(), domain->end(), assignment_.values[axis]) - domain->begin());
      if (rank == domain->size()) return AssignmentStatus::empty;
    }
    known |= axis_bit(axis);
    if (ranked_) ranks.push_back(static_cast<std::uint32_t>(rank));
  }
  return AssignmentStatus::good;
}

/// Returns the code of a value: its index among the values of the axis; if these are unknown, codes count first
/// occurrences.
std::uint32_t Prefixes::code_of(std::size_t level, double value) {
  Codes& codes = codes_[level];
  if (codes.known) return static_cast<std::uint32_t>(std::lower_bound(codes.values.begin(), codes.values.end(), value) - codes.values.begin());
  const auto [found, fresh] = codes.index.try_emplace(value, static_cast<std::uint32_t>(codes.values.size()));
  if (fresh) codes.values.push_back(value);
  return found->second;
}

/// Computes and memoizes the children of a prefix (a choice of values for the levels before `level`): the values of the
/// level's axis, each with the variants that have it. The domain is the same for all variants, but dependents (axes
/// whose single value follows) may refuse a value for some kinds of variants only. A value without any variant is
/// dropped. `number` is the prefix's number in the memo, `path` the codes of its levels; a code is the number of a
/// value on its level. Ranks are copied by value, then kind, with `width` entries each. Returns null, with errors, if a
/// domain can't be evaluated.
const Prefixes::Choices* Prefixes::compute_choices(std::size_t level, std::uint32_t number, const std::uint32_t* path, Diagnostics& diagnostics) {
  const std::size_t kinds = plan_.levels()[level].kinds.representatives.size(), width = ranked_ ? 1 + plan_.levels()[level].dependents.size() : 0;
  Choices all_choices;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    if (!add_choices(level, kind, path, all_choices, diagnostics)) return nullptr;
  }
  auto out = std::make_unique<Choices>();
  for (std::size_t i = 0; i < all_choices.variants.size(); ++i) {
    if (all_choices.variants[i] == 0) continue;
    out->codes.push_back(code_of(level, all_choices.values[i]));
    out->values.push_back(all_choices.values[i]);
    out->variants.push_back(all_choices.variants[i]);
    const auto ranks = all_choices.ranks.begin() + static_cast<std::ptrdiff_t>(i * kinds * width);
    out->ranks.insert(out->ranks.end(), ranks, ranks + static_cast<std::ptrdiff_t>(kinds * width));
  }
  auto& all = choices_[level];
  if (all.size() <= number) all.resize(number + 1);
  all[number] = std::move(out);
  return all[number].get();
}

/// Adds the choices of one kind of variants to `out`, which has one entry for each value of the domain; codes are
/// assigned later. The axes of the prefix that matter (`domain_levels`) get their values from `path`, the fixed axes
/// from a variant of the kind. A value belongs to the kind if the region admits it and every dependent has a value. The
/// region is the region of the first variant, so its filters are evaluated with the fixed values of the first variant.
/// Ranks are positions in domains: of the value, then of each dependent. Returns false, with errors, if a domain can't
/// be evaluated.
bool Prefixes::add_choices(std::size_t level, std::size_t kind, const std::uint32_t* path, Choices& out, Diagnostics& diagnostics) {
  const Plan::Level& own_level = plan_.levels()[level];
  assignment_.values = variants_[own_level.kinds.representatives[kind]].values;
  std::vector<double> of_first = variants_[0].values;  // values for the region, owned by the first variant
  AxisSet before = group_.fixed;
  for (const std::size_t read : own_level.domain_levels) {
    const std::size_t axis = plan_.levels()[read].axis;
    of_first[axis] = assignment_.values[axis] = value(read, path[read]);
    before |= axis_bit(axis);
  }
  const AxisSet assigned = before | axis_bit(own_level.axis);  // excludes derived axes: regions do not filter them
  const AssignmentStatus derived = assignment_.derive(before, diagnostics);
  if (derived != AssignmentStatus::good) return derived == AssignmentStatus::empty;
  const std::vector<double>* const domain = assignment_.domain(own_level.axis, diagnostics);
  if (domain == nullptr) return false;
  const std::size_t width = ranked_ ? 1 + own_level.dependents.size() : 0, kinds = own_level.kinds.representatives.size();
  out.values = *domain;
  out.variants.resize(domain->size());
  out.ranks.resize(domain->size() * kinds * width);
  std::vector<std::uint32_t> ranks;
  for (std::size_t i = 0; i < domain->size(); ++i) {
    of_first[own_level.axis] = assignment_.values[own_level.axis] = out.values[i];
    if (!group_.region.admits(own_level.axis, assigned, of_first)) continue;
    AxisSet known = before | axis_bit(own_level.axis);
    ranks.assign(ranked_ ? 1 : 0, static_cast<std::uint32_t>(i));
    const AssignmentStatus followed = assign_dependents(own_level.dependents, known, ranks, diagnostics);
    if (followed == AssignmentStatus::error) return false;
    if (followed == AssignmentStatus::empty) continue;
    out.variants[i] |= own_level.kinds.members[kind];
    std::copy(ranks.begin(), ranks.end(), out.ranks.begin() + static_cast<std::ptrdiff_t>((i * kinds + kind) * width));
  }
  return true;
}

/// Returns the number of candidates below a prefix, one number per kind of variants of the last level. `level` is the
/// last level of the prefix, -1 for the root; `path` has its codes and is overwritten after `level`. The sizes follow
/// by dynamic programming: the sum over the children that a kind has, memoized by the levels that decide it
/// (`size_keys_`). A leaf counts one candidate. If the value of the next level decides nothing deeper and all children
/// have the same variants, one child is counted and multiplied. An error in a domain gives wrong sizes, which callers
/// discard because of the error.
const std::uint64_t* Prefixes::subtree_sizes(int level, std::uint32_t* path, Diagnostics& diagnostics) {
  const auto next = static_cast<std::size_t>(level + 1);
  if (next == codes_.size()) return ones_.data();
  std::uint32_t number = 0;
  if (level >= 0) {
    number = size_keys_[level].number(path);
    auto& known = subtree_sizes_[level];
    if (known.size() <= number) known.resize(number + 1);
    if (!known[number].empty()) return known[number].data();
  }
  std::vector<std::uint64_t> out(ones_.size());
  const Choices* const choices = this->choices(next, choice_keys_[next].number(path), path, diagnostics);
  const std::size_t count = choices != nullptr ? choices->codes.size() : 0;
  const auto& decide = size_keys_[next].levels();
  const bool equal_subtrees = count > 0 && std::find(decide.begin(), decide.end(), next) == decide.end() &&
                              std::equal(choices->variants.begin() + 1, choices->variants.end(), choices->variants.begin());
  for (std::size_t c = 0; c < (equal_subtrees ? 1 : count); ++c) {
    path[next] = choices->codes[c];
    const std::uint64_t* const sizes = subtree_sizes(static_cast<int>(next), path, diagnostics);
    for (std::size_t kind = 0; kind < out.size(); ++kind) {
      if ((choices->variants[c] & last_.members[kind]) != 0) out[kind] += sizes[kind] * (equal_subtrees ? count : 1);
    }
  }
  std::vector<std::uint64_t>& memo = level >= 0 ? subtree_sizes_[level][number] : root_sizes_;
  memo = std::move(out);
  return memo.data();
}

}  // namespace opledger
