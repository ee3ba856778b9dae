#include "questions/explain.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/command.h"
#include "report/explanations.h"
#include "report/writers.h"

namespace opledger {
namespace {

std::vector<std::string> explainable(const Run& run) {
  std::vector<std::string> names = names_of(run.program().global->names);
  std::sort(names.begin(), names.end());  // of equally near names the first is suggested
  if (!run.has_graph()) return names;
  for (const Node& node : run.graph().nodes) names.push_back(node.name);
  return names;
}

constexpr const char* kExplained = "a metric (`opledger list metrics`) or another name of the accounting, or a node (`opledger graph`)";

/// Whether the last word is one of the documents of the run, so that what is asked for is missing.
bool is_document(const std::string& word, Library& library) {
  Diagnostics unheard;
  return library.load(word, {"model", "execution", "system"}, unheard) != nullptr;
}

/// What can't be computed of a run that is impossible fails for that.
std::optional<Explanations> explained(Run& run, const std::string& name, const ExplainOptions& how, Diagnostics& diagnostics) {
  const std::vector<Violation> violations = run.violations(diagnostics);
  Diagnostics own;
  std::optional<Explanations> out = explain_name(run, name, how, own);
  if (violations.empty()) diagnostics.append(std::move(own));
  if (out || violations.empty()) return out;
  for (const Violation& v : violations) diagnostics.error(v.at, v.message);
  return out;
}

/// A name of the accounting, else a node or a pattern for nodes.
std::optional<Explanations> explanations(Run& run, const std::string& name, const ExplainOptions& how, Library& library, Diagnostics& diagnostics) {
  if (is_explainable(run, name)) return explained(run, name, how, diagnostics);
  Diagnostics of_nodes;
  std::optional<Explanations> out = run.has_graph() ? explain_nodes(run, name, how, of_nodes) : std::nullopt;
  if (out) {
    diagnostics.append(std::move(of_nodes));
    return out;
  }
  diagnostics.error({}, is_document(name, library) ? fmt::format("NAME is missing behind `{}`: what is to be explained, {}", name, kExplained)
                                                   : fmt::format("there is no metric, name or node `{}`{}", name, suggestion(name, explainable(run))));
  return std::nullopt;
}

}  // namespace

Outcome explain_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  std::vector<std::string> documents = options.arguments;
  const std::string name = documents.back();
  documents.pop_back();
  const std::unique_ptr<Run> run = Run::prepare(run_request(options, documents), library, diagnostics);
  if (!run) return {};
  const ExplainOptions how{options.depth, options.terms, options.at};
  const std::optional<Explanations> found = explanations(*run, name, how, library, diagnostics);
  if (!found) return {};
  return {find_format(options.format) == Format::json ? write_explanations_json(*found) : write_explanations_text(*found), {}};
}

}  // namespace opledger
