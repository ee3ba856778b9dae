#include "run/case_graphs.h"

#include <algorithm>

namespace opledger {

const AnnotatedGraph* find_graph(const LinkedRun& run, AnnotatedGraphs& all, bool silent, Evaluator& evaluator, Diagnostics& diagnostics) {
  Inquiry axes(evaluator);
  GraphSources sources = run.graph_sources(evaluator.model());
  fill_axes(axes, *sources.mesh);
  if (!axes.good()) return diagnostics.append(std::move(axes.messages())), nullptr;
  if (const AnnotatedGraph* const known = find_equivalent(all, evaluator)) return known;
  sources.silent = sources.silent || silent;
  std::unique_ptr<AnnotatedGraph> graph = annotate_graph(sources, evaluator, diagnostics);
  return graph != nullptr ? add_graph(all, std::move(graph)) : nullptr;
}

const AnnotatedGraph* fill_graph(const LinkedRun& run, AnnotatedGraphs& all, bool silent, Evaluator& evaluator, Diagnostics& diagnostics) {
  const AnnotatedGraph* const graph = find_graph(run, all, silent, evaluator, diagnostics);
  if (graph == nullptr) return nullptr;
  run.extensions().provide(evaluator, run, graph->run);
  return fill_sets(evaluator, graph->run, diagnostics) && !diagnostics.has_errors() ? graph : nullptr;
}

void fill_cases(const LinkedRun& run, AnnotatedGraphs& all, Evaluator& evaluator) {
  evaluator.fill_cases([&run, &all](Evaluator& there) {
    Diagnostics messages;
    if (fill_graph(run, all, true, there, messages) != nullptr) return Answer{};
    const auto error = std::find_if(messages.all().begin(), messages.all().end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
    return Answer{
        {}, std::make_shared<Diagnostic>(error != messages.all().end() ? *error : Diagnostic{Severity::error, {}, "it can't be computed", {}}), false};
  });
}

}  // namespace opledger
