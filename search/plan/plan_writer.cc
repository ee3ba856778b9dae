#include "search/plan/plan_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "formulas/evaluate/render_message.h"
#include "formulas/read/table_reader.h"
#include "ops/definition.h"
#include "search/candidate_run.h"

namespace opledger {

std::unique_ptr<Run> run_of(const SearchRequest& request, const SearchAnswer& answer, const SearchAnswer::Candidate& candidate, Library& library,
                            Diagnostics& diagnostics) {
  // Warnings are ignored, because the searches reported them.
  Diagnostics messages;
  std::unique_ptr<Run> run = Run::prepare(candidate_run(request, answer, candidate), library, messages);
  if (run == nullptr) diagnostics.append(std::move(messages));
  return run;
}

PlanWriter::PlanWriter(Run& run, Diagnostics& diagnostics)
    : run_(run), linker_(run.program(), run.evaluator().queries(), diagnostics), diagnostics_(diagnostics) {}

std::optional<std::string> PlanWriter::text(const Datum& message) {
  const std::size_t errors = diagnostics_.errors();
  const std::vector<MessagePart> parts = read_message(message, *run_.program().model, linker_, diagnostics_);
  if (diagnostics_.errors() > errors) return std::nullopt;
  return render_message(run_.evaluator(), parts, nowhere(), diagnostics_);
}

std::optional<Value> PlanWriter::value(const Datum& formula) {
  const ExprPtr expr = parse_formula(formula, "formula", diagnostics_);
  const Formula* const linked = expr == nullptr ? nullptr : linker_.link(expr, *run_.program().model);
  if (linked == nullptr) return std::nullopt;
  const Answer answer = run_.evaluator().ask(*linked);
  return answer.report(diagnostics_) ? std::optional(answer.value) : std::nullopt;
}

std::optional<PlanLine> PlanWriter::line(const std::string& label, const Datum& parts) {
  PlanLine out{label, {}};
  for (const Datum& part : parts.items()) {
    if (const Datum* when = part.find("when")) {
      const std::optional<Value> holds = value(*when);
      if (!holds) return std::nullopt;
      if (as_truth(*holds).scalar.value == 0) continue;
    }
    const Datum* const say = part.is_map() ? part.find("say") : &part;
    std::optional<std::string> text = say != nullptr ? this->text(*say) : std::string();
    if (const Datum* largest = part.find("largest"); largest != nullptr && text) text = *text + shares(*largest, part);
    if (!text) return std::nullopt;
    const Datum* const error = part.find("error");
    out.parts.push_back({*text, error != nullptr && error->boolean().value_or(false)});
  }
  return out;
}

std::string PlanWriter::shares(const Datum& numbers, const Datum& part) {
  const Datum *const of = part.find("of"), *const count = part.find("count");
  const std::optional<Value> whole = of != nullptr ? value(*of) : std::nullopt;
  std::vector<std::pair<double, std::string>> found;
  for (const auto& [name, formula] : numbers.entries()) {
    const std::optional<Value> number = value(formula);
    if (number && whole && number->is_number()) found.emplace_back(number->scalar.value / whole->scalar.value, name.text());
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  found.resize(std::min(found.size(), static_cast<std::size_t>(count != nullptr ? count->number().value_or(3) : 3)));
  std::string out;
  for (const auto& [share, name] : found) {
    if (share >= 0.005) out += fmt::format("{}{} {:.0f} %", out.empty() ? "" : ", ", name, 100 * share);
  }
  return out;
}

}  // namespace opledger
