#include "search/symmetry.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "run/compiled_program.h"
#include "search/space/domains.h"
#include "search/space/free_axes.h"
#include "search/sweep/columns.h"

namespace opledger {
namespace {

constexpr int kMaxPairs = 500, kTrials = 5000;  // limits of each axis: compared pairs, attempts to draw a pair
constexpr std::size_t kMaxPrograms = 16;        // limit of all axes together, because compilation dominates the time
constexpr double kTolerance = 1e-9;

/// Returns whether two values agree up to a relative 1e-9; words and truths must be equal.
bool about_equal(const Value& a, const Value& b) {
  if (a.kind != b.kind) return false;
  if (!a.is_number()) return a.kind == Value::Kind::nothing || a.scalar.value == b.scalar.value;
  const double x = a.scalar.value, y = b.scalar.value;
  return std::fabs(x - y) <= kTolerance * std::max(std::fabs(x), std::fabs(y));
}

/// A randomized test of symmetries. Each trial draws a pair of candidates that differ in one axis: the kept value, and
/// a value that the symmetry drops. Both must be feasible with equal metrics, or both refused. Every reported difference
/// is real, but rare differences can be missed.
class SymmetryChecker {
 public:
  SymmetryChecker(Space& space, const std::vector<std::string>& metrics, Diagnostics& diagnostics)
      : space_(space), diagnostics_(diagnostics), domains_(space), free_(space), programs_(*space.run, query(space, metrics)), metrics_(metrics) {}

  /// Tests one axis. Half of the trials choose the other axes for the kept value, half for the dropped value.
  bool check(std::size_t axis) {
    for (int trial = 0, pairs = 0; trial < kTrials && pairs < kMaxPairs && programs_.size() < kMaxPrograms; ++trial) {
      std::optional<Pair> pair = choose(axis, trial % 2 == 1);
      if (!pair) continue;
      ++pairs;
      if (!transfer(axis, *pair) || !compare(axis, *pair)) return false;
    }
    return !diagnostics_.has_errors();
  }

 private:
  struct Outcome {
    std::string reason;  ///< Reason of refusal; empty if feasible.
    std::vector<Value> metrics;
  };

  static Query query(const Space& space, const std::vector<std::string>& metrics) {
    Query out = query_of(space);
    out.outputs = metrics;
    out.constraints = true;
    return out;
  }

  /// Two candidates that differ in the tested axis, and in axes derived from it. `kept` has the first value of the
  /// axis, `dropped` a value that the symmetry leaves out.
  struct Pair {
    std::vector<double> kept, dropped;
    bool chosen_from_dropped = false;  ///< Later axes were drawn for `dropped` and copied to `kept`; else the reverse.
  };

  /// Draws a pair by a random walk: axes get values in order, each drawn uniformly from its domain. A domain may depend
  /// on the values before. At the tested axis the walk notes two values: the first of the domain, which the search
  /// keeps, and a random value that the symmetry drops. The walk continues with one of the two, by
  /// `chosen_from_dropped`. Both candidates then receive the values of the walk, except at the tested axis. Returns
  /// nothing if the walk meets an empty domain or the axis drops no value.
  std::optional<Pair> choose(std::size_t axis, bool chosen_from_dropped) {
    Pair out{std::vector<double>(space_.axes.size()), {}, chosen_from_dropped};
    std::vector<double>& values = out.kept;
    double first = 0, other = 0;
    for (std::size_t a = 0; a < values.size(); ++a) {
      const std::vector<double>* const domain = domains_.of(a, values, diagnostics_);
      if (domain == nullptr || domain->empty()) return std::nullopt;
      values[a] = (*domain)[random_() % domain->size()];
      if (a != axis) continue;
      const std::vector<double>& dropped_values = *domains_.symmetric_values(a, values, diagnostics_);
      if (dropped_values.empty()) return std::nullopt;
      first = domain->front();
      other = dropped_values[random_() % dropped_values.size()];
      values[a] = chosen_from_dropped ? other : first;
    }
    out.dropped = values;
    out.kept[axis] = first;
    out.dropped[axis] = other;
    return out;
  }

