#include "cli/plan_launch.h"

#include <filesystem>

#include "import/launch.h"
#include "import/launch_export.h"

namespace opledger {

std::optional<WrittenPlan> write_plan(const PlanCandidate& candidate, const std::string& model, const std::string& name, Library& library,
                                      Diagnostics& diagnostics) {
  // The execution is made for the working folder, because the user's own documents are named relative to it.
  std::error_code unknown;
  const std::filesystem::path path = std::filesystem::current_path(unknown) / name;
  auto own = std::make_unique<Library>(library);
  std::optional<WrittenExecution> execution =
      written_execution(candidate.search->request, candidate.search->answer, candidate.candidate, path, *own, diagnostics);
  if (!execution) return std::nullopt;
  RunRequest request;
  request.model = model;
  request.execution = name + " (plan)";  // A name with a blank differs from every name on the search path.
  request.system = execution->system;
  request.overrides = execution->settings;
  if (own->provide(request.execution, path, execution->root, diagnostics) == nullptr) return std::nullopt;
  return WrittenPlan{std::move(own), std::move(*execution), std::move(request)};
}

std::string PlanScripts::refusal(const PlanCandidate& candidate) {
  Diagnostics messages;
  const std::optional<WrittenPlan> written = write_plan(candidate, question_.model, "plan.yaml", library_, messages);
  if (written && !format_) {
    const std::unique_ptr<Run> run = Run::prepare(written->request, *written->library, messages);
    if (run != nullptr) format_ = export_format_of_stack(run->stack_name(), library_);
  }
  if (written && format_) {
    if (!*format_) return {};
    export_launch({**format_, "", written->request}, *written->library, messages);
  }
  return messages.has_errors() ? messages.first_error()->message : std::string();
}

}  // namespace opledger
