#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/plan/plan_answer.h"
#include "search/plan/plan_front.h"

/// The answer of `opledger plan` as text and as JSON.
namespace opledger {

/// The parts of an answer that the plan does not state.
struct PlanReport {
  std::string model, system;                                  ///< Names for people.
  std::string plan;                                           ///< Name of the plan.
  std::string expected_error;                                 ///< The expected error of computed times, a noun phrase.
  std::vector<std::pair<std::string, std::string>> commands;  ///< Next commands, by a short label.
  std::vector<PlanChoice> choices;                            ///< Costs of other choices; empty: not requested.
  std::optional<PlanFront> front;                             ///< The Pareto front; nothing: not requested.
  bool has_script = false;                                    ///< A format of `export` starts the stack of the plan.
  bool is_written = false;                                    ///< The files of the plan are written; the commands read them.
  double seconds = 0;                                         ///< Seconds of the searches.
};

/// Returns the answer as lines of at most 80 columns. An answer without a candidate has reasons and advice instead.
std::string write_plan_text(const PlanAnswer& answer, const PlanReport& report);

/// Returns the answer as JSON; see schemas/output/plan.schema.json.
std::string write_plan_json(const PlanAnswer& answer, const PlanReport& report);

/// Returns the number of candidates, the searched spaces, and the axes that had one value, as one sentence.
std::string searched_axes(const PlanAnswer& answer);

}  // namespace opledger
