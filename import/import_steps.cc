#include "import/import_steps.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "expr/printer.h"
#include "schemas/document.h"

namespace opledger {
namespace {

/// Adds a document to the library under a name. Returns false and reports errors if the text is no valid document.
bool provide(const std::string& text, const std::string& name, const std::string& file, Library& library, Diagnostics& diagnostics) {
  const auto source = std::make_shared<const SourceFile>(file, text);
  const std::optional<Datum> root = parse_document(source, diagnostics);
  return root && !diagnostics.has_errors() && library.provide(name, source->path, *root, diagnostics) != nullptr;
}

std::string doc_of(const Document& document) {
  const Datum* doc = document.root.find("doc");
  return doc != nullptr ? doc->text() : document.name;
}

/// Returns whether a formula contains a number outside of exponents. An exponent only states how one size follows
/// from another.
bool has_number(const Expr& formula) {
  if (formula.kind == Expr::Kind::operation && formula.op == Op::power) return has_number(*formula.args.front());
  return formula.kind == Expr::Kind::number || std::any_of(formula.args.begin(), formula.args.end(), [](const ExprPtr& part) { return has_number(*part); });
}

}  // namespace

void warn_of_defaults(const Run& run, const FamilyMapping& family, Diagnostics& diagnostics) {
  if (!run.has_graph() || run.model() == nullptr) return;
  const Datum* parameters = run.model_document()->root.find("parameters");
  for (const DimensionInfo& dimension : run.graph().dimensions) {
    const auto known = run.model()->defaults.find(dimension.name);
    const bool is_present = parameters != nullptr && parameters->find(dimension.name) != nullptr;
    if (is_present || dimension.size != nullptr || known == run.model()->defaults.end() || !has_number(*known->second)) continue;
    diagnostics.warning(family.graph.span(), fmt::format("the mapping `{}` gives no `{}`: blocks use {}; write it below `model: parameters`",
                                                         family.config.name(), dimension.name, to_source(*known->second)));
  }
}

const Document* find_mapping(const char* key, const char* noun, const Datum& word, const char* advice, Library& library, Diagnostics& diagnostics) {
  // Searches all mappings of the library for the word under the key; the first match wins. A mapping that can't be
  // loaded is skipped. Its errors are reported only if no other mapping matches, because the unreadable one may have
  // the word.
  std::vector<std::string> known;
  Diagnostics messages;  // Errors of mappings that can't be loaded.
  for (const std::string& name : library.names("import")) {
    const Document* document = library.load(name, {"import"}, messages);
    if (document == nullptr) continue;
    for (std::string& other : document->root.texts(key)) {
      if (other == word.text()) return document;
      known.push_back(std::move(other));
    }
  }
  std::sort(known.begin(), known.end());
  const std::string meant = suggestion(word.text(), known);
  constexpr std::size_t kMostNamed = 20;
  const std::string all = known.size() > kMostNamed ? "the mappings of `opledger list import`" : join(known, ", ");
  diagnostics.error(word.span(), fmt::format("no mapping knows the {} `{}`{}", noun, word.text(), meant))
      .note({}, fmt::format("known are {}; {}", all, advice));
  diagnostics.append(std::move(messages));
  return nullptr;
}

DocumentHeading heading_of(const std::string& name, const Document& mapping, std::string source, const char* advice) {
  return {name, doc_of(mapping), std::move(source), fmt::format("Imported with the mapping `{}`. {}", visible(mapping.name), advice)};
}

std::unique_ptr<Run> build_imported(const ImportedDocuments& imported, const ImportRequest& request, Library& library, Diagnostics& diagnostics) {
  // The new documents are added to the library under names that no file can have, then a run names them. Warnings of
  // a successful run are dropped, since they concern the documents and not the import.
  Diagnostics messages;
  RunRequest run;
  run.model = request.base_model;
  run.system = request.system;
  run.overrides = request.system_settings;
  bool fine = true;
  if (!imported.text.empty()) {
    run.model = "imported " + request.name;  // A name with a blank differs from every name on the search path.
    fine = provide(imported.text, run.model, request.name + ".yaml", library, messages);
  }
  if (!imported.execution.empty()) {
    run.execution = "imported run " + request.execution;
    fine = fine && provide(imported.execution, run.execution, request.execution + ".yaml", library, messages);
  }
  std::unique_ptr<Run> built = fine ? Run::prepare(run, library, messages) : nullptr;
  if (built == nullptr) diagnostics.append(std::move(messages));
  return built;
}

}  // namespace opledger
