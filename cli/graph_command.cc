#include <fmt/core.h>

#include "cli/command.h"
#include "graph/print.h"
#include "report/graph_json.h"

namespace opledger {

Outcome graph_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  const std::unique_ptr<Run> run = Run::prepare(run_request(options, options.arguments), library, diagnostics);
  if (!run) return {};
  if (!run->has_graph()) {
    diagnostics.error({}, fmt::format("the accounting `{}` counts by formulas alone: there is no graph to show", run->accounting()));
    return {};
  }
  const AnnotatedGraph* const shown = run->graph_at(options.cases, diagnostics);
  if (shown == nullptr) return {};
  const Graph& graph = shown->graph;
  // Without an execution there is nothing to say of placements.
  const Annotations* annotations = options.arguments.size() > 1 ? &shown->annotations : nullptr;
  if (options.format == "json") return {write_graph_json(graph, annotations), {}};
  if (options.format == "dot") return {to_dot(graph, annotations), {}};
  return {annotations != nullptr ? to_text(graph, *annotations) : to_text(graph), {}};
}

}  // namespace opledger
