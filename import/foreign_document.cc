#include "import/foreign_document.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "formulas/link/types.h"
#include "formulas/read/reader.h"
#include "run/document_fields.h"
#include "schemas/kinds.h"

namespace opledger {
namespace {

std::size_t common_fields(const Datum& declared, const Datum& document) {
  const auto& entries = document.entries();
  return static_cast<std::size_t>(
      std::count_if(entries.begin(), entries.end(), [&](const Datum::Entry& entry) { return declared.find(entry.first.text()) != nullptr; }));
}

std::vector<std::string> roles_of(const std::vector<const Document*>& accounting) {
  std::vector<std::string> roles;
  for (const Document* document : accounting) {
    const Datum* all = document->kind == "accounting" ? document->root.find("documents") : nullptr;
    if (all == nullptr) continue;
    for (const auto& [role, _] : all->entries()) roles.push_back(role.text());
  }
  return roles;
}

/// Sets role and declared fields of a document: the role whose fields the document has most of, and the first of
/// equals. A document of another tool does not state its kind, so its fields must show it. Returns false and reports
/// an error if the document has no declared field of any role.
bool find_role(const Sources& sources, const std::string& accounting, ForeignDocument& foreign, Diagnostics& diagnostics) {
  std::size_t most = 0;
  const std::vector<std::string> roles = roles_of(sources.documents);
  for (const std::string& role : roles) {
    const Datum* fields = declared_fields(sources.documents, role);
    const std::size_t common = common_fields(*fields, foreign.document->root);
    if (common <= most) continue;
    most = common;
    foreign.role = role;
    foreign.declared = fields;
  }
  if (most > 0) return true;
  diagnostics.error(foreign.document->root.span(), fmt::format("the document has no field that `{}` declares for: {}", accounting, join(roles, ", ")));
  return false;
}

/// Returns whether the accounting reads all fields of a role as inputs (key `open`).
bool is_open(const std::vector<const Document*>& accounting, const std::string& role) {
  return std::any_of(accounting.begin(), accounting.end(), [&](const Document* document) {
    const Datum* open = document->root.find("open");
    if (open == nullptr) return false;
    const auto is_role = [&](const Datum& name) { return name.text() == role; };
    return is_role(*open) || std::any_of(open->items().begin(), open->items().end(), is_role);
  });
}

/// Reports quoted values of fields whose type is neither a word nor a text. The linker would read such a text as a
/// formula, and other tools have no formulas.
void check_no_formulas(const Program& program, const ForeignDocument& foreign, Diagnostics& diagnostics) {
  for (const auto& [key, value] : foreign.document->root.entries()) {
    const Type& type = program.find(key.text())->type;
    const bool takes_text = type.kind == Type::Kind::words || type.kind == Type::Kind::text;
    if (!takes_text && value.is_scalar() && value.quoted())
      diagnostics.error(value.span(), fmt::format("`{}`: expected {}, found {}", key.text(), describe(program, type), value.describe()));
  }
}

/// Links the values with the accounting's inputs, which checks their types.
void check_values(Sources& sources, const ForeignDocument& foreign, Diagnostics& diagnostics) {
  if (is_open(sources.documents, foreign.role)) {
    const std::optional<Program> types = link_program(sources.program, diagnostics);
    if (types) check_no_formulas(*types, foreign, diagnostics);
    if (diagnostics.has_errors()) return;
    for (const auto& [key, value] : foreign.document->root.entries()) sources.program.execution.push_back({key.text(), value, key.span()});
  } else {
    sources.program.records.emplace_back(foreign.role, foreign.document->root);
  }
  link_program(sources.program, diagnostics);
}

}  // namespace

const Document* load_kindless(const std::string& file, Library& library, Diagnostics& diagnostics) {
  std::vector<std::string> kinds = kind_names();
  kinds.emplace_back(kNoKind);
  // The library looks up a bare name on the search path; a path with `/` names the file itself.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  const Document* document = library.load(path, kinds, diagnostics);
  if (document == nullptr || document->kind.empty()) return document;
  diagnostics.error(document->root.find("kind")->span(),
                    fmt::format("this is a document of opledger, of kind `{}`: there is nothing to import", document->kind));
  return nullptr;
}

std::optional<ForeignDocument> load_foreign_document(const std::string& file, const std::string& accounting, Library& library, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  const Document* accounting_document = library.load(accounting, {"accounting"}, diagnostics);
  ForeignDocument foreign;
  foreign.document = load_kindless(file, library, diagnostics);
  Sources sources;
  if (accounting_document == nullptr || foreign.document == nullptr || !sources.add_accounting(*accounting_document, library, diagnostics)) return std::nullopt;
  if (!find_role(sources, accounting, foreign, diagnostics) || !check_fields(*foreign.document, *foreign.declared, diagnostics)) return std::nullopt;
  check_values(sources, foreign, diagnostics);
  if (diagnostics.errors() > errors) return std::nullopt;
  return foreign;
}

}  // namespace opledger
