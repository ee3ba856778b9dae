#include "search/space/where.h"

#include <fmt/core.h>

#include "expr/parser.h"
#include "formulas/evaluate/evaluator.h"
#include "formulas/link/linker.h"

namespace opledger {
namespace {

/// Returns the linked condition. Returns null, with errors, if the text can't be parsed or is neither true nor false.
const Formula* read_condition(const Program& program, Formulas& into, const std::string& condition, Diagnostics& diagnostics) {
  const ExprPtr expr = parse_expression(condition, {}, diagnostics);
  const Formula* formula = expr != nullptr ? Linker(program, into, diagnostics).link(expr, *program.model) : nullptr;
  if (formula == nullptr) return nullptr;
  const Answer answer = Evaluator(program, Evaluator::Mode::units).ask(*formula);
  if (!answer.report(diagnostics)) return nullptr;
  const Value value = as_truth(answer.value);
  if (value.kind == Value::Kind::truth) return formula;
  diagnostics.error({}, fmt::format("a condition must be true or false, not {}", describe(value)));
  return nullptr;
}

}  // namespace

bool add_where(Space& space, const std::string& condition, Diagnostics& diagnostics) {
  Diagnostics own;
  Constraint constraint;
  constraint.require = read_condition(space.run->program(), space.formulas, condition, own);
  constraint.reason = "where " + condition;
  for (const Diagnostic& d : own.all()) diagnostics.error({}, fmt::format("`--where {}`: {}", condition, d.message));
  if (constraint.require == nullptr) return false;
  space.where.push_back(std::move(constraint));
  return true;
}

}  // namespace opledger
