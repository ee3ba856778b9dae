#include "questions/explain/explain.h"

#include <fmt/core.h>

#include <utility>

#include "cli/command.h"
#include "report/explanations.h"
#include "report/writers.h"

namespace opledger {
namespace {

constexpr const char* kExplained = "a metric (`opledger list metrics`) or another name of the accounting, or a node (`opledger graph`)";

/// Whether the last word is one of the documents of the run, so that what is asked for is missing.
bool is_document(const std::string& word, Library& library) {
  Diagnostics unheard;
  return library.load(word, {"model", "execution", "system"}, unheard) != nullptr;
}

std::optional<Explanations> explained(Run& run, const std::string& name, const ExplainOptions& how, Library& library, Diagnostics& diagnostics) {
  Diagnostics own;
  std::optional<Explanations> out = explain(run, name, how, own);
  if (!out && !is_explainable(run, name) && is_document(name, library))
    diagnostics.error({}, fmt::format("NAME is missing behind `{}`: what is to be explained, {}", name, kExplained));
  else
    diagnostics.append(std::move(own));
  return out;
}

}  // namespace

Outcome explain_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  std::vector<std::string> documents = options.arguments;
  const std::string name = documents.back();
  documents.pop_back();
  const std::unique_ptr<Run> run = Run::prepare(run_request(options, documents), library, diagnostics);
  if (!run) return {};
  const ExplainOptions how{options.depth, options.terms, options.at};
  const std::optional<Explanations> found = explained(*run, name, how, library, diagnostics);
  if (!found) return {};
  return {find_format(options.format) == Format::json ? write_explanations_json(*found) : write_explanations_text(*found), {}};
}

}  // namespace opledger
