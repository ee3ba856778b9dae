#include "run/solved_input.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "run/section_formulas.h"

namespace opledger {
namespace {

constexpr const char* kSection = "solve";
constexpr int kSteps = 60;  // Number of bisection steps; the remaining interval is below double precision.
constexpr double kNearEnough = 1e-12;

/// Returns whether a document, setting or query states the input. A definition elsewhere than at the input's
/// declaration overrides the default.
bool is_stated(const LinkedRun& run, const std::string& name) {
  for (const auto& [open, _] : run.request().open) {
    if (open == name) return true;
  }
  for (const auto& [input, span] : run.program().inputs) {
    const Def* def = input->name == name ? input->newest() : nullptr;
    if (def == nullptr) continue;
    const auto place = [](const Span& s) { return std::tuple(s.file, s.line, s.column); };
    return place(def->span) != place(span);
  }
  return false;
}

/// Returns the query of the solver: the upper bound as output, with all constraints.
Query query_of(const SolvedInput& solved, std::vector<std::string> inputs) {
  inputs.push_back(solved.name);
  return {std::move(inputs), {solved.most}, true};
}

}  // namespace

/// Checks all declarations under `solve` and returns the one that the run requests: the run states the requesting
/// input, and not the input to solve. Two requests at once are ambiguous. `served` names the amount that messages
/// report if less than requested fits, `rest` is their text for the remainder. The schema guarantees the keys
/// `requested_by` and `most`. Nothing if no declaration is requested or, with errors, if a name is unknown.
std::optional<SolvedInput> requested_solution(const LinkedRun& run, Diagnostics& diagnostics) {
  const Datum* section = find_section(run, kSection);
  std::optional<SolvedInput> out;
  for (const auto& [name, declaration] : section == nullptr ? std::vector<Datum::Entry>{} : section->entries()) {
    const std::string &requested_by = declaration.find("requested_by")->text(), &most = declaration.find("most")->text();
    for (const std::string& input : {name.text(), requested_by}) {
      if (run.program().find_input(input) == nullptr) diagnostics.error(name.span(), fmt::format("`{}` names `{}`, which is no input", kSection, input));
    }
    if (run.program().find(most) == nullptr) diagnostics.error(declaration.find("most")->span(), fmt::format("unknown name `{}`", most));
    if (!is_stated(run, requested_by) || is_stated(run, name.text())) continue;
    if (out) diagnostics.error(name.span(), fmt::format("`{}` and `{}` can't both be solved from constraints: set one of them", out->name, name.text()));
    const Datum *served = declaration.find("served"), *rest = declaration.find("rest");
    if (served != nullptr && run.program().find(served->text()) == nullptr) diagnostics.error(served->span(), fmt::format("unknown name `{}`", served->text()));
    out = SolvedInput{name.text(), most, name.span(), requested_by, served != nullptr ? served->text() : "", rest != nullptr ? rest->text() : "are not served"};
  }
  return diagnostics.has_errors() ? std::nullopt : out;
}

InputSolver::InputSolver(const LinkedRun& run, SolvedInput solved, std::vector<std::string> inputs)
    : programs_(run, query_of(solved, std::move(inputs))), whole_(run.program().find_input(solved.name)->type.kind == Type::Kind::integer) {}

/// Returns whether all constraints hold for a candidate. Candidates that fail to compile do not hold.
bool InputSolver::holds(const std::vector<double>& candidate) {
  Diagnostics ignored;
  const CompiledProgram* structure = programs_.find(candidate, ignored);
  return structure != nullptr && structure->evaluate(candidate).violation.empty();
}

/// Finds the largest value of the input at which all constraints hold, by bisection from 0 to the upper bound `most`.
/// The solved input is the last value of `candidate`; `value` refers to it. `fits` holds, or is 0; `beyond` does not
/// hold; each step halves the interval between them. Constraints are assumed monotonic in the input. A whole-number
/// input stops at distance 1. If nothing fits, the result is 1, or a smaller upper bound, so that the run's constraints
/// report the reason.
std::optional<double> InputSolver::solve(std::vector<double> candidate, Diagnostics& diagnostics) {
  candidate.push_back(1);
  const CompiledProgram* structure = programs_.find(candidate, diagnostics);
  if (structure == nullptr) return std::nullopt;
  const Value most = structure->evaluate(candidate).outputs[0];
  double& value = candidate.back();
  double fits = 0, beyond = most.is_number() ? most.scalar.value : 0;
  if (whole_) beyond = std::floor(beyond);
  value = beyond;
  if (beyond <= 0) return 1;
  if (holds(candidate)) return beyond;
  const double all = beyond;  // The upper bound.
  for (int step = 0; step < kSteps && beyond - fits > (whole_ ? 1 : kNearEnough * beyond); ++step) {
    value = whole_ ? std::floor((fits + beyond) / 2) : (fits + beyond) / 2;
    (holds(candidate) ? fits : beyond) = value;
  }
  return fits > 0 ? fits : std::min(all, 1.0);
}

}  // namespace opledger
