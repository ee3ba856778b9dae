#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/plan/plan_search.h"
#include "search/plan/plan_writer.h"

/// The answer to a planner's question: `make_plan` runs the searches of a plan and describes the chosen candidate in the
/// words of the plan. docs/plan.md explains plans for users.
namespace opledger {

/// The value of one axis in a plan, and the losses of other values while the remaining axes keep theirs.
struct PlanChoice {
  /// Another value of the axis.
  struct Other {
    std::string value;
    std::optional<double> loss;  ///< Loss of the objective as a share; nothing for an infeasible value.
    std::string reason;          ///< Reason of an infeasible value.
  };
  std::string axis, value;    ///< The axis, and its value in the plan.
  std::vector<Other> others;  ///< Feasible values best first, then infeasible ones.
};

/// The answer to a question.
struct PlanAnswer {
  std::unique_ptr<PlanSearches> searches;                    ///< The run searches, which own the texts of candidates.
  std::optional<PlanCandidate> chosen, alternative;          ///< Nothing if no candidate is feasible, or if all are alike.
  std::vector<std::string> alternatives;                     ///< Axes that make another idea of a plan.
  std::unique_ptr<Run> run;                                  ///< Run of the chosen candidate; null without one.
  std::string sizes;                                         ///< Parameters of the model that the user set: `layers 40, hidden 5120`.
  std::string heading;                                       ///< First line, without the names of model and system.
  std::string explained, script;                             ///< Metric to explain, and what the launch script starts; empty: the plan states none.
  std::map<std::string, std::string> completions;            ///< Text appended to the launch script, by format of `export`.
  std::vector<PlanLine> lines;                               ///< Lines in the order of the plan.
  std::string kind;                                          ///< Kind of the run, by which measured errors are grouped; may be empty.
  std::vector<std::pair<std::string, std::string>> assumed;  ///< Options that the user did not state, with their default.
  std::vector<std::string> reasons, cures;                   ///< Without a feasible candidate: reasons, most frequent first, and advice.
  std::vector<PlanLine::Part> faster;                        ///< Gain, lines and refusal of a better candidate that no launch script starts; may be empty.
  std::optional<PlanCandidate> refused;                      ///< That candidate.
  std::string refusal;                                       ///< Reason why no launch script starts the chosen candidate; empty: one does.
  bool partial = false;                                      ///< A search was interrupted.
};

/// Returns the reason why the framework can't start a candidate; empty if it can.
using Refusal = FunctionRef<std::string(const PlanCandidate&)>;

/// Answers a question, which must outlive the answer. Returns nothing, with errors, if an option is wrong, a search
/// fails, or a text of the plan can't be evaluated. The chosen candidate is not refused, unless all are.
std::optional<PlanAnswer> make_plan(const PlanQuestion& question, PlanLimits limits, Refusal refusal, Library& library, Diagnostics& diagnostics);

/// Returns the cost of other values for each axis of the chosen candidate, by one search for each axis. Requires a
/// chosen candidate. Axes without another value are left out.
std::vector<PlanChoice> plan_choices(const PlanAnswer& answer, Library& library);

}  // namespace opledger
