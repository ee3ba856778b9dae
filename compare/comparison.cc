#include "compare/comparison.h"

#include <fmt/core.h>

#include <cmath>

#include "base/text.h"
#include "formulas/link/published.h"

namespace opledger {
namespace {

/// Returns the metrics of the run's accounting without duplicates: those of its report `eval` first.
std::vector<const Published*> metrics_of(const Run& run) {
  std::vector<const Published*> out;
  const auto add = [&](const Published* published) {
    if (published != nullptr && !contains(out, published)) out.push_back(published);
  };
  const auto report = run.program().reports.find("eval");
  if (report != run.program().reports.end()) {
    for (const ReportPart& part : report->second) {
      for (const auto& [_, name] : part.metrics) add(run.program().find_published(name));
    }
  }
  for (const Published& published : run.program().published) add(&published);
  return out;
}

/// Returns the error of the first declared metric that can't be computed for the translated run; empty if all can.
std::string first_failure(TranslatedRun& translated, const Run& own) {
  const Comparison* declared = comparison_with(*translated.run, own);
  if (declared == nullptr) return "";
  for (const Counterpart& c : declared->metrics) {
    const Answer answer = translated.run->evaluator().ask(*c.own);
    if (!answer.known()) return answer.error->message;
  }
  return "";
}

/// Returns the inputs of a translated run that the translation supplied; none if the run was not translated.
std::vector<ComparedInput> inputs_of(Run& run) {
  std::vector<ComparedInput> out;
  if (!run.request().translated_inputs) return out;
  for (const FieldAssignment& input_value : *run.request().translated_inputs) {
    const Name* input = run.program().find(input_value.name);
    if (input != nullptr) out.push_back({input_value.name, run.evaluator().ask(*input).value, input_value.value.span()});
  }
  return out;
}

std::string in_unit(const Value& value) {
  if (!value.is_number()) return "no number";
  return value.unit.plain() ? "a plain number" : "in " + to_string(value.unit);
}

/// Reports metrics that the accounting declares counterparts for and that the run's accounting lacks.
void add_unknown(const ComparedAccounting& accounting, const Run& run, RunComparison& out) {
  const std::vector<std::string> known = names_of(run.program().published);
  const Comparison* declared = comparison_with(*accounting.translated->run, run);
  for (const Counterpart& c : declared == nullptr ? std::vector<Counterpart>{} : declared->metrics) {
    if (run.program().find_published(c.other) == nullptr)
      out.not_compared.push_back(
          {c.other, accounting.translated->accounting, fmt::format("`{}` has no metric of this name{}", run.accounting(), suggestion(c.other, known))});
  }
}

}  // namespace

/// Works in two passes. The first one translates the run to each accounting and keeps the translations that can
/// compute every declared metric. Errors of an infeasible run are expected and do not exclude its translation. The
/// second pass visits each metric of the run and looks up its counterpart in each translation. A metric with a number
/// in no translation is left out. A counterpart with an incompatible unit is recorded as not comparable. The cost is
/// metrics times accountings.
RunComparison compare_accountings(Run& run, const std::vector<std::string>& accountings, Library& library) {
  RunComparison out;
  for (const std::string& accounting : accountings) {
    std::unique_ptr<TranslatedRun> translated = translate_run(run, accounting, library);
    if (translated->run == nullptr) {
      out.left_out.push_back(std::move(translated));
      continue;
    }
    Run& other = *translated->run;
    std::vector<Violation> violations = other.violations(translated->messages);
    if (violations.empty()) translated->why = first_failure(*translated, run);
    if (!translated->why.empty()) {
      translated->run = nullptr;
      out.left_out.push_back(std::move(translated));
      continue;
    }
    out.accountings.push_back({std::move(translated), inputs_of(other), std::move(violations)});
  }
  for (const ComparedAccounting& accounting : out.accountings) add_unknown(accounting, run, out);
  for (const Published* metric : metrics_of(run)) {
    ComparedQuantity quantity{
        metric->name, {compared_value(run, *metric->metric, run.evaluator().choose(nowhere(), metric->at))}, declared_unit(*metric->metric)};
    if (!quantity.value(0).is_number()) continue;
    bool answered = false;
    for (const ComparedAccounting& accounting : out.accountings) {
      ComparedValue other = counterpart(*accounting.translated->run, run, metric->name);
      const bool is_comparable = comparable(quantity.value(0), other.value);
      if (other.value.kind != Value::Kind::nothing && !is_comparable) {
        out.not_compared.push_back(
            {quantity.name, accounting.translated->accounting, fmt::format("it is {} there, and {} here", in_unit(other.value), in_unit(quantity.value(0)))});
        other.value = {};
      }
      answered = answered || is_comparable;
      quantity.values.push_back(std::move(other));
    }
    if (answered) out.quantities.push_back(std::move(quantity));
  }
  return out;
}

}  // namespace opledger
