#pragma once
#include <memory>
#include <optional>
#include <string>

#include "search/plan/plan_answer.h"
#include "search/written_execution.h"

/// Candidates of a plan as executions, and the launch scripts that start them.
namespace opledger {

/// A candidate as an execution, with the request of its run, and a library that has the execution. Attempts for one file
/// have libraries of their own, because a library keeps the first document of a name.
struct WrittenPlan {
  std::unique_ptr<Library> library;
  WrittenExecution execution;
  RunRequest request;
};

/// Converts a candidate to an execution for the file `name` of the working folder. Returns nothing, with errors, if that
/// is not possible.
std::optional<WrittenPlan> write_plan(const PlanCandidate& candidate, const std::string& model, const std::string& name, Library& library,
                                      Diagnostics& diagnostics);

/// The launch scripts of the candidates of one question.
class PlanScripts {
 public:
  PlanScripts(const PlanQuestion& question, Library& library) : question_(question), library_(library) {}

  /// Returns the reason why no launch script starts a candidate; empty if a script starts it, or if the stack has no format
  /// of `export`.
  std::string refusal(const PlanCandidate& candidate);

 private:
  const PlanQuestion& question_;
  Library& library_;
  std::optional<std::optional<std::string>> format_;  ///< Format that exports runs of the stack, once it is known.
};

}  // namespace opledger
