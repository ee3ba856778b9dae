#include "questions/field_catalogue.h"

#include <algorithm>
#include <set>

#include "accounting/sizes.h"
#include "formulas/link/types.h"

namespace opledger {
namespace {

void add(const std::string& name, const Type& type, std::vector<DocumentField>& out) {
  const auto same = [&](const DocumentField& field) { return field.name == name; };
  if (std::none_of(out.begin(), out.end(), same)) out.push_back({name, type});
}

/// Adds inputs that a section of another document declares. Unreadable entries are ignored here and reported by
/// commands that use the document.
void add_declared(const Datum* section, AcceptedFields& fields) {
  if (section == nullptr) return;
  Program& program = *fields.accounting.program;
  Diagnostics ignored;
  Linker linker(program, program, ignored);
  for (const auto& [key, value] : section->entries()) {
    if (program.find(key.text()) != nullptr && !program.find(key.text())->input) continue;
    if (const auto type = parse_type(program, linker, key.text(), value, ignored)) add(key.text(), *type, fields.execution);
  }
}

void add_brought(const char* kind, const char* section, Library& library, AcceptedFields& fields) {
  for (const std::string& name : library.names(kind)) {
    Diagnostics ignored;
    const Document* document = library.load(name, {kind}, ignored);
    if (document != nullptr && !contains(fields.accounting.sources.documents, document)) add_declared(document->root.find(section), fields);
  }
}

/// Returns the input `mesh_order` of a mesh with several orders.
DocumentField order_field() {
  Type type;
  type.kind = Type::Kind::text;
  type.optional = true;
  type.fallback = Datum::scalar("written", false, {});
  type.doc = "The order in which the axes of the mesh lie on the machine: one of `mesh_orders`, or `written`.";
  return {kMeshOrder, type};
}

/// Returns whether the accounting or an accounting that it extends has reports. Accountings without reports are parts
/// of others.
bool reports(const Document& accounting, Library& library) {
  Diagnostics ignored;
  const auto all = library.closure(accounting, {"extends"}, {"accounting", "ops"}, ignored);
  return std::any_of(all.begin(), all.end(), [](const Document* d) { return d->root.find("reports") != nullptr; });
}

void add_keys(const Datum* section, std::set<std::string>& out) {
  if (section == nullptr) return;
  for (const auto& [key, _] : section->entries()) out.insert(key.text());
}

}  // namespace

std::unique_ptr<AcceptedFields> accepted_fields(const std::string& name, Library& library, Diagnostics& diagnostics) {
  auto out = std::make_unique<AcceptedFields>();
  if (!link_accounting(name, library, out->accounting, diagnostics)) return nullptr;
  const Program& program = *out->accounting.program;
  for (const auto& [input, _] : program.inputs) add(input->name, input->type, out->execution);
  if (const Name* system = program.find("system"); system != nullptr && system->input) {
    for (const auto& [name, type] : system->type.fields) out->system.push_back({name, type});
  }
  for (const auto& [name, _] : program.reports) out->reports.push_back(name);
  add_brought("rules", "options", library, *out);
  add_brought("ops", "inputs", library, *out);
  add(order_field().name, order_field().type, out->execution);
  return out;
}

std::vector<std::string> whole_accountings(Library& library) {
  std::vector<std::string> out;
  for (const std::string& name : library.names("accounting")) {
    Diagnostics ignored;
    const Document* document = library.load(name, {"accounting"}, ignored);
    if (document != nullptr && reports(*document, library)) out.push_back(name);
  }
  return out;
}

std::vector<std::string> declared_names(std::string_view section, std::string_view key, Library& library) {
  std::vector<std::string> out;
  for (const std::string& name : library.names("accounting")) {
    Diagnostics ignored;
    const Document* const accounting = library.load(name, {"accounting"}, ignored);
    const Datum* const all = accounting != nullptr ? accounting->root.find(section) : nullptr;
    const Datum* const found = all != nullptr ? all->find(key) : nullptr;
    for (const auto& [declared, _] : found != nullptr ? found->entries() : std::vector<Datum::Entry>{}) out.push_back(declared.text());
  }
  return out;
}

std::vector<std::string> model_parameters(Library& library) {
  std::set<std::string> out;
  for (const char* kind : {"model", "blocks"}) {
    for (const std::string& name : library.names(kind)) {
      Diagnostics ignored;
      if (const Document* document = library.load(name, {kind}, ignored)) add_keys(document->root.find("parameters"), out);
    }
  }
  return {out.begin(), out.end()};
}

}  // namespace opledger
