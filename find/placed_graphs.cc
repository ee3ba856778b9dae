#include "find/placed_graphs.h"

#include <fmt/core.h>

#include <algorithm>

#include "expr/parser.h"
#include "run/extensions.h"

namespace opledger {

std::unique_ptr<PlacedGraphs> PlacedGraphs::prepare(const RunRequest& request, Library& library, Diagnostics& diagnostics) {
  std::unique_ptr<PlacedGraphs> out(new PlacedGraphs());
  out->run_ = LinkedRun::link(request, library, diagnostics);
  if (out->run_ == nullptr || diagnostics.has_errors()) return nullptr;
  if (!out->run_->has_model()) {
    diagnostics.error({}, fmt::format("the accounting `{}` needs no graph, so the run has no nodes to place", out->run_->accounting()));
    return nullptr;
  }
  out->deciding_.emplace(out->run_->program());
  GraphSources sources = out->run_->graph_sources();
  sources.silent = true;
  out->builder_ = GraphBuilder::build(sources, *out->deciding_, out->messages_);
  if (out->builder_ != nullptr) return out;
  diagnostics.append(std::move(out->messages_));
  return nullptr;
}

std::string PlacedGraphs::take_reason() {
  const auto error = std::find_if(messages_.all().begin(), messages_.all().end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
  std::string out = error == messages_.all().end() ? "the run can't be evaluated" : error->message;
  messages_ = {};
  return out;
}

bool PlacedGraphs::holds(const Datum& condition) {
  const ExprPtr expr = parse_expression(condition.text(), condition.span(), messages_);
  return expr != nullptr && builder_->condition()(expr).value_or(false);
}

std::optional<Annotations> PlacedGraphs::annotate(const RuleSet& rules, std::string& reason) {
  std::optional<Annotations> out = builder_->annotate(rules);
  if (!out) reason = take_reason();
  return out;
}

std::unique_ptr<PlacedGraphs::Placed> PlacedGraphs::evaluate(Annotations annotations, std::string& reason) {
  auto out = std::unique_ptr<Placed>(new Placed{std::move(annotations), {}, {}, Evaluator(run_->program())});
  std::optional<GraphRun> bound = builder_->bind(graph(), out->annotations, out->formulas);
  if (bound) {
    out->run = std::move(*bound);
    run_->extensions().provide(out->evaluator, *run_, out->run);
    if (fill_sets(out->evaluator, out->run, messages_) && !messages_.has_errors()) return out;
  }
  reason = take_reason();
  return nullptr;
}

std::unique_ptr<TensorDerivation> PlacedGraphs::derive_tensors(Diagnostics& diagnostics) {
  return TensorDerivation::begin(graph(), builder_->mesh(), rules(), builder_->condition(), builder_->queries(), diagnostics);
}

std::optional<Value> metric_of(PlacedGraphs::Placed& placed, const LinkedRun& run, const std::string& name) {
  Diagnostics ignored;
  const std::optional<Published> metric = run.program().metric(name, ignored);
  if (!metric) return std::nullopt;
  Answer answer = placed.evaluator.ask(*metric);
  return answer.report(ignored) ? std::optional(std::move(answer.value)) : std::nullopt;
}

}  // namespace opledger
