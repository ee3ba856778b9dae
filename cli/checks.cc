#include "cli/checks.h"

#include <fmt/core.h>

#include <algorithm>

#include "accounting/check.h"
#include "accounting/linker.h"
#include "accounting/reader.h"
#include "base/text.h"
#include "graph/mesh.h"
#include "rules/rule_set.h"
#include "run/run.h"

namespace opledger {
namespace {

struct Subject {
  const Document& document;
  const std::string& path;
  Library& library;
  Diagnostics& diagnostics;
};

/// An accounting with the operators that it uses: enough to link what is typed by it.
struct Convention {
  std::vector<const Document*> documents;
  OperatorLibrary operators;
  ProgramSources sources;
};

bool load_convention(const Document& accounting, const Subject& subject, Convention& out) {
  const std::size_t errors = subject.diagnostics.errors();
  out.documents = subject.library.closure(accounting, {"uses", "extends"}, {"accounting", "ops"}, subject.diagnostics);
  for (const Document* document : out.documents) {
    if (document->kind == "ops") out.operators.add(*document, subject.diagnostics);
    const Datum* mesh = document->kind == "accounting" ? document->root.find("mesh") : nullptr;
    const std::optional<MeshSpec> spec = mesh != nullptr ? parse_mesh(*mesh, subject.diagnostics) : std::nullopt;
    if (spec) out.sources.axes.insert(out.sources.axes.end(), spec->degrees.begin(), spec->degrees.end());
  }
  out.sources.documents = out.documents;
  out.sources.operators = &out.operators;
  return subject.diagnostics.errors() == errors;
}

void check_model(const Subject& subject) {
  RunRequest request;
  request.model = subject.path;
  Run::prepare(request, subject.library, subject.diagnostics);
}

void check_blocks(const Subject& subject) { load_model(subject.document, subject.library, subject.diagnostics); }

// What an operator says beside its signature must be one of the quantities, where documents that it uses declare some.
void check_quantities(const OperatorLibrary& operators, const std::vector<std::string>& known, Diagnostics& diagnostics) {
  for (const auto& [name, op] : operators.all()) {
    for (const Definition& quantity : op.quantities) {
      if (std::find(known.begin(), known.end(), quantity.name) != known.end()) continue;
      diagnostics.error(quantity.span, fmt::format("operator `{}`: unknown quantity `{}`{}", name, quantity.name, suggestion(quantity.name, known)));
    }
  }
}

void check_ops(const Subject& subject) {
  OperatorLibrary operators;
  std::vector<std::string> quantities;
  for (const Document* document : subject.library.closure(subject.document, {"uses"}, {"ops"}, subject.diagnostics)) {
    operators.add(*document, subject.diagnostics);
    const Datum* declared = document->root.find("quantities");
    if (declared == nullptr) continue;
    for (const auto& [name, _] : declared->entries()) quantities.push_back(name.text());
  }
  if (!quantities.empty()) check_quantities(operators, quantities, subject.diagnostics);
}

void check_rules(const Subject& subject) { RuleSet().add(subject.document, subject.diagnostics); }

// An accounting that reports nothing is a part of others, whose names it may use: it can only be parsed.
bool is_part(const Convention& convention) {
  return std::none_of(convention.documents.begin(), convention.documents.end(),
                      [](const Document* document) { return document->root.find("reports") != nullptr; });
}

void parse_formulas(const Subject& subject) {
  for (const char* section : {"quantities", "let", "metrics"}) {
    if (const Datum* definitions = subject.document.root.find(section)) parse_definitions(*definitions, subject.diagnostics);
  }
}

void check_accounting(const Subject& subject) {
  Convention convention;
  if (!load_convention(subject.document, subject, convention)) return;
  if (is_part(convention)) return parse_formulas(subject);
  const std::optional<Program> program = link_program(convention.sources, subject.diagnostics);
  if (program) check_units(*program, subject.diagnostics);
}

void check_system(const Subject& subject) {
  const Document* accounting = accounting_of(subject.document, subject.library, subject.diagnostics);
  Convention convention;
  if (accounting == nullptr || !load_convention(*accounting, subject, convention)) return;
  convention.sources.records.emplace_back("system", subject.document.root);
  link_program(convention.sources, subject.diagnostics);
}

bool is_structural(const std::string& key) {
  static const std::vector<std::string> kKeys = {"kind", "name", "doc", "source", "mesh", "rules", "accounting"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

void add_rules(const Subject& subject, Convention& convention) {
  const Datum* rules = subject.document.root.find("rules");
  if (rules == nullptr) return;
  RuleSet all;
  for (const Datum& name : rules->is_list() ? rules->items() : std::vector<Datum>{*rules}) {
    const Document* document = subject.library.load(name.text(), {"rules"}, subject.diagnostics, name.span(), subject.document.path);
    if (document == nullptr) continue;
    all.add(*document, subject.diagnostics);
    if (const Datum* options = document->root.find("options")) convention.sources.options.emplace_back(options, document->name);
  }
}

// A field that the accounting does not know may be a parameter of the model, which is not known here: only what looks like a slip is told.
void add_fields(const Subject& subject, Convention& convention) {
  const std::optional<Program> empty = link_program(convention.sources, subject.diagnostics);
  if (!empty) return;
  std::vector<std::string> known;
  for (const auto& [name, _] : empty->inputs) known.push_back(name->name);
  for (const auto& [key, value] : subject.document.root.entries()) {
    if (is_structural(key.text())) continue;
    if (std::find(known.begin(), known.end(), key.text()) != known.end()) {
      convention.sources.execution.push_back({key.text(), value, key.span()});
    } else {
      const std::string meant = suggestion(key.text(), known);
      if (!meant.empty())
        subject.diagnostics.warning(key.span(), fmt::format("unknown field `{}`{}: without a model it is taken for a parameter of one", key.text(), meant));
    }
  }
}

void check_execution(const Subject& subject) {
  const Document* accounting = accounting_of(subject.document, subject.library, subject.diagnostics);
  Convention convention;
  if (accounting == nullptr || !load_convention(*accounting, subject, convention)) return;
  if (const Datum* mesh = subject.document.root.find("mesh")) {
    const std::optional<MeshSpec> spec = parse_mesh(*mesh, subject.diagnostics);
    if (!spec) return;
    // Those of the execution stand in for those of the accounting.
    auto& axes = convention.sources.axes;
    for (const auto& degree : spec->degrees) {
      axes.erase(std::remove_if(axes.begin(), axes.end(), [&](const auto& axis) { return axis.first == degree.first; }), axes.end());
    }
    for (const auto& [group, _] : spec->mesh.groups) {
      axes.erase(std::remove_if(axes.begin(), axes.end(), [&, name = group](const auto& axis) { return axis.first == name; }), axes.end());
      std::vector<std::string> parts;
      for (const AxisId axis : spec->mesh.expand(group)) parts.push_back(spec->mesh.axes[static_cast<std::size_t>(axis)].name);
      convention.sources.axis_groups.emplace_back(group, std::move(parts));
    }
    axes.insert(axes.end(), spec->degrees.begin(), spec->degrees.end());
  }
  add_rules(subject, convention);
  if (subject.diagnostics.failed()) return;
  add_fields(subject, convention);
  if (!subject.diagnostics.failed()) link_program(convention.sources, subject.diagnostics);
}

struct Check {
  std::string_view kind;
  void (*run)(const Subject&);
};

// A kind that is not here is checked by its schema alone.
constexpr Check kChecks[] = {{"model", check_model},          {"blocks", check_blocks}, {"ops", check_ops},
                             {"rules", check_rules},          {"system", check_system}, {"execution", check_execution},
                             {"accounting", check_accounting}};

}  // namespace

void check_document(const Document& document, const std::string& path, Library& library, Diagnostics& diagnostics) {
  for (const Check& check : kChecks) {
    if (check.kind == document.kind) check.run({document, path, library, diagnostics});
  }
}

}  // namespace opledger
