#include "search/symmetry.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "run/structure.h"
#include "search/columns.h"
#include "search/domains.h"

namespace opledger {
namespace {

constexpr int kPairs = 8, kWalks = 64;  // for each axis: candidates compared, and tried to be found
constexpr double kTolerance = 1e-9;

bool alike(const Value& a, const Value& b) {
  if (a.kind != b.kind) return false;
  if (!a.is_number()) return a.kind == Value::Kind::nothing || a.scalar.value == b.scalar.value;
  const double x = a.scalar.value, y = b.scalar.value;
  return std::fabs(x - y) <= kTolerance * std::max(std::fabs(x), std::fabs(y));
}

class Checker {
 public:
  Checker(Space& space, const std::vector<std::string>& metrics, Diagnostics& diagnostics)
      : space_(space), diagnostics_(diagnostics), domains_(space), structures_(*space.run, question(space, metrics)), metrics_(metrics) {}

  bool check(std::size_t axis) {
    for (int walk = 0, pairs = 0; walk < kWalks && pairs < kPairs; ++walk) {
      std::vector<double> kept(space_.axes.size()), left;
      if (!choose(axis, kept, left)) continue;
      ++pairs;
      if (!follow(axis, kept, left) || !compare(axis, kept, left)) return false;
    }
    return !diagnostics_.failed();
  }

 private:
  struct Outcome {
    std::string reason;  ///< Why it is refused; empty: it is not.
    std::vector<Value> metrics;
  };

  static Question question(const Space& space, const std::vector<std::string>& metrics) {
    Question out = question_of(space);
    out.outputs = metrics;
    out.constraints = true;
    return out;
  }

  /// A random candidate with the first value of the axis, and that with another one, which the axis leaves out. False: it leaves none out, or there is none.
  bool choose(std::size_t axis, std::vector<double>& kept, std::vector<double>& left) {
    double other = 0;
    for (std::size_t a = 0; a < kept.size(); ++a) {
      const std::vector<double>* const domain = domains_.of(a, kept, diagnostics_);
      if (domain == nullptr || domain->empty()) return false;
      if (a == axis) {
        const std::vector<double>& out = *domains_.alike(a, kept, diagnostics_);
        if (out.empty()) return false;
        other = out[random_() % out.size()];
      }
      kept[a] = (*domain)[a == axis ? 0 : random_() % domain->size()];
    }
    left = kept;
    left[axis] = other;
    return true;
  }

  /// Derived axes follow; what others have must be among their values.
  bool follow(std::size_t axis, const std::vector<double>& kept, std::vector<double>& left) {
    for (std::size_t a = axis + 1; a < left.size(); ++a) {
      const std::vector<double>* const domain = domains_.of(a, left, diagnostics_);
      if (domain == nullptr) return false;
      if (space_.axes[a].derived != nullptr && !domain->empty()) left[a] = domain->front();
      if (std::find(domain->begin(), domain->end(), left[a]) != domain->end()) continue;
      const std::vector<double>& left_out = *domains_.alike(a, left, diagnostics_);
      if (std::find(left_out.begin(), left_out.end(), left[a]) != left_out.end()) continue;
      return complain(axis, kept, left, fmt::format("`{}` can't be {} then", space_.axes[a].input->name, text(a, left[a])));
    }
    return true;
  }

  bool compare(std::size_t axis, const std::vector<double>& kept, const std::vector<double>& left) {
    const Outcome one = evaluate(kept), other = evaluate(left);
    if (one.reason != other.reason) return complain(axis, kept, left, fmt::format("one is {}, the other {}", verdict(one.reason), verdict(other.reason)));
    for (std::size_t m = 0; m < one.metrics.size() && m < other.metrics.size(); ++m) {
      if (alike(one.metrics[m], other.metrics[m])) continue;
      return complain(axis, kept, left, fmt::format("`{}` is {} and {}", metrics_[m], human(one.metrics[m]), human(other.metrics[m])));
    }
    return true;
  }

  Outcome evaluate(const std::vector<double>& values) {
    Diagnostics why;
    std::vector<double> candidate;
    for (std::size_t a = 0; a < values.size(); ++a) {
      if (space_.axes[a].derived == nullptr) candidate.push_back(values[a]);
    }
    const Structure* const structure = structures_.find(candidate, why);
    if (structure == nullptr) return {why.all().empty() ? "can't be built" : why.all()[0].message, {}};
    Structure::Answer answer = structure->evaluate(candidate);
    return {std::move(answer.reason), std::move(answer.outputs)};
  }

  static std::string verdict(const std::string& reason) { return reason.empty() ? "feasible" : fmt::format("refused ({})", reason); }

  std::string text(std::size_t axis, double value) const { return human(value_of(space_.run->program(), *space_.axes[axis].input, value)); }

  bool complain(std::size_t axis, const std::vector<double>& kept, const std::vector<double>& left, const std::string& how) {
    std::string others;
    for (std::size_t a = 0; a < kept.size(); ++a) {
      if (a != axis && space_.axes[a].derived == nullptr)
        others += fmt::format("{}{}={}", others.empty() ? "" : " ", space_.axes[a].input->name, text(a, kept[a]));
    }
    diagnostics_.error(space_.axes[axis].symmetry->source->span,
                       fmt::format("`{}`: this holds for {}, which does not cost what {} costs: {}, where {}", space_.axes[axis].input->name,
                                   text(axis, left[axis]), text(axis, kept[axis]), how, others));
    return false;
  }

  Space& space_;
  Diagnostics& diagnostics_;
  Domains domains_;
  Structures structures_;
  const std::vector<std::string>& metrics_;
  std::mt19937_64 random_;  ///< The same in every run.
};

}  // namespace

bool check_symmetries(Space& space, const std::vector<std::string>& metrics, Diagnostics& diagnostics) {
  Checker checker(space, metrics, diagnostics);
  for (std::size_t axis = 0; axis < space.axes.size(); ++axis) {
    if (space.axes[axis].symmetry != nullptr && !checker.check(axis)) return false;
  }
  return true;
}

}  // namespace opledger
