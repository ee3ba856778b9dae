// Explains a request: a name of the accounting, or a pattern of nodes.
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "questions/explain/explain.h"

namespace opledger {
namespace {

std::vector<std::string> explainable(const Run& run) {
  std::vector<std::string> names = names_of(run.program().global->names);
  std::sort(names.begin(), names.end());  // Suggestions prefer the first of equally near names.
  if (!run.has_graph()) return names;
  for (const Node& node : run.graph().nodes) names.push_back(node.name);
  return names;
}

std::optional<Explanations> explain_known(Run& run, const std::string& name, const ExplainOptions& options, Diagnostics& diagnostics) {
  const std::vector<Violation> violations = run.violations(diagnostics);
  Diagnostics own;
  std::optional<Explanations> out = explain_name(run, name, options, own);
  if (violations.empty()) diagnostics.append(std::move(own));
  if (out || violations.empty()) return out;
  for (const Violation& v : violations) diagnostics.error(v.at, v.message);
  return out;
}

}  // namespace

std::optional<Explanations> explain(Run& run, const std::string& name, const ExplainOptions& options, Diagnostics& diagnostics) {
  if (is_explainable(run, name)) return explain_known(run, name, options, diagnostics);
  Diagnostics of_nodes;
  std::optional<Explanations> out = run.has_graph() ? explain_nodes(run, name, options, of_nodes) : std::nullopt;
  if (out)
    diagnostics.append(std::move(of_nodes));
  else
    diagnostics.error({}, fmt::format("there is no metric, name or node `{}`{}", name, suggestion(name, explainable(run))));
  return out;
}

}  // namespace opledger
