#include <algorithm>
#include <cmath>

#include "questions/fit/fit_search.h"

namespace opledger {
namespace {

using State = FitPoint::State;

double number(const Value& value) { return value.is_number() ? value.scalar.value : 0; }

bool needs_less(const FitPoint& point, const std::optional<FitPoint>& than) { return !than || number(point.size) < number(than->size); }

/// Returns whether a candidate that is too large explains the limit better than `than`. Candidates without other
/// obstacles come first, then smaller sizes.
bool is_nearer(const FitPoint& point, const std::optional<FitPoint>& than) {
  if (!point.over) return false;
  const bool alone = point.state == State::too_large;
  if (than && alone != (than->state == State::too_large)) return alone;
  return needs_less(point, than);
}

/// Tries all factorizations of a total. Keeps the fitting candidate with the smallest size; otherwise the nearest
/// candidates that are refused.
void try_total(FitProber& prober, double product, Fit& out) {
  std::optional<FitPoint> nearest = out.beyond, next;
  for (const std::vector<double>& degrees : factorizations(product, prober.keys().size())) {
    const FitPoint& there = prober.at(degrees);
    if (there.state == State::fits && needs_less(there, out.answer)) out.answer = there;
    if (is_nearer(there, nearest)) nearest = there;
    if (there.state == State::impossible && !there.over && there.size.is_number() && needs_less(there, next)) next = there;
    add_refusal(there, out);
  }
  if (out.answer) return;
  out.beyond = std::move(nearest);
  if (next && !out.next) out.next = std::move(next);
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

std::vector<std::vector<double>> factorizations(double total, std::size_t factors) {
  if (factors == 0) return {};
  if (factors == 1) return {{total}};
  std::vector<std::vector<double>> out;
  for (double first = 1; first <= total; ++first) {
    if (std::fmod(total, first) != 0) continue;
    for (std::vector<double>& rest : factorizations(total / first, factors - 1)) {
      rest.insert(rest.begin(), first);
      out.push_back(std::move(rest));
    }
  }
  return out;
}

void add_refusal(const FitPoint& point, Fit& out) {
  if (point.state != State::impossible || point.reasons.empty()) return;
  const std::string& kind = point.reasons[0].kind;
  auto found = std::find_if(out.refused.begin(), out.refused.end(), [&](const FitRefusals& known) { return known.kind == kind; });
  if (found == out.refused.end()) found = out.refused.insert(out.refused.end(), {kind, 0});
  ++found->count;
}

/// Tries totals of processors in ascending order until one fits. `others` is the product of the degrees of fixed axes,
/// so a total that it does not divide is skipped; the other totals are tried in all factorizations over the varying
/// axes. Without a step, the totals are coarse (2^n, 3 * 2^n): after the first success, each total since the last
/// failure is tried, and the coarse success is the answer only if all of these fail. A smaller total between two
/// earlier coarse totals may thus be missed.
void find_fewest(FitProber& prober, double others, double step, double most, Fit& out) {
  out.step = step;
  const auto try_all = [&](double total) {
    if (std::fmod(total, others) == 0) try_total(prober, total / others, out);
  };
  double before = 0;  // The last coarse total that failed.
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
