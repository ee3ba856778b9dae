#include "questions/explain/explain.h"

#include <fmt/core.h>

#include <utility>

#include "cli/command.h"
#include "report/explanations.h"
#include "report/writers.h"

namespace opledger {
namespace {

constexpr const char* kExplained = "a metric (`opledger list metrics`) or another name of the accounting, or a node (`opledger graph`)";

/// Returns whether a word is a document of a run; as the last argument it shows that NAME is missing.
bool is_document(const std::string& word, Library& library) {
  Diagnostics ignored;
  return library.load(word, {"model", "execution", "system"}, ignored) != nullptr;
}

std::optional<Explanations> explain_name(Run& run, const std::string& name, const ExplainOptions& explain_options, Library& library, Diagnostics& diagnostics) {
  Diagnostics messages;
  std::optional<Explanations> out = explain(run, name, explain_options, messages);
  if (!out && !is_explainable(run, name) && is_document(name, library))
    diagnostics.error({}, fmt::format("NAME is missing after `{}`: {}", name, kExplained));
  else
    diagnostics.append(std::move(messages));
  return out;
}

}  // namespace

Outcome explain_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  std::vector<std::string> documents = options.arguments;
  const std::string name = documents.back();
  documents.pop_back();
  const std::unique_ptr<Run> run = Run::prepare(run_request(options, documents), library, diagnostics);
  if (!run) return {};
  const ExplainOptions explain_options{options.depth, options.terms, options.at};
  const std::optional<Explanations> found = explain_name(*run, name, explain_options, library, diagnostics);
  if (!found) return {};
  // Values of an infeasible run are explained too, since they tell why it is infeasible.
  return {find_format(options.format) == Format::json ? write_explanations_json(*found) : write_explanations_text(*found),
          infeasible_lines(run->violations(diagnostics))};
}

}  // namespace opledger
