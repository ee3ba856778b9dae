#include "run/documents.h"

#include <fmt/core.h>

#include "base/lists.h"
#include "run/document_fields.h"

namespace opledger {
namespace {

/// Returns the document if it names an accounting, else the nearest extended document that names one, else null.
const Document* naming_accounting(const Document& document, Library& library, Diagnostics& diagnostics) {
  if (document.root.find("accounting") != nullptr) return &document;
  if (document.root.find("extends") == nullptr) return nullptr;
  const Document* naming = nullptr;
  for (const Document* other : library.closure(document, {"extends"}, {document.kind, "accounting", "ops"}, diagnostics)) {
    if (other->kind == document.kind && other->root.find("accounting") != nullptr) naming = other;
  }
  return naming;
}

/// Loads the documents of a request in order: model, execution and system, then the accounting, then the stack. Last,
/// documents without a kind are checked against the accounting.
class DocumentLoader {
 public:
  DocumentLoader(const RunRequest& request, Library& library, Diagnostics& diagnostics) : request_(request), library_(library), diagnostics_(diagnostics) {}

  std::optional<RunDocuments> load() {
    const bool has_model = !request_.model.empty() && !request_.translated_inputs, has_system = !request_.system.empty();
    if (has_model) out_.model = library_.load(request_.model, {"model", kNoKind}, diagnostics_);
    out_.execution = library_.load(request_.execution, {"execution", kNoKind}, diagnostics_);
    if (has_system) out_.system = request_.read_system != nullptr ? request_.read_system : library_.load(request_.system, {"system", kNoKind}, diagnostics_);
    if ((has_model && out_.model == nullptr) || out_.execution == nullptr || (has_system && out_.system == nullptr)) return std::nullopt;
    return load_accounting() && load_stack() && check_kindless() ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  /// Chooses and loads the accounting in order of precedence: request, space, execution, default execution. `naming` is
  /// the document that names it; `accounting_name` is the name as written, for messages. `counting` gets the accounting
  /// and all documents that it uses or extends, each after its dependencies, then the space and further documents that
  /// it uses. Returns false, with errors, if a document can't be read.
  bool load_accounting() {
    if (!request_.space.empty() && (out_.space = library_.load(request_.space, {"search"}, diagnostics_)) == nullptr) return false;
    const Document* naming = out_.space != nullptr ? naming_accounting(*out_.space, library_, diagnostics_) : nullptr;
    if (naming == nullptr) naming = out_.execution;
    out_.accounting =
        request_.accounting.empty() ? accounting_of(*naming, library_, diagnostics_) : library_.load(request_.accounting, {"accounting"}, diagnostics_);
    if (out_.accounting == nullptr) return false;
    const Datum* named = naming->root.find("accounting");
    out_.accounting_name = !request_.accounting.empty() ? request_.accounting : named != nullptr ? named->text() : out_.accounting->name;
    out_.counting = library_.closure(*out_.accounting, {"uses", "extends"}, {"accounting", "ops"}, diagnostics_);
    if (out_.space != nullptr) {
      for (const Document* d : library_.closure(*out_.space, {"uses", "extends"}, {"search", "accounting", "ops"}, diagnostics_)) {
        if (!contains(out_.counting, d)) out_.counting.push_back(d);
      }
    }
    return !diagnostics_.has_errors();
  }

  /// Loads the stack that the request, the space or the execution names, with the stacks that it extends.
  bool load_stack() {
    const std::optional<Datum> named = request_.translated_inputs ? std::nullopt : named_stack(request_, out_.space, *out_.execution);
    if (!named) return true;
    const Document* const stack = library_.load(*named, {"stack"}, diagnostics_, (out_.space != nullptr ? out_.space : out_.execution)->path);
    if (stack != nullptr) out_.stacks = library_.closure(*stack, {"extends"}, {"stack"}, diagnostics_);
    return stack != nullptr && !diagnostics_.has_errors();
  }

  /// Checks documents without a kind against the fields that the accounting declares.
  bool check_kindless() {
    std::vector<std::pair<const char*, const Document*>> all = {{"model", out_.model}, {"execution", out_.execution}, {"system", out_.system}};
    for (const auto& [_, system] : request_.systems) all.emplace_back("system", system);
    bool good = true;
    for (const auto& [role, document] : all)
      good = (document == nullptr || check_role(*document, role, out_.counting, out_.accounting_name, diagnostics_)) && good;
    return good;
  }

  const RunRequest& request_;
  Library& library_;
  Diagnostics& diagnostics_;
  RunDocuments out_;
};

}  // namespace

std::optional<RunDocuments> load_documents(const RunRequest& request, Library& library, Diagnostics& diagnostics) {
  return DocumentLoader(request, library, diagnostics).load();
}

std::optional<Datum> named_stack(const RunRequest& request, const Document* space, const Document& execution) {
  std::optional<Datum> named;
  for (const Document* document : {&execution, space}) {
    const Datum* const stack = document == nullptr || document->kind.empty() ? nullptr : document->root.find(kStack);
    if (stack != nullptr) named = *stack;
  }
  for (const auto& [key, value] : request.overrides) {
    if (key == kStack) named = Datum::scalar(value, false, place_of_setting(key, value));
  }
  for (const FieldAssignment& field : request.fields) {
    if (field.name == kStack) named = field.value;
  }
  return named && named->text() != kNoStack ? named : std::nullopt;
}

const Document* accounting_of(const Document& document, Library& library, Diagnostics& diagnostics) {
  const Document* naming = naming_accounting(document, library, diagnostics);
  if (naming == nullptr) naming = library.load(kDefaultExecution, {"execution"}, diagnostics);
  const Datum* named = naming == nullptr ? nullptr : naming->root.find("accounting");
  if (named == nullptr) {
    if (naming != nullptr)
      diagnostics.error(naming->root.span(), fmt::format("no accounting is named, and none by the execution `{}` either", kDefaultExecution));
    return nullptr;
  }
  return library.load(named->text(), {"accounting"}, diagnostics, named->span(), naming->path);
}

}  // namespace opledger
