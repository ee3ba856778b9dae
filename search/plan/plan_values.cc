#include "search/plan/plan_values.h"

#include <fmt/core.h>

#include "base/text.h"
#include "expr/parser.h"
#include "expr/quantity.h"
#include "formulas/link/linker.h"
#include "ops/definition.h"
#include "search/candidate_run.h"

namespace opledger {
namespace {

/// Returns the expression with numbers in place of names.
ExprPtr with_numbers(const ExprPtr& expr, const std::map<std::string, ExprPtr>& numbers) {
  const auto found = expr->kind == Expr::Kind::name ? numbers.find(expr->text) : numbers.end();
  if (found != numbers.end()) return found->second;
  auto out = std::make_shared<Expr>(*expr);
  for (ExprPtr& arg : out->args) arg = with_numbers(arg, numbers);
  return out;
}

ExprPtr number_of(double value, const Dimension& dimension) {
  auto out = std::make_shared<Expr>();
  out->kind = Expr::Kind::number;
  out->number = value;
  out->dimension = dimension;
  out->text = exact(value);
  return out;
}

/// Returns the number in a text, in base units of `unit`; a plain number is in this unit. Nothing for other texts.
std::optional<double> number_in(const std::string& text, const Unit& unit, bool binary) {
  double value = 0;
  Dimension dimension;
  if (unit.dimension.plain()) {
    if (binary) return binary_count(text);
    const std::optional<std::string> count = plain_count(text);
    return count && parse_quantity(*count, value, dimension) ? std::optional(value) : std::nullopt;
  }
  if (!parse_quantity(text, value, dimension)) return std::nullopt;
  if (dimension.plain()) return value * unit.factor;
  return dimension == unit.dimension ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<PlanValues> PlanValues::read(const PlanQuestion& question, Library& library, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  const Datum& options = *question.plan->root.find("options");
  for (const auto& [name, _] : question.texts) {
    if (options.find(name) == nullptr)
      diagnostics.error(
          {}, fmt::format("the plan `{}` has no option `--{}`{}", question.plan->name, name, known_names(name, "options", names_of(options.entries()))));
  }
  PlanValues out(question, library);
  // Options with a formula follow, because their formulas may read the model with the values of the others.
  for (const bool has_formula : {false, true}) {
    for (const auto& [name, option] : options.entries()) {
      if ((option.find("is") != nullptr) == has_formula) out.read_option(name.text(), option, diagnostics);
    }
  }
  if (diagnostics.errors() > errors) return std::nullopt;
  return out;
}

bool PlanValues::read_option(const std::string& name, const Datum& option, Diagnostics& diagnostics) {
  const auto given = question_.texts.find(name);
  const Datum* const usual = option.find("default");
  if (given == question_.texts.end() && usual == nullptr) {
    const Datum* const required = option.find("required");
    const bool is_required = required != nullptr && required->boolean().value_or(false);
    if (is_required) diagnostics.error({}, fmt::format("the plan `{}` needs `--{}`: {}", question_.plan->name, name, option.find("doc")->text()));
    return !is_required;
  }
  std::string text = given != question_.texts.end() ? given->second : usual->text();
  if (given == question_.texts.end() && option.find("unit") != nullptr && !number_of_default(*usual, text, diagnostics)) return false;
  if (given == question_.texts.end()) assumed_.emplace_back(name, text);
  if (const Datum* rules = option.find("rules"); rules != nullptr && rules->boolean().value_or(false)) return add_rules(text, diagnostics);
  const Datum* const sets = option.find("sets");
  if (sets == nullptr) {
    diagnostics.error(option.span(), fmt::format("option `{}` needs `sets` or `rules`", name));
    return false;
  }
  const std::vector<std::string> words = option.texts("words");
  if (!words.empty() && !contains(words, text)) {
    diagnostics.error({}, fmt::format("`--{}`: expected {}, found `{}` ({})", name, join(words, ", "), text, option.find("doc")->text()));
    return false;
  }
  const auto add_settings = [&](const std::string& value) {
    for (const Datum& input : sets->all()) settings_.emplace_back(input.text(), value);
  };
  const Datum* const unit_text = option.find("unit");
  if (unit_text == nullptr) {
    add_settings(text);
    return true;
  }
  const std::optional<Unit> unit = parse_unit(unit_text->text());
  if (!unit) {
    diagnostics.error(unit_text->span(), fmt::format("unknown unit `{}`", unit_text->text()));
    return false;
  }
  const Datum* const binary = option.find("binary");
  const std::optional<double> number = number_in(text, *unit, binary != nullptr && binary->boolean().value_or(false));
  if (!number || !(*number > 0)) {
    const char* const expected = unit->dimension.plain() ? "a number above 0, such as 64, 300B or 2T" : "a number above 0 in";
    diagnostics.error({}, fmt::format("`--{}`: expected {}{}, found `{}` ({})", name, expected, unit->dimension.plain() ? "" : " " + unit_text->text(), text,
                                      option.find("doc")->text()));
    return false;
  }
  numbers_[name] = number_of(*number, unit->dimension);
  std::string setting = exact(*number / unit->factor) + (unit->dimension.plain() ? "" : " " + unit_text->text());
  if (const Datum* formula = option.find("is")) {
    const std::optional<Value> value = this->value(*formula, diagnostics, name);
    if (!value) return false;
    setting = as_written(*value);
  }
  add_settings(setting);
  return true;
}

bool PlanValues::number_of_default(const Datum& usual, std::string& text, Diagnostics& diagnostics) {
  if (plain_count(text) || binary_count(text)) return true;
  const std::optional<Value> value = this->value(usual, diagnostics);
  if (value) text = as_written(*value);
  return value.has_value();
}

bool PlanValues::add_rules(const std::string& text, Diagnostics& diagnostics) {
  std::vector<Datum> names = rules_ ? rules_->items() : std::vector<Datum>{};
  if (text == "published") {
    const Document* const model = library_.load(question_.model, {"model"}, diagnostics);
    if (model == nullptr) return false;
    for (const std::string& rule : model->root.texts("published_rules")) names.push_back(Datum::scalar(rule, false, {}));
  } else if (text != "none") {
    for (const std::string& rule : split(text, ',')) names.push_back(Datum::scalar(rule, false, {}));
  }
  rules_ = Datum::list(std::move(names), {});
  return true;
}

Run* PlanValues::model_run(Diagnostics& diagnostics) {
  if (run_ != nullptr) return run_.get();
  const Datum& first = question_.plan->root.find("searches")->items().front();
  const Document* const space = library_.load(*first.find("space"), {"search"}, diagnostics);
  if (space == nullptr) return nullptr;
  const Document* const accounting = accounting_of(*space, library_, diagnostics);
  if (accounting == nullptr) return nullptr;
  RunRequest request;
  request.model = question_.model;
  request.system = question_.system;
  request.accounting = accounting->path.string();
  run_ = Run::prepare(request, library_, diagnostics);
  if (run_ == nullptr) return nullptr;
  // Settings of the model's parameters change the values that formulas read; other inputs belong to the searches.
  const auto add = [&](const auto& settings) {
    for (const auto& [key, text] : settings) {
      if (run_->program().model->names.count(key) != 0) request.overrides.emplace_back(key, text);
    }
  };
  add(settings_);
  add(question_.overrides);
  if (!request.overrides.empty()) run_ = Run::prepare(request, library_, diagnostics);
  return run_.get();
}

std::optional<Value> PlanValues::value(const Datum& formula, Diagnostics& diagnostics, const std::string& it) {
  ExprPtr expr = parse_formula(formula, "formula", diagnostics);
  Run* const run = expr == nullptr ? nullptr : model_run(diagnostics);
  if (run == nullptr) return std::nullopt;
  std::map<std::string, ExprPtr> numbers = numbers_;
  if (!it.empty()) {
    const auto number = numbers_.find(it);
    if (number == numbers_.end()) return std::nullopt;
    numbers["it"] = number->second;
  }
  expr = with_numbers(expr, numbers);
  const Formula* const linked = Linker(run->program(), run->evaluator().queries(), diagnostics).link(expr, *run->program().model);
  if (linked == nullptr) return std::nullopt;
  const Answer answer = run->evaluator().ask(*linked);
  return answer.report(diagnostics) ? std::optional(answer.value) : std::nullopt;
}

}  // namespace opledger
