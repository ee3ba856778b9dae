#include <algorithm>
#include <cmath>

#include "questions/fit_search.h"

namespace opledger {
namespace {

using State = FitPoint::State;

double number(const Value& value) { return value.is_number() ? value.scalar.value : 0; }

/// Of all candidates with the fewest processors, the one that needs least; of those with fewer, the nearest.
void try_total(Prober& prober, double product, Fit& out) {
  std::optional<FitPoint> nearest;
  for (const std::vector<double>& degrees : factorisations(product, prober.keys().size())) {
    const FitPoint& there = prober.at(degrees);
    const auto smaller = [&](const std::optional<FitPoint>& than) { return !than || number(there.size) < number(than->size); };
    if (there.state == State::fits && smaller(out.answer)) out.answer = there;
    if (there.state == State::too_large && smaller(nearest)) nearest = there;
  }
  if (nearest && !out.answer && (!out.beyond || number(nearest->size) < number(out.beyond->size))) out.beyond = std::move(nearest);
}

}  // namespace

std::vector<double> totals(double step, double most) {
  std::vector<double> out;
  if (step > 0) {
    for (double total = step; total <= most; total += step) out.push_back(total);
    return out;
  }
  for (double total = 1; total <= std::min(16.0, most); ++total) out.push_back(total);
  for (double power = 16; power <= most; power *= 2) {
    if (power > 16) out.push_back(power);
    if (power * 1.5 <= most) out.push_back(power * 1.5);
  }
  return out;
}

std::vector<std::vector<double>> factorisations(double total, std::size_t factors) {
  if (factors == 0) return {};
  if (factors == 1) return {{total}};
  std::vector<std::vector<double>> out;
  for (double first = 1; first <= total; ++first) {
    if (std::fmod(total, first) != 0) continue;
    for (std::vector<double>& rest : factorisations(total / first, factors - 1)) {
      rest.insert(rest.begin(), first);
      out.push_back(std::move(rest));
    }
  }
  return out;
}

void find_fewest(Prober& prober, double others, double step, double most, Fit& out) {
  out.step = step;
  const auto try_all = [&](double total) {
    if (std::fmod(total, others) == 0) try_total(prober, total / others, out);
  };
  double before = 0;  // the total that was tried last, in vain
  for (const double total : totals(step, most)) {
    out.limit = total;
    try_all(total);
    if (out.answer) break;
    before = total;
  }
  if (out.answer && step == 0) {
    const FitPoint coarse = *out.answer;
    out.answer.reset();
    for (double total = before + 1; total < out.limit && !out.answer; ++total) try_all(total);
    if (!out.answer) out.answer = coarse;
  }
  out.tried_to = before;
}

}  // namespace opledger
