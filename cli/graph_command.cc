#include <fmt/core.h>

#include "cli/command.h"
#include "graph/print.h"
#include "questions/graph_notes.h"
#include "report/graph_json.h"

namespace opledger {

/// Runs `graph`: writes the operator graph of a run at the case words of `--case`, as text, JSON or a Graphviz drawing.
/// Without an execution the graph is written bare: its placements and costs would be those of a single processor. An
/// accounting without a graph is an error, and SVG is left to Graphviz.
Outcome graph_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  if (options.format == "svg") {
    diagnostics.error({}, "`--format svg`: Graphviz draws it (`apt install graphviz`): `opledger graph … --format dot | dot -Tsvg -o graph.svg`");
    return {};
  }
  const std::unique_ptr<Run> run = Run::prepare(run_request(options, options.arguments), library, diagnostics);
  if (!run) return {};
  if (!run->has_graph()) {
    diagnostics.error({}, fmt::format("the accounting `{}` counts by formulas alone: there is no graph to show", run->accounting()));
    return {};
  }
  const std::optional<Run::CaseGraph> case_graph = run->graph_at(options.cases, diagnostics);
  if (!case_graph) return {};
  const Graph& graph = case_graph->graph->graph;
  // A graph without an execution has no placements and no costs.
  const Annotations* annotations = options.arguments.size() > 1 ? &case_graph->graph->annotations : nullptr;
  if (options.format == "json") return {write_graph_json(graph, annotations), {}};
  if (options.format == "dot") return {annotations != nullptr ? to_dot(graph, annotations, graph_notes(*case_graph)) : to_dot(graph, nullptr), {}};
  return {annotations != nullptr ? to_text(graph, *annotations) : to_text(graph), {}};
}

}  // namespace opledger
