#include "measured/measured_steps.h"

#include <fmt/core.h>

#include "base/lists.h"

namespace opledger {

/// A published number is a measured time if its unit is a time; other numbers of the document are skipped. Only runs
/// under the stack count, and only if their accounting has the metric. Every run is linked to find its stack, so the
/// cost is one linked run for each published time.
std::unique_ptr<MeasuredSteps> MeasuredSteps::read(const std::string& name, const Document& validation, const Document& stack, Library& library,
                                                   Diagnostics& diagnostics) {
  const std::optional<std::vector<ValidationCase>> cases = validation_cases(validation, {}, library, diagnostics);
  if (!cases) return nullptr;
  std::unique_ptr<MeasuredSteps> out(new MeasuredSteps());
  out->name_ = name;
  out->file_ = validation.name;
  for (const ValidationCase& c : *cases) {
    if (c.unit != parse_unit("s")->dimension) continue;
    if (c.published < 0) {
      diagnostics.error(validation.root.span(), fmt::format("`{}` of `{}` is {}, and a time is above 0", c.run, c.table, c.published));
      return nullptr;
    }
    std::unique_ptr<LinkedRun> run = LinkedRun::link(c.request, library, diagnostics);
    if (run == nullptr) return nullptr;
    if (run->stack_name() != stack.name || run->program().find(c.formula) == nullptr) continue;
    std::optional<SolvedInput> solved = requested_solution(*run, diagnostics);
    if (solved) {  // `predict` replaces the value 1 by the value that follows from the constants.
      RunRequest request = c.request;
      request.fields.push_back({solved->name, Datum::scalar("1", false, solved->span), solved->span, false});
      run = LinkedRun::link(request, library, diagnostics);
      if (run == nullptr) return nullptr;
    }
    out->rows_.push_back({c.formula, c.published, c.left_out, std::move(run), std::move(solved), nullptr, nullptr});
  }
  if (!out->rows_.empty()) return out;
  diagnostics.error(validation.root.span(), fmt::format("`{}` has no measured time of a run under the stack `{}`", validation.name, stack.name));
  return nullptr;
}

std::vector<const LinkedRun*> MeasuredSteps::runs() const {
  std::vector<const LinkedRun*> out;
  for (const Row& row : rows_) out.push_back(row.run.get());
  return out;
}

/// Programs depend on the opened inputs, so each run gets a new cache of programs. The value of a solved input, such as
/// the number of sequences under so many clients, depends on the constants.
void MeasuredSteps::open(std::vector<std::pair<std::string, std::size_t>> inputs) {
  inputs_ = std::move(inputs);
  for (Row& row : rows_) {
    std::vector<std::string> names = names_of(inputs_);
    if (row.solved) row.solver = std::make_unique<InputSolver>(*row.run, *row.solved, names);
    if (row.solved) names.push_back(row.solved->name);
    row.structures = std::make_unique<ProgramCache>(*row.run, Query{std::move(names), {row.metric}, false});
  }
}

std::optional<double> MeasuredSteps::predict(std::size_t number, const std::vector<double>& constants, Diagnostics& diagnostics) {
  Row& row = rows_[number];
  std::vector<double> candidate;
  for (const auto& [_, constant] : inputs_) candidate.push_back(constants[constant]);
  if (row.solver) {
    const std::optional<double> value = row.solver->solve(candidate, diagnostics);
    if (!value) return std::nullopt;
    candidate.push_back(*value);
  }
  const CompiledProgram* structure = row.structures->find(candidate, diagnostics);
  if (structure == nullptr) return std::nullopt;
  const Value v = structure->evaluate(candidate).outputs[0];
  if (v.is_number() && v.scalar.value > 0 && v.unit == parse_unit("s")->dimension) return v.scalar.value;
  diagnostics.error({}, fmt::format("`{}` has no time for a run of `{}`", row.metric, file_));
  return std::nullopt;
}

}  // namespace opledger
