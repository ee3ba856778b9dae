#include "search/found_candidates.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "find/find_together.h"
#include "run/run.h"
#include "search/written_execution.h"

namespace opledger {
namespace {

/// Finds parts of one candidate. The candidate becomes an execution, so that the found rules can be listed in it.
SearchAnswer::FoundCandidate found_candidate(const SearchRequest& request, const SearchAnswer& answer, const SearchAnswer::Candidate& candidate,
                                             Library library) {
  const auto objective = std::find(answer.metrics.begin(), answer.metrics.end(), answer.objective) - answer.metrics.begin();
  SearchAnswer::FoundCandidate out{candidate.metrics[static_cast<std::size_t>(objective)], {}, {}, {}};
  Diagnostics messages;
  std::error_code error;
  const std::filesystem::path path = std::filesystem::current_path(error) / "candidate.yaml";
  TogetherRequest together;
  if (const auto execution = written_execution(request, answer, candidate, path, library, messages)) {
    together.run.model = request.run.model, together.run.system = execution->system, together.run.overrides = execution->settings;
    together.run.execution = "the candidate";
    together.parts = request.find, together.stop = request.sweep.stop;
    if (library.provide(together.run.execution, path, execution->root, messages) != nullptr) {
      if (auto parts = find_together(together, library, messages)) out.parts = std::make_shared<FoundTogether>(std::move(*parts));
    }
  }
  if (out.parts) {
    Library with = with_documents(library, *out.parts);
    const std::unique_ptr<Run> run = Run::prepare(out.parts->run, with, messages);
    const std::optional<Value> value = run != nullptr ? run->value(answer.objective, messages) : std::nullopt;
    if (value) out.found = *value;
  }
  if (messages.has_errors()) out.why = messages.first_error()->message;
  return out;
}

}  // namespace

std::vector<SearchAnswer::FoundCandidate> find_best(const SearchRequest& request, const SearchAnswer& answer, const Library& library) {
  std::vector<SearchAnswer::FoundCandidate> out;
  for (std::size_t i = 0; i < std::min(request.found, answer.best.size()); ++i) {
    if (request.sweep.stop != nullptr && *request.sweep.stop) break;
    out.push_back(found_candidate(request, answer, answer.best[i], library));
  }
  return out;
}

std::vector<std::size_t> found_order(const SearchAnswer& answer) {
  std::vector<std::size_t> out(answer.found.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  const auto is_better = [&](std::size_t a, std::size_t b) {
    const double one = answer.found[a].best().scalar.value, other = answer.found[b].best().scalar.value;
    return answer.space.maximize ? one > other : one < other;
  };
  std::stable_sort(out.begin(), out.end(), is_better);
  return out;
}

}  // namespace opledger