  /// Checks that the copied values make a candidate as well. The axes after the tested axis were drawn for one
  /// candidate of the pair; the domains of the other candidate must contain the same values, or drop them by a symmetry
  /// of their own. Derived axes follow from other axes and are computed anew. Reports an error and returns false
  /// otherwise.
  bool transfer(std::size_t axis, Pair& pair) {
    std::vector<double>& values = pair.chosen_from_dropped ? pair.kept : pair.dropped;
    for (std::size_t a = axis + 1; a < values.size(); ++a) {
      const std::vector<double>* const domain = domains_.of(a, values, diagnostics_);
      if (domain == nullptr) return false;
      if (space_.axes[a].derived != nullptr && !domain->empty()) values[a] = domain->front();
      if (contains(*domain, values[a])) continue;
      const std::vector<double>& dropped_values = *domains_.symmetric_values(a, values, diagnostics_);
      if (contains(dropped_values, values[a])) continue;
      return report(axis, pair,
                    fmt::format("with {} `{}` can't be {}, with {} it can", text(axis, values[axis]), space_.axes[a].input->name, text(a, values[a]),
                                text(axis, (pair.chosen_from_dropped ? pair.dropped : pair.kept)[axis])));
    }
    return true;
  }

  /// Compares a pair and reports the first difference: only one candidate is feasible, or metrics differ. Two refused
  /// candidates are equal, because the search counts neither, whatever the first reason is.
  bool compare(std::size_t axis, const Pair& pair) {
    const Outcome kept = evaluate(pair.kept), dropped = evaluate(pair.dropped);
    if (!kept.reason.empty() && !dropped.reason.empty()) return true;
    if (kept.reason != dropped.reason) return report(axis, pair, fmt::format("one is {}, the other {}", verdict(kept.reason), verdict(dropped.reason)));
    for (std::size_t m = 0; m < kept.metrics.size() && m < dropped.metrics.size(); ++m) {
      if (about_equal(kept.metrics[m], dropped.metrics[m])) continue;
      return report(axis, pair, fmt::format("`{}` is {} and {}", metrics_[m], human(kept.metrics[m]), human(dropped.metrics[m])));
    }
    return true;
  }

  Outcome evaluate(const std::vector<double>& values) {
    Diagnostics ignored;
    const std::vector<double> candidate = free_.of(values);
    const CompiledProgram* const program = programs_.find(candidate, ignored);
    if (program == nullptr) return {ignored.all().empty() ? "can't be built" : ignored.all()[0].message, {}};
    CompiledProgram::Result answer = program->evaluate(candidate);
    return {std::move(answer.reason), std::move(answer.outputs)};
  }

  static std::string verdict(const std::string& reason) { return reason.empty() ? "feasible" : fmt::format("refused ({})", reason); }

  std::string text(std::size_t axis, double value) const { return human(input_value(space_.run->program(), space_.axes[axis].input->type, value)); }

  /// Reports a broken symmetry with both candidates. Always returns false.
  bool report(std::size_t axis, const Pair& pair, const std::string& difference) {
    std::string others;
    for (std::size_t a = 0; a < pair.kept.size(); ++a) {
      if (a == axis || space_.axes[a].derived != nullptr || pair.kept[a] != pair.dropped[a]) continue;
      others += fmt::format("{}{}={}", others.empty() ? "" : " ", space_.axes[a].input->name, text(a, pair.kept[a]));
    }
    diagnostics_.error(space_.axes[axis].symmetry->source->span,
                       fmt::format("`{}`: `symmetry` says that {} and {} cost the same, but {}, where {}", space_.axes[axis].input->name,
                                   text(axis, pair.kept[axis]), text(axis, pair.dropped[axis]), difference, others));
    return false;
  }

  Space& space_;
  Diagnostics& diagnostics_;
  Domains domains_;
  const FreeAxes free_;
  ProgramCache programs_;
  const std::vector<std::string>& metrics_;
  std::mt19937_64 random_;  ///< Default seed, so every run draws the same pairs.
};

}  // namespace

bool check_symmetries(Space& space, const std::vector<std::string>& metrics, Diagnostics& diagnostics) {
  SymmetryChecker checker(space, metrics, diagnostics);
  for (std::size_t axis = 0; axis < space.axes.size(); ++axis) {
    if (space.axes[axis].symmetry != nullptr && !checker.check(axis)) return false;
  }
  return true;
}

}  // namespace opledger
