#include "search/space/candidate_ranges.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/lists.h"
#include "formulas/evaluate/evaluator.h"
#include "formulas/formula_text.h"
#include "formulas/link/types.h"

namespace opledger {
namespace {

void add_inputs(const Formula& formula, std::vector<const Name*>& out) {
  if (formula.kind == Formula::Kind::name && formula.name != nullptr && formula.name->input && !contains(out, formula.name)) out.push_back(formula.name);
  for (const Formula* part : formula.args) {
    if (part != nullptr) add_inputs(*part, out);
  }
}

constexpr std::uint64_t kMaxTotalSteps = 1'000'000;  // limit of computed domains for a total; beyond it the total is unknown

}  // namespace

CandidateRanges::CandidateRanges(Space& space) : space_(space), values_(space.axes.size()), domains_(space), counter_(space, domains_) {
  for (std::size_t a = 0; a < space.axes.size(); ++a) values_[a] = any_value(space.axes[a]);
}

bool CandidateRanges::descend(Diagnostics& diagnostics) {
  const std::vector<double>* domain = domains_.of(levels_.size(), values_, diagnostics);
  if (domain == nullptr) return false;
  levels_.push_back({*domain, 0});
  return true;
}

std::optional<std::uint64_t> CandidateRanges::count_with(double value, std::uint64_t most, Diagnostics& diagnostics) {
  const std::size_t axis = levels_.size() - 1;
  values_[axis] = value;
  return counter_.count(axis + 1, values_, most, diagnostics);
}

CandidateRange CandidateRanges::cut(std::size_t from, std::size_t to, std::uint64_t candidates) {
  // The known axes are the axes before the last level's axis: the bits below its own. A single value fixes the axis
  // too. A proper subset of its domain becomes a slice.
  const Level& last = levels_.back();
  const std::size_t axis = levels_.size() - 1;
  CandidateRange out{produced_++, axis_bit(axis) - 1, values_, axis, {}, candidates};
  if (to - from == 1) {
    out.values[axis] = last.domain[from];
    out.known |= axis_bit(axis);
  } else if (from > 0 || to < last.domain.size()) {
    out.slice.emplace(last.domain.begin() + static_cast<std::ptrdiff_t>(from), last.domain.begin() + static_cast<std::ptrdiff_t>(to));
  }
  return out;
}

std::optional<CandidateRange> CandidateRanges::next(Diagnostics& diagnostics) {
  // Cuts the space into ranges of at most `most_` candidates, in order, by a depth-first walk over the axes, outermost
  // first. `levels_` is the stack of the walk: for each level the domain of one axis and the next value. Consecutive
  // values of the last level are packed greedily into one range while their candidates stay within the limit. A value
  // that exceeds the limit alone is refined: the walk descends to the next axis. Ranges never split on axis `whole_` or
  // a later axis, because an axis that stops early needs all its candidates in one range. Such a value becomes a range
  // of its own, above the limit.
  //
  // The counter is exact up to the limit of a count and may return any larger number beyond. An indivisible value is
  // therefore counted without a limit. Values without candidates join the range of a neighbor or are left out.
  if (!started_) {
    started_ = true;
    if (space_.axes.empty()) return CandidateRange{produced_++, 0, values_, 0, {}, 1};
    if (!descend(diagnostics)) return std::nullopt;
    if (whole_ == 0) most_ = kMaxCandidates;
  }
  while (!levels_.empty()) {
    Level& last = levels_.back();
    const bool divisible = levels_.size() < whole_;
    const std::size_t from = last.at;
    std::uint64_t sum = 0;
    bool deeper = false;
    for (; last.at < last.domain.size(); ++last.at) {
      const std::optional<std::uint64_t> more = count_with(last.domain[last.at], divisible || sum > 0 ? most_ : kMaxCandidates, diagnostics);
      if (!more) return std::nullopt;
      if (!divisible && sum == 0 && *more > most_) {
        ++last.at;
        return cut(from, last.at, *more);
      }
      if (*more > most_ - sum) {
        deeper = *more > most_ && sum == 0;
        break;
      }
      sum += *more;
    }
    if (sum > 0) return cut(from, last.at, sum);
    if (deeper) {
      ++last.at;  // `values_` keeps the value that the next level refines
      if (!descend(diagnostics)) return std::nullopt;
    } else {
      levels_.pop_back();
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> CandidateRanges::total(Diagnostics& diagnostics) {
  std::vector<double> values = values_;
  counter_.max_steps = counter_.steps() + kMaxTotalSteps;
  const std::optional<std::uint64_t> all = counter_.count(0, values, kMaxCandidates, diagnostics);
  const bool known = counter_.steps() <= counter_.max_steps;
  counter_.max_steps = ~std::uint64_t{0};  // later counts cut ranges and must be exact
  if (all && *all > kMaxCandidates) {
    diagnostics.error({}, "the space has more than 2^63 candidates");
    return std::nullopt;
  }
  return all && !known ? std::optional<std::uint64_t>(0) : all;
}

/// Returns the reason for which the condition `where` of an axis refuses a value, such as `it does not hold with 16:
/// batch_size = 7, ep = 1`. The text has the refused value, then each other input that the condition reads. `values`
/// has one value per axis, the refused value included. Inputs that are no axes get their value from the evaluator.
std::string CandidateRanges::why_refused(const SpaceAxis& axis, const std::vector<double>& values) const {
  Evaluator evaluator(space_.run->program());
  std::vector<const Name*> inputs;
  add_inputs(*axis.where, inputs);
  std::string others;
  for (const Name* input : inputs) {
    const auto found = std::find_if(space_.axes.begin(), space_.axes.end(), [&](const SpaceAxis& other) { return other.input == input; });
    const bool is_axis = found != space_.axes.end();
    const Value value =
        is_axis ? input_value(space_.run->program(), input->type, values[static_cast<std::size_t>(found - space_.axes.begin())]) : evaluator.ask(*input).value;
    if (is_axis && &*found == &axis) continue;
    others += fmt::format("{}{} = {}", others.empty() ? ": " : ", ", input->name, human(value));
  }
  const auto at = static_cast<std::size_t>(&axis - space_.axes.data());
  return fmt::format("it does not hold with {}{}", human(input_value(space_.run->program(), axis.input->type, values[at])), others);
}

/// Called after the walk, when no candidate was found. The first axis whose domain was empty in every case is the
/// cause. The error has a note with an example if the condition `where` of the axis refused its values. Without such an
/// axis, emptiness comes from several axes together.
void CandidateRanges::report_why_empty(Diagnostics& diagnostics) const {
  for (std::size_t a = 0; a < space_.axes.size(); ++a) {
    if (!domains_.always_empty(a)) continue;
    const SpaceAxis& axis = space_.axes[a];
    const std::vector<double>* refused = domains_.first_refused(a);
    Diagnostic& error =
        diagnostics.error(axis.span, fmt::format("axis `{}` has no value{}", axis.input->name, refused != nullptr ? ": its `where` leaves none" : ""));
    if (refused != nullptr) error.note(span_of(*axis.where), why_refused(axis, *refused));
    return;
  }
  diagnostics.error({}, "the space has no candidate: wherever one axis has values, another has none");
}

}  // namespace opledger
