#include "search/plan/plan_front.h"

#include <fmt/core.h>

#include <algorithm>

namespace opledger {
namespace {

/// Returns the value of a metric of the front, with the opposite sign if the largest value is the best.
double cost(const PlanCandidate& candidate, std::size_t metric) {
  const SearchAnswer& answer = candidate.search->answer;
  const auto column = std::find(answer.metrics.begin(), answer.metrics.end(), answer.pareto[metric].name) - answer.metrics.begin();
  const double value = candidate.candidate.metrics[static_cast<std::size_t>(column)].scalar.value;
  return answer.pareto[metric].maximize ? -value : value;
}

/// Returns whether `a` is at least as good as `b` in all metrics. Equal candidates are so in both orders.
bool covers(const PlanCandidate& a, const PlanCandidate& b, std::size_t metrics) {
  for (std::size_t m = 0; m < metrics; ++m) {
    if (cost(a, m) > cost(b, m)) return false;
  }
  return true;
}

/// Adds a candidate unless a candidate of the front covers it, and removes the candidates that the new one covers. Of
/// equal candidates the first stays.
void add(PlanCandidate candidate, std::size_t metrics, std::vector<PlanCandidate>& front) {
  const auto is_covered = [&](const PlanCandidate& other) { return covers(other, candidate, metrics); };
  if (std::any_of(front.begin(), front.end(), is_covered)) return;
  std::erase_if(front, [&](const PlanCandidate& other) { return covers(candidate, other, metrics); });
  front.push_back(std::move(candidate));
}

}  // namespace

std::optional<PlanFront> plan_front(const PlanQuestion& question, const PlanSearches& searches, Library& library, Diagnostics& diagnostics) {
  const Datum* const front = question.plan->root.find("front");
  if (front == nullptr) {
    diagnostics.error({}, fmt::format("`--front`: the plan `{}` has no front", question.plan->name));
    return std::nullopt;
  }
  const Datum& label = *front->find("line");
  const Datum* const continuation = question.plan->root.find("lines")->find(label.text());
  if (continuation == nullptr) {
    diagnostics.error(label.span(), fmt::format("the plan has no line `{}`", label.text()));
    return std::nullopt;
  }
  PlanFront out;
  const std::vector<std::string> metrics = front->texts("metrics");
  std::vector<PlanCandidate> candidates;
  for (const PlanSearch& search : searches.all()) {
    // A condition of its own means a part of a search before it.
    if (!search.request.where.empty()) continue;
    SearchRequest request = search.request;
    request.pareto = metrics;
    Diagnostics messages;
    std::optional<SearchAnswer> found = opledger::search(request, library, messages);
    if (!found) {
      const Diagnostic* const error = messages.first_error();
      diagnostics.error(front->find("metrics")->span(),
                        fmt::format("no front over `{}`: {}", request.run.space, error != nullptr ? error->message : "no result"));
      return std::nullopt;
    }
    const PlanSearch& done = out.searches.emplace_back(PlanSearch{std::move(request), std::move(*found)});
    for (const SearchAnswer::Candidate& candidate : done.answer.front) add({&done, candidate}, metrics.size(), candidates);
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const PlanCandidate& a, const PlanCandidate& b) { return cost(a, 0) < cost(b, 0); });
  for (PlanCandidate& candidate : candidates) {
    const std::unique_ptr<Run> run = run_of(candidate.search->request, candidate.search->answer, candidate.candidate, library, diagnostics);
    if (run == nullptr) return std::nullopt;
    PlanWriter writer(*run, diagnostics);
    std::vector<PlanLine::Part> parts;
    for (const Datum* const texts : {front->find("say"), continuation}) {
      std::optional<PlanLine> line = writer.line("", *texts);
      if (!line) return std::nullopt;
      parts.insert(parts.end(), line->parts.begin(), line->parts.end());
    }
    out.points.push_back({std::move(candidate), std::move(parts)});
  }
  return out;
}

}  // namespace opledger
