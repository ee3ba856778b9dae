#include "search/space/axis_units.h"

#include <fmt/core.h>

#include "formulas/evaluate/evaluator.h"
#include "formulas/link/types.h"

namespace opledger {
namespace {

/// Evaluates the formulas of axes in the evaluator's mode for units, without numbers, and compares units and kinds.
class UnitChecker {
 public:
  UnitChecker(const Space& space, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), program_(space.run->program()), evaluator_(program_, Evaluator::Mode::units) {}

  void axis(const SpaceAxis& axis) {
    items(axis, axis.items);
    condition(axis.where);
    condition(axis.symmetry);
  }

 private:
  /// Checks the formulas of domain items against the input that the axis varies. A single value must have the type of the input.
  /// The dividend of `divisors` and the bounds of a range must be numbers in the unit of the input. Words of a set need no check.
  /// A choice needs a truth as its condition; the items for both outcomes are checked by recursion. `second` of a dividend is
  /// `first` again, so it is not checked twice.
  void items(const SpaceAxis& axis, const std::vector<DomainItem>& all) {
    for (const DomainItem& item : all) {
      switch (item.kind) {
        case DomainItem::Kind::value:
          value(axis, item.first);
          break;
        case DomainItem::Kind::divisors:
        case DomainItem::Kind::range:
          number(item.first, axis.input->type.unit.dimension);
          if (item.second != nullptr && item.second != item.first) number(item.second, axis.input->type.unit.dimension);
          break;
        case DomainItem::Kind::words:
          break;
        case DomainItem::Kind::choice:
          condition(item.first);
          items(axis, item.then);
          items(axis, item.otherwise);
          break;
      }
    }
  }

  std::optional<Value> evaluate(const Formula& formula) {
    const Answer answer = evaluator_.ask(formula);
    return answer.report(diagnostics_) ? std::optional(answer.value) : std::nullopt;
  }

  void value(const SpaceAxis& axis, const Formula* formula) {
    if (formula == nullptr) return;
    const Type::Kind kind = axis.input->type.kind;
    if (kind == Type::Kind::number || kind == Type::Kind::integer) return number(formula, axis.input->type.unit.dimension);
    const std::optional<Value> found = evaluate(*formula);
    if (!found) return;
    const bool fits = kind == Type::Kind::boolean ? as_truth(*found).kind == Value::Kind::truth : found->kind == Value::Kind::word || found->is_number();
    if (!fits) report_mismatch(*formula, describe(program_, axis.input->type), *found);
  }

  void number(const Formula* formula, const Dimension& unit) {
    const std::optional<Value> found = formula != nullptr ? evaluate(*formula) : std::nullopt;
    if (!found || (found->is_number() && (found->any_unit || found->unit == unit))) return;
    report_mismatch(*formula, unit.plain() ? "a plain number" : "a number in " + to_string(unit), *found);
  }

  void condition(const Formula* formula) {
    const std::optional<Value> found = formula != nullptr ? evaluate(*formula) : std::nullopt;
    if (found && as_truth(*found).kind != Value::Kind::truth) report_mismatch(*formula, "true or false", *found);
  }

  void report_mismatch(const Formula& formula, const std::string& expected, const Value& found) {
    diagnostics_.error(formula.source->span, fmt::format("expected {}, not {}", expected, describe(found)));
  }

  Diagnostics& diagnostics_;
  const Program& program_;
  Evaluator evaluator_;
};

}  // namespace

bool check_axis_units(const Space& space, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  UnitChecker checker(space, diagnostics);
  for (const SpaceAxis& axis : space.axes) checker.axis(axis);
  return diagnostics.errors() == before;
}

}  // namespace opledger
