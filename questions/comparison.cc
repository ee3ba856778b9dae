#include "questions/comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "formulas/published.h"
#include "questions/counterparts.h"

namespace opledger {
namespace {

/// Metrics of the run's accounting: those of its report first, each once.
std::vector<const Published*> metrics_of(const Run& run) {
  std::vector<const Published*> out;
  const auto add = [&](const Published* published) {
    if (published != nullptr && std::find(out.begin(), out.end(), published) == out.end()) out.push_back(published);
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

/// The error of the first number that an accounting should have for the run, and has not. Empty: it has them all.
std::string first_failure(Restated& asked, const Run& own) {
  const Comparison* said = comparison_with(*asked.run, own);
  if (said == nullptr) return "";
  for (const Counterpart& c : said->metrics) {
    const Answer answer = asked.run->evaluator().ask(*c.own);
    if (!answer.known()) return answer.error->message;
  }
  return "";
}

/// Where the accounting says nothing of this one's metrics, those of the same name are meant.
ComparedValue value_in(Run& run, const Run& own, const std::string& name) {
  if (const Comparison* said = comparison_with(run, own)) {
    const auto found = std::find_if(said->metrics.begin(), said->metrics.end(), [&](const Counterpart& c) { return c.other == name; });
    if (found == said->metrics.end()) return {};
    return {value_or_nothing(run, *found->own, nowhere()), found->own->defs.front()->doc, formula_place(run, *found->own, nowhere())};
  }
  const Published* published = run.program().find_published(name);
  if (published == nullptr) return {};
  const Point at = run.evaluator().choose(nowhere(), published->at);
  return {value_or_nothing(run, *published->metric, at), "", formula_place(run, *published->metric, at)};
}

std::vector<ComparedInput> inputs_of(Run& run) {
  std::vector<ComparedInput> out;
  if (!run.request().taken) return out;
  for (const Given& given : *run.request().taken) {
    const Name* input = run.program().find(given.name);
    if (input != nullptr) out.push_back({given.name, value_or_nothing(run, *input, nowhere()), given.value.span()});
  }
  return out;
}

bool comparable(const Value& a, const Value& b) { return a.is_number() && b.is_number() && (a.unit == b.unit || a.any_unit || b.any_unit); }

std::string in_unit(const Value& value) {
  if (!value.is_number()) return "no number";
  return value.unit.plain() ? "a plain number" : "in " + to_string(value.unit);
}

/// Metrics that the accounting names, and that the run's own has not.
void add_unknown(const ComparedAccounting& accounting, const Run& run, RunComparison& out) {
  std::vector<std::string> known;
  for (const Published& p : run.program().published) known.push_back(p.name);
  const Comparison* said = comparison_with(*accounting.asked->run, run);
  for (const Counterpart& c : said == nullptr ? std::vector<Counterpart>{} : said->metrics) {
    if (run.program().find_published(c.other) == nullptr)
      out.not_compared.push_back(
          {c.other, accounting.asked->accounting, fmt::format("`{}` has no metric of this name{}", run.accounting(), suggestion(c.other, known))});
  }
}

}  // namespace

std::optional<double> ComparedQuantity::change(std::size_t other) const {
  const Value& v = others[other].value;
  if (!comparable(own, v) || own.scalar.value == 0) return std::nullopt;
  return (v.scalar.value - own.scalar.value) / std::fabs(own.scalar.value);
}

bool ComparedQuantity::notable(std::size_t other) const {
  if (const std::optional<double> share = change(other)) return std::fabs(*share) > kNotable;
  const Value& v = others[other].value;
  return comparable(own, v) && v.scalar.value != 0;
}

RunComparison compare_accountings(Run& run, const std::vector<std::string>& accountings, Library& library) {
  RunComparison out;
  for (const std::string& accounting : accountings) {
    std::unique_ptr<Restated> asked = restate(run, accounting, library);
    if (asked->run == nullptr) {
      out.left_out.push_back(std::move(asked));
      continue;
    }
    Run& other = *asked->run;
    std::vector<Violation> violations = other.violations(asked->messages);
    if (violations.empty()) asked->why = first_failure(*asked, run);
    if (!asked->why.empty()) {
      asked->run = nullptr;
      out.left_out.push_back(std::move(asked));
      continue;
    }
    out.accountings.push_back({std::move(asked), inputs_of(other), std::move(violations)});
  }
  for (const ComparedAccounting& accounting : out.accountings) add_unknown(accounting, run, out);
  for (const Published* metric : metrics_of(run)) {
    ComparedQuantity q{metric->name, declared_unit(*metric->metric), value_or_nothing(run, *metric->metric, run.evaluator().choose(nowhere(), metric->at)), {}};
    if (!q.own.is_number()) continue;
    bool answered = false;
    for (const ComparedAccounting& accounting : out.accountings) {
      ComparedValue& other = q.others.emplace_back(value_in(*accounting.asked->run, run, metric->name));
      answered = answered || comparable(q.own, other.value);
      if (other.value.kind == Value::Kind::nothing || comparable(q.own, other.value)) continue;
      out.not_compared.push_back({q.name, accounting.asked->accounting, fmt::format("it is {} there, and {} here", in_unit(other.value), in_unit(q.own))});
      other.value = {};
    }
    if (answered) out.quantities.push_back(std::move(q));
  }
  return out;
}

}  // namespace opledger
