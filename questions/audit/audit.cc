#include "questions/audit/audit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "expr/parser.h"

namespace opledger {
namespace {

constexpr double kTolerance = 1e-9;  // Default relative tolerance of checks.

/// Evaluates checks of an accounting. A check is skipped if the run lacks a parameter, graph or system that it reads.
class Checks {
 public:
  Checks(Run& run, Diagnostics& diagnostics) : run_(run), evaluator_(run.evaluator()), diagnostics_(diagnostics) {}

  /// Compares both sides of a check at each of its elements; a check without a set has one comparison. `compare` sums
  /// the sides while all comparisons hold, and keeps the worst failure otherwise. The check is skipped, with a reason,
  /// if:
  /// - the run lacks a parameter, the graph or the system that the check reads, or a side has no value;
  /// - a block of the model replaces a parameter of the check, so that one value does not hold for the whole model;
  /// - its condition `when` does not hold, or its set has no element;
  /// - it fails, reads published numbers, and a model parameter is changed: these numbers hold only for the published
  /// model.
  /// The cost is the evaluation of both formulas at each element.
  AuditCheck evaluate(const Check& check) {
    AuditCheck out;
    out.name = check.name;
    out.doc = check.doc;
    out.written = to_string(check.span);
    changed_ = reads_published(check) ? changed_parameter() : std::string();
    if (!check.lacking.empty()) return skipped(std::move(out), fmt::format("the model has no `{}`", check.lacking));
    if (needs_graph(check) && !run_.has_graph()) return skipped(std::move(out), "there is no graph");
    for (const std::string& name : check.needs) {
      if (run_.has_graph() && run_.graph().rebound.count(name) > 0) return skipped(std::move(out), fmt::format("`{}` is something else in some block", name));
    }
    lacks_system_ = false;
    const std::optional<Value> applies = value_of(check.when, nowhere());
    if (lacks_system_) return skipped(std::move(out), "it needs a system");
    if (check.when != nullptr && applies && as_truth(*applies).scalar.value == 0)
      return skipped(std::move(out), check.skipped.empty() ? "it does not apply" : check.skipped);
    out.elements = 0;
    for (const Point& point : points(check)) {
      const std::optional<Value> left = value_of(check.left, point), right = value_of(check.right, point);
      if (lacks_system_) return skipped(std::move(out), "it needs a system");
      if (!left || !right) return skipped(std::move(out), "it can't be computed");
      compare(*left, *right, number(check.tolerance, point, kTolerance), number(check.within, point, 0), element(check, point), out);
    }
    if (out.state == AuditCheck::State::failed && !changed_.empty())
      return skipped(std::move(out), fmt::format("published numbers hold only for the published model, but `{}` has a different value here", changed_));
    if (out.elements == 0) return skipped(std::move(out), fmt::format("there is no {} that it speaks of", run_.program().set(check.over).name));
    return out;
  }

 private:
  static AuditCheck skipped(AuditCheck check, std::string why) {
    AuditCheck out;
    out.name = std::move(check.name);
    out.doc = std::move(check.doc);
    out.written = std::move(check.written);
    out.state = AuditCheck::State::skipped;
    out.why = std::move(why);
    return out;
  }

  static bool mentions(const Formula* formula, const Name* name) {
    if (formula == nullptr) return false;
    if (formula->kind == Formula::Kind::name && formula->name == name) return true;
    return std::any_of(formula->args.begin(), formula->args.end(), [&](const Formula* arg) { return mentions(arg, name); });
  }

  bool reads_published(const Check& check) const {
    const Name* published = run_.program().find("published");
    return published != nullptr && (mentions(check.left, published) || mentions(check.right, published));
  }

