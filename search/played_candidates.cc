#include "search/played_candidates.h"

#include <algorithm>

#include "play/step_simulation.h"
#include "run/run.h"
#include "search/candidate_run.h"

namespace opledger {
namespace {

/// Runs one candidate with simulation turned on. A step that can't be simulated gives its first error as the reason.
SearchAnswer::PlayedCandidate played(RunRequest run, const std::string& switch_input, const SearchAnswer& answer, const SearchAnswer::Candidate& candidate,
                                     Library& library) {
  const auto objective = std::find(answer.metrics.begin(), answer.metrics.end(), answer.objective) - answer.metrics.begin();
  SearchAnswer::PlayedCandidate out{candidate.metrics[static_cast<std::size_t>(objective)], {}, {}};
  run.fields.push_back({switch_input, Datum::scalar("true", false, {}), {}, false});
  Diagnostics diagnostics;
  const std::unique_ptr<Run> prepared = Run::prepare(run, library, diagnostics);
  const std::vector<Violation> violations = prepared != nullptr ? prepared->violations(diagnostics) : std::vector<Violation>{};
  const std::optional<Value> value = prepared != nullptr ? prepared->value(answer.objective, diagnostics) : std::nullopt;
  if (value) out.played = *value;
  if (!violations.empty()) out.why = violations[0].message;
  if (diagnostics.has_errors()) out.why = diagnostics.all().front().message;
  return out;
}

}  // namespace

std::string play_switch(const LinkedRun& run) {
  const Datum* section = play_section(run);
  const Datum* name = section != nullptr ? section->find("switch") : nullptr;
  return name != nullptr && run.program().find_input(name->text()) != nullptr ? name->text() : "";
}

std::vector<SearchAnswer::PlayedCandidate> play_best(const SearchRequest& request, const SearchAnswer& answer, Library& library, Diagnostics& diagnostics) {
  std::vector<SearchAnswer::PlayedCandidate> out;
  const std::string switch_input = play_switch(*answer.space.run);
  if (switch_input.empty()) {
    diagnostics.error({}, "`--played`: steps of this accounting can't be played, it has no section `play` with a `switch`");
    return out;
  }
  for (std::size_t i = 0; i < std::min(request.played, answer.best.size()); ++i)
    out.push_back(played(candidate_run(request, answer, answer.best[i]), switch_input, answer, answer.best[i], library));
  return out;
}

}  // namespace opledger
