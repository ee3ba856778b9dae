#include "cli/checks.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "formulas/check.h"
#include "formulas/linker.h"
#include "import/mapping.h"
#include "questions/field_catalogue.h"
#include "questions/validation.h"
#include "rules/rule_set.h"
#include "run/case_names.h"
#include "run/corrections.h"
#include "run/orders.h"
#include "run/run.h"
#include "run/sources.h"
#include "schemas/schema.h"

namespace opledger {
namespace {

struct Subject {
  const Document& document;
  const std::string& path;
  Library& library;
  Diagnostics& diagnostics;
};

bool load_sources(const Document& accounting, const Subject& subject, Sources& out) {
  return out.add_accounting(accounting, subject.library, subject.diagnostics);
}

// The accountings that read a document: the one that it names, or the default one; and those that it has fields for.
std::vector<const Document*> readers_of(const Subject& subject) {
  std::vector<const Document*> result;
  if (const Document* main = accounting_of(subject.document, subject.library, subject.diagnostics)) result.push_back(main);
  const Datum* own = subject.document.root.find("for");
  if (own == nullptr) return result;
  for (const auto& [name, _] : own->entries()) {
    const Document* other = subject.library.load(name.text(), {"accounting"}, subject.diagnostics, name.span(), subject.document.path);
    if (other != nullptr && !contains(result, other)) result.push_back(other);
  }
  return result;
}

// The accounting whose own graph the model is, by name; empty: it is a model like others.
std::string owner_of(const Subject& subject) {
  for (const std::string& name : subject.library.names("accounting")) {
    Diagnostics unreadable;
    const Document* accounting = subject.library.load(name, {"accounting"}, unreadable);
    const Datum* graph = accounting != nullptr ? accounting->root.find("graph") : nullptr;
    const Document* model = graph != nullptr ? subject.library.load(graph->text(), {"model"}, unreadable, graph->span(), accounting->path) : nullptr;
    if (model != nullptr && model->path == subject.document.path) return name;
  }
  return {};
}

void check_model(const Subject& subject) {
  RunRequest request;
  request.model = subject.path;
  request.accounting = owner_of(subject);
  if (request.accounting.empty()) Run::prepare(request, subject.library, subject.diagnostics);
  // A graph of an accounting is built with every run of it; without one its sizes have no values.
}

void check_blocks(const Subject& subject) { load_model(subject.document, subject.library, subject.diagnostics); }

// An accounting that reports nothing is a part of others, whose names it may use.
bool is_part(const Sources& sources) {
  return std::none_of(sources.documents.begin(), sources.documents.end(), [](const Document* document) { return document->root.find("reports") != nullptr; });
}

// The first accounting on the search path that uses the document and is a part of none itself. Null: none does.
const Document* user_of(const Subject& subject) {
  for (const std::string& name : subject.library.names("accounting")) {
    Diagnostics unreadable;
    const Document* accounting = subject.library.load(name, {"accounting"}, unreadable);
    if (accounting == nullptr || accounting->root.find("reports") == nullptr) continue;
    const auto all = subject.library.closure(*accounting, {"uses", "extends"}, {"accounting", "ops"}, unreadable);
    const auto is_it = [&](const Document* d) { return d->path == subject.document.path; };
    if (std::any_of(all.begin(), all.end(), is_it)) return accounting;
  }
  return nullptr;
}

// Links the document with the accounting that uses it or, if none does, with the default one; and checks all units.
void check_formulas(const Subject& subject) {
  const Document* accounting = user_of(subject);
  if (accounting == nullptr) accounting = accounting_of(subject.document, subject.library, subject.diagnostics);
  Sources sources;
  if (accounting == nullptr || !load_sources(*accounting, subject, sources)) return;
  const std::vector<std::string> kinds =
      subject.document.kind == "accounting" ? std::vector<std::string>{"accounting", "ops"} : std::vector<std::string>{"ops"};
  sources.add_operators(subject.library.closure(subject.document, {"uses"}, kinds, subject.diagnostics), subject.diagnostics);
  if (const Datum* options = subject.document.kind == "rules" ? subject.document.root.find("options") : nullptr)
    sources.program.options.emplace_back(options, subject.document.name);
  if (subject.diagnostics.has_errors()) return;
  const std::optional<Program> program = link_program(sources.program, subject.diagnostics);
  if (program) check_units(*program, subject.diagnostics);
}

void check_orders(const Subject& subject) {
  const Datum* ops = subject.document.root.find("ops");
  if (ops == nullptr) return;
  for (const auto& [_, op] : ops->entries()) {
    const Datum* order = op.find("order");
    if (order != nullptr && order->is_scalar()) load_order({nullptr, *order}, subject.library, subject.diagnostics);
  }
}

void check_ops(const Subject& subject) {
  check_formulas(subject);
  check_orders(subject);
}

void check_order(const Subject& subject) { read_order(subject.document.root, subject.diagnostics); }

void check_rules(const Subject& subject) {
  RuleSet().add(subject.document, subject.diagnostics);
  if (subject.document.root.find("options") != nullptr) check_formulas(subject);
}

void check_accounting(const Subject& subject) {
  Sources sources;
  if (!load_sources(subject.document, subject, sources)) return;
  if (is_part(sources) && user_of(subject) != nullptr) return check_formulas(subject);
  const std::optional<Program> program = link_program(sources.program, subject.diagnostics);
  if (program && check_case_names(sources.documents, *program, subject.library, subject.diagnostics)) check_units(*program, subject.diagnostics);
}

void check_system(const Subject& subject) {
  for (const Document* accounting : readers_of(subject)) {
    Sources sources;
    if (!load_sources(*accounting, subject, sources)) return;
    sources.add_system(subject.document);
    link_program(sources.program, subject.diagnostics);
  }
  if (!subject.diagnostics.has_errors()) corrected(subject.document, subject.library, subject.diagnostics);
}

// Its rows are checked with a system that they correct, or in a fit.
void check_measurements(const Subject& subject) {
  for (const Document* d : subject.library.closure(subject.document, {"extends"}, {"measurements"}, subject.diagnostics)) {
    if (const Datum* model = d->root.find("model")) subject.library.load(model->text(), {"model"}, subject.diagnostics, model->span(), d->path);
  }
}

// Options of rules that are not listed, and parameters of models: some run may read them.
bool read_somewhere(const std::string& key, const Document& accounting, Library& library) {
  if (contains(model_parameters(library), key)) return true;
  Diagnostics unheard;
  const auto fields = accepted_fields(accounting.path.string(), library, unheard);
  return fields != nullptr && contains(names_of(fields->execution), key);
}

// A field that the accounting does not know may be a parameter of the model, which is not known here.
void warn_of_unknown(const Datum& key, const std::vector<std::string>& known, const Document& accounting, const Subject& subject) {
  const std::string meant = suggestion(key.text(), known);
  if (meant.empty() && read_somewhere(key.text(), accounting, subject.library)) return;
  const char* why =
      meant.empty() ? "no accounting, rule or model on the search path has one of this name" : "without a model it is taken for a parameter of one";
  subject.diagnostics.warning(key.span(), fmt::format("unknown field `{}`{}: {}", key.text(), meant, why));
}

void add_fields(const Datum& fields, const Program& empty, const Document& accounting, const Subject& subject, Sources& sources) {
  const std::vector<std::string> inputs = names_of(empty.inputs);
  std::vector<std::string> known = names_of(find_schema(subject.document.kind)->properties);
  known.insert(known.end(), inputs.begin(), inputs.end());
  for (const auto& [key, value] : fields.entries()) {
    if (structural_key(key.text())) continue;
    if (contains(inputs, key.text()))
      sources.program.execution.push_back({key.text(), value, key.span()});
    else
      warn_of_unknown(key, known, accounting, subject);
  }
}

void check_execution_for(const Document& accounting, const Subject& subject) {
  Sources sources;
  if (!load_sources(accounting, subject, sources)) return;
  std::vector<const Document*> used = subject.library.closure(subject.document, {"uses"}, {"ops", "execution"}, subject.diagnostics);
  std::erase_if(used, [](const Document* d) { return d->kind != "ops"; });
  sources.add_operators(used, subject.diagnostics);
  const Datum* mesh = subject.document.root.find("mesh");
  if (mesh != nullptr && !sources.add_mesh(*mesh, subject.diagnostics)) return;
  sources.add_options(load_rules(subject.document, subject.library, sources.rules, subject.diagnostics));
  if (subject.diagnostics.has_errors()) return;
  const std::optional<Program> empty = link_program(sources.program, subject.diagnostics);
  if (!empty) return;
  add_fields(subject.document.root, *empty, accounting, subject, sources);
  if (const Datum* own = fields_for(subject.document, sources.documents)) add_fields(*own, *empty, accounting, subject, sources);
  if (!subject.diagnostics.has_errors()) link_program(sources.program, subject.diagnostics);
}

void check_stack(const Subject& subject) {
  const Document* const accounting = accounting_of(subject.document, subject.library, subject.diagnostics);
  subject.library.closure(subject.document, {"extends"}, {"stack"}, subject.diagnostics);
  if (accounting != nullptr) check_execution_for(*accounting, subject);
}

// The framework that an execution names.
void check_named_stack(const Subject& subject) {
  RunRequest request;
  if (const auto named = named_stack(request, nullptr, subject.document))
    subject.library.load(named->text(), {"stack"}, subject.diagnostics, named->span(), subject.document.path);
}

void check_execution(const Subject& subject) {
  for (const Document* accounting : readers_of(subject)) check_execution_for(*accounting, subject);
  check_named_stack(subject);
}

void check_validation(const Subject& subject) { evaluate_validation(subject.document, {}, subject.library, subject.diagnostics); }

void check_import(const Subject& subject) { check_mapping(subject.document, subject.library, subject.diagnostics); }

struct KindCheck {
  std::string_view kind;
  void (*run)(const Subject&);
};

// A kind that is not here is checked by its schema alone.
constexpr KindCheck kChecks[] = {{"model", check_model},
                                 {"blocks", check_blocks},
                                 {"ops", check_ops},
                                 {"order", check_order},
                                 {"rules", check_rules},
                                 {"system", check_system},
                                 {"execution", check_execution},
                                 {"stack", check_stack},
                                 {"accounting", check_accounting},
                                 {"validation", check_validation},
                                 {"measurements", check_measurements},
                                 {"import", check_import}};

}  // namespace

void check_document(const Document& document, const std::string& path, Library& library, Diagnostics& diagnostics) {
  for (const KindCheck& check : kChecks) {
    if (check.kind == document.kind) check.run({document, path, library, diagnostics});
  }
}

}  // namespace opledger