  /// Returns a model parameter that the command line or execution overrides; empty without one. Published values hold
  /// only for the published model.
  std::string changed_parameter() const {
    const Datum* values = run_.model_gives_values() && run_.model_document() != nullptr ? run_.model_document()->root.find("parameters") : nullptr;
    const auto is_parameter = [&](const std::string& key) {
      return run_.program().model->names.count(key) != 0 || (values != nullptr && values->find(key) != nullptr);
    };
    for (const auto& [key, _] : run_.request().overrides) {
      if (is_parameter(key)) return key;
    }
    for (const auto& [key, _] : run_.execution_document()->root.entries()) {
      if (is_parameter(key.text())) return key.text();
    }
    return {};
  }

  bool needs_graph(const Check& check) const { return check.over && run_.program().set(check.over).elements; }

  /// Returns the value of a formula; nothing for a null formula or after an error. Records in `lacks_system_` that the
  /// formula reads a missing system.
  std::optional<Value> value_of(const Formula* formula, const Point& point) {
    if (formula == nullptr) return std::nullopt;
    const Answer answer = evaluator_.ask(*formula, point);
    lacks_system_ = lacks_system_ || answer.absent;
    return answer.report_unless_absent(diagnostics_) ? std::optional(answer.value) : std::nullopt;
  }

  double number(const Formula* formula, const Point& point, double otherwise) {
    const std::optional<Value> v = value_of(formula, point);
    return v && v->is_number() ? v->scalar.value : otherwise;
  }

  std::vector<Point> points(const Check& check) {
    if (!check.over) return {nowhere()};
    std::vector<Point> out;
    for (const WordId word : evaluator_.visit(check.over, nowhere())) {
      const Point point = evaluator_.choose(nowhere(), check.over, word);
      const std::optional<Value> counts = value_of(check.where, point);
      if (check.where == nullptr || (counts && as_truth(*counts).scalar.value != 0)) out.push_back(point);
    }
    return out;
  }

  std::string element(const Check& check, const Point& point) const {
    if (!check.over) return {};
    const Set& set = run_.program().set(check.over);
    const auto word = static_cast<std::size_t>(point[check.over]);
    const std::vector<std::string>& names = set.elements ? run_.evaluator().elements(check.over).names : set.words;
    return word < names.size() ? names[word] : std::string();
  }

