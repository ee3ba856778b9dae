#include "run/hints.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "formulas/evaluate/render_message.h"

namespace opledger {
namespace {

/// Returns the point of a hint: the member of its set with the largest weight at which the hint applies, with the
/// weight; nothing if the hint applies nowhere.
std::optional<std::pair<double, Point>> best_point(const Hint& hint, Evaluator& evaluator, Diagnostics& ignored) {
  const std::vector<WordId> words = hint.over ? evaluator.visit(hint.over, nowhere()) : std::vector<WordId>{kNoWord};
  std::optional<std::pair<double, Point>> best;
  for (const WordId word : words) {
    const Point point = hint.over ? evaluator.choose(nowhere(), hint.over, word) : nowhere();
    const auto number = [&](const Formula& formula) -> std::optional<double> {
      const Answer answer = evaluator.ask(formula, point);
      return answer.report_unless_absent(ignored) ? std::optional(answer.value.scalar.value) : std::nullopt;
    };
    if (number(*hint.when).value_or(0) == 0) continue;
    const std::optional<double> weight = number(*hint.weight);
    if (weight && (!best || *weight > best->first)) best = {*weight, point};
  }
  return best;
}

}  // namespace

std::vector<GivenHint> hints(Run& run) {
  Diagnostics ignored;  // A run without some documents lacks values, which is no error here.
  std::vector<GivenHint> out;
  if (run.program().hints.empty() || !run.violations(ignored).empty()) return out;
  Evaluator& evaluator = run.evaluator();
  for (const Hint& hint : run.program().hints) {
    const auto best = best_point(hint, evaluator, ignored);
    if (!best) continue;
    std::optional<std::string> message = render_message(evaluator, hint.message, best->second, ignored);
    std::optional<std::string> see = render_message(evaluator, hint.see, best->second, ignored);
    if (message && see) out.push_back({std::move(*message), std::move(*see), best->first});
  }
  std::stable_sort(out.begin(), out.end(), [](const GivenHint& a, const GivenHint& b) { return a.weight > b.weight; });
  return out;
}

}  // namespace opledger