  Run& run_;
  Evaluator& evaluator_;
  Diagnostics& diagnostics_;
  bool lacks_system_ = false;  ///< True after the current check read a missing system.
  std::string changed_;        ///< Overridden parameter, if the current check reads published values.
};

/// A number with a unit or percent sign: `70 GiB`, `5 %`.
struct Quantity {
  double value = 0;
  Dimension unit;
  bool percent = false;
};

/// Parses a quantity; empty if the text is no number.
std::optional<Quantity> parse(std::string_view text) {
  Quantity out;
  text = trim(text);
  out.percent = !text.empty() && text.back() == '%';
  if (out.percent) text = trim(text.substr(0, text.size() - 1));
  if (!parse_quantity(text, out.value, out.unit) || (out.percent && !out.unit.plain())) return std::nullopt;
  return out;
}

/// An expected value with its tolerance.
struct Bounds {
  Quantity value, tolerance;
};

std::optional<Bounds> parse_bounds(const std::string& text) {
  constexpr std::string_view kSigns[] = {"\u00b1", "+-"};
  for (const std::string_view sign : kSigns) {
    const std::size_t at = text.find(sign);
    if (at == std::string::npos) continue;
    const std::optional<Quantity> value = parse(text.substr(0, at)), tolerance = parse(text.substr(at + sign.size()));
    if (!value || !tolerance || tolerance->value < 0) return std::nullopt;
    return Bounds{*value, *tolerance};
  }
  const std::optional<Quantity> value = parse(text);
  if (!value) return std::nullopt;
  return Bounds{*value, {}};
}

/// Compares a word, truth or null with the text of the expectation, for equality of the texts. Returns nothing for a
/// number, and for a truth with a numeric expectation, which are compared as numbers elsewhere.
std::optional<AuditCheck> check_word(const Value& value, const Expectation& expected) {
  std::string is;
  if (value.kind == Value::Kind::word || value.kind == Value::Kind::text) is = *value.text;
  if (value.kind == Value::Kind::truth && !parse(expected.text)) is = value.scalar.value != 0 ? "true" : "false";
  if (value.kind == Value::Kind::nothing) is = "null";
  if (is.empty()) return std::nullopt;
  AuditCheck check;
  check.name = "expect " + expected.metric;
  check.doc = "Expected on the command line: " + expected.text;
  check.left = value;
  check.right.kind = Value::Kind::text;
  check.right.text = &expected.text;
  if (is == trim(expected.text)) return check;
  check.state = AuditCheck::State::failed;
  check.difference = 1;
  check.failures = 1;
  return check;
}

bool whole(double value) { return value == std::floor(value) && std::fabs(value) < 9007199254740992.0; }  // 2^53

bool holds(double left, const std::string& relation, double right) {
  if (relation == "<") return left < right;
  if (relation == "<=") return left <= right;
  return relation == ">" ? left > right : left >= right;
}

/// Returns the end of a message about a number without the unit of the metric: how to write it. Empty for another mistake.
std::string unit_advice(const std::string& text, const Quantity& number, const Value& value) {
  if (!number.unit.plain() || number.percent || !value.is_number() || value.unit.plain()) return {};
  return fmt::format(": write `{} {}`", trim(text), to_string(value.unit));
}

/// Appends a check of a metric against a limit, such as `memory < 76 GiB`. The limit is parsed with its unit, and a
/// percent sign divides by 100. A limit without a number, or with another unit than the metric, is an error and adds no
/// check. A limit allows no tolerance. The difference is relative to the larger of both numbers.
void check_limit(const Value& value, const Expectation& expected, std::vector<AuditCheck>& out, Diagnostics& diagnostics) {
  std::optional<Quantity> limit = parse(expected.text);
  const std::string condition = fmt::format("{} {} {}", expected.metric, expected.relation, trim(expected.text));
  if (!limit || !value.is_number() || (limit->unit != value.unit && !value.any_unit)) {
    diagnostics.error({}, fmt::format("`--expect {}`: `{}` is {}, and `{}` is {}{}", condition, expected.metric, describe(value), trim(expected.text),
                                      limit ? "not" : "no number", limit ? unit_advice(expected.text, *limit, value) : ""));
    return;
  }
  if (limit->percent) limit->value /= 100;
  AuditCheck check;
  check.name = "expect " + condition;
  check.doc = "Required on the command line: " + condition;
  check.left = value;
  check.right = number_value(real(limit->value), value.unit);
  check.relation = expected.relation;
  const double left = value.scalar.value, right = limit->value;
  if (left != right) check.difference = std::fabs(left - right) / std::max(std::fabs(left), std::fabs(right));
  if (!holds(left, expected.relation, right)) {
    check.state = AuditCheck::State::failed;
    check.failures = 1;
  }
  out.push_back(std::move(check));
}

/// Appends a check of a metric against its expected value, or reports an error if the expectation is malformed or has
/// another unit. A relation other than `=` is a limit; words, and truths without a numeric expectation, are compared as
/// texts. A number has the form VALUE or VALUE±TOLERANCE. A tolerance in percent is relative to the expected value, any
/// other tolerance is absolute in the metric's unit. Without a tolerance, whole numbers must be equal, and other
/// numbers within kTolerance.
void check_expectation(Run& run, const Expectation& expected, std::vector<AuditCheck>& out, Diagnostics& diagnostics) {
  const std::optional<Value> value = run.value(expected.metric, diagnostics);
  if (!value) return;
  if (expected.relation != "=") return check_limit(*value, expected, out, diagnostics);
  if (std::optional<AuditCheck> check = check_word(*value, expected)) {
    out.push_back(std::move(*check));
    return;
  }
  const std::optional<Bounds> bounds = parse_bounds(expected.text);
  if (!bounds) {
    diagnostics.error(
        {}, fmt::format("`--expect {}` needs a number with an optional tolerance, such as `70 GiB` or `0.52+-2%`, not `{}`", expected.metric, expected.text));
    return;
  }
  if (!value->is_number() && value->kind != Value::Kind::truth) {
    diagnostics.error({}, fmt::format("`--expect {}`: it is {}", expected.metric, describe(*value)));
    return;
  }
  Quantity target = bounds->value;
  if (target.percent) target.value /= 100;
  const bool share = bounds->tolerance.percent || bounds->tolerance.value == 0;
  const auto fits = [&](const Dimension& unit) { return unit == value->unit || value->any_unit; };
  if (!fits(target.unit) || (!share && !fits(bounds->tolerance.unit))) {
    diagnostics.error({}, fmt::format("`--expect {}`: it is {}, and `{}` is not{}", expected.metric, describe(*value), expected.text,
                                      bounds->tolerance.value == 0 ? unit_advice(expected.text, target, *value) : ""));
    return;
  }
  AuditCheck check;
  check.name = "expect " + expected.metric;
  check.doc = "Expected on the command line: " + expected.text;
  check.elements = 0;
  // Whole numbers are counts, which have no rounding errors.
  const bool counts = whole(value->scalar.value) && whole(target.value);
  const double share_allowed = bounds->tolerance.percent ? bounds->tolerance.value / 100 : counts ? 0 : kTolerance;
  // A relative tolerance refers to the expected value, not to the larger value.
  const double within = share ? share_allowed * std::fabs(target.value) : bounds->tolerance.value;
  compare(*value, number_value(real(target.value), value->unit), 0, within, "", check);
  out.push_back(std::move(check));
}

}  // namespace

/// Adds one comparison to a check, whose state is that of all comparisons so far. While all hold, `left` and `right`
/// are sums over the elements, and `difference` is the largest relative difference. The first failure replaces the sums
/// by its own values; each later failure with a larger relative difference replaces them again. `elements` counts
/// comparisons, `failures` those that fail.
void compare(const Value& left, const Value& right, double tolerance, double within, const std::string& element, AuditCheck& check) {
  const double a = left.scalar.value, b = right.scalar.value, distance = std::fabs(a - b), largest = std::max(std::fabs(a), std::fabs(b));
  const double share = largest == 0 ? 0 : distance / largest;
  const bool holds = distance <= std::max(tolerance * largest, within);
  if (holds && check.failures == 0 && check.elements > 0) {
    check.left.scalar.value += a;
    check.right.scalar.value += b;
    check.difference = std::max(check.difference, share);
    ++check.elements;
    return;
  }
  const bool worse = !holds && (check.failures == 0 || share > check.difference);
  if (check.elements == 0 || worse) {
    check.left = left;
    check.right = right;
    check.difference = share;
    check.element = element;
  }
  ++check.elements;
  if (!holds) ++check.failures;
  if (!holds) check.state = AuditCheck::State::failed;
}

void check_accounting(Run& run, std::vector<AuditCheck>& out, Diagnostics& diagnostics) {
  Diagnostics ignored;  // Formulas of an infeasible run may lack values; its violations give the reason.
  Checks checks(run, run.violations(ignored).empty() ? diagnostics : ignored);
  if (run.program().checks.empty()) {
    AuditCheck none;
    none.name = "checks";
    none.state = AuditCheck::State::skipped;
    none.why = fmt::format("the accounting `{}` declares none (`checks`)", run.accounting());
    out.push_back(std::move(none));
  }
  for (const Check& check : run.program().checks) out.push_back(checks.evaluate(check));
}

void check_expectations(Run& run, const std::vector<Expectation>& expectations, std::vector<AuditCheck>& out, Diagnostics& diagnostics) {
  for (const Expectation& expected : expectations) check_expectation(run, expected, out, diagnostics);
}

}  // namespace opledger
