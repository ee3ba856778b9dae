#include "run/sources.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/lists.h"
#include "formulas/program.h"
#include "graph/mesh.h"
#include "run/document_fields.h"
#include "schemas/document.h"
#include "schemas/finder.h"

namespace opledger {
namespace {

/// Parses `[1, 2]` or `{tp: nvlink}` as documents do. Empty if the text is neither. Blanks in front of the text keep
/// columns as on the command line.
std::optional<Datum> structured(const std::string& value, const Span& at) {
  const bool closed = value.size() > 1 && ((value.front() == '[' && value.back() == ']') || (value.front() == '{' && value.back() == '}'));
  if (!closed) return std::nullopt;
  const auto source = std::make_shared<SourceFile>(at.file->path, std::string(at.column - 1, ' ') + value);
  source->origin = at.file->origin;
  Diagnostics ignored;
  std::optional<Datum> datum = parse_document(source, ignored);
  source->text = at.file->text;
  if (ignored.has_errors()) return std::nullopt;
  return datum;
}

/// Returns how to change a section of an execution that can't be set as a value.
std::string how_to_change(std::string_view key) {
  if (key == "mesh") return "give ranks axis by axis, `--set AXIS=RANKS`; a mesh of other axes is another execution";
  if (key == "mesh_orders") return "`mesh_order` chooses one of them";
  if (key == "accounting") return "name it by `--accounting`";
  return fmt::format("write it in the execution, or in one that says `{}` otherwise", key);
}

}  // namespace

std::vector<const Document*> load_rules(const Document& naming, Library& library, RuleSet& rules, Diagnostics& diagnostics) {
  const Datum* list = naming.kind.empty() ? nullptr : naming.root.find("rules");
  return list == nullptr ? std::vector<const Document*>() : load_rules(*list, naming.path, library, rules, diagnostics, naming.kind == "stack");
}

/// Loads each rule document of a list and adds its rules to `rules`, in order. An item is a name, or a mapping of one
/// name to the condition `when` under which the rules apply. Returns the loaded documents; an item that can't be read is
/// reported and skipped.
std::vector<const Document*> load_rules(const Datum& list, const std::filesystem::path& made_for, Library& library, RuleSet& rules, Diagnostics& diagnostics,
                                        bool quiet, std::vector<ExprPtr>* conditions) {
  std::vector<const Document*> out;
  for (const Datum& item : list.all()) {
    const Datum* name = &item;
    ExprPtr when;
    if (item.is_map()) {
      if (item.entries().size() != 1) {
        const Span& at = item.entries().empty() ? item.span() : item.entries()[1].first.span();
        diagnostics.error(at, "a rule document is listed by its name, or as `{NAME: CONDITION}` in an entry of its own");
        continue;
      }
      name = &item.entries()[0].first;
      when = parse_formula(item.entries()[0].second, name->text(), diagnostics);
    }
    const Document* document = library.load(*name, {"rules"}, diagnostics, made_for);
    if (document == nullptr || !rules.add(*document, diagnostics, when, quiet)) continue;
    out.push_back(document);
    if (conditions != nullptr) conditions->push_back(when);
  }
  return out;
}

std::string name_of_rules(const Datum& written) { return is_path(written.text()) ? std::filesystem::path(written.text()).stem().string() : written.text(); }

std::optional<Datum> rules_in(const std::vector<std::pair<std::string, std::string>>& overrides) {
  std::optional<Datum> out;
  for (const auto& [key, value] : overrides) {
    const Span at = place_of_setting(key, value);
    if (key == "rules") out = structured(value, at).value_or(Datum::scalar(value, false, at));
  }
  return out;
}

/// Adds settings as values with positions on the command line. Brackets are read as lists or mappings. A list of rules
/// is no value (`rules_in`).
void Sources::add_overrides(const std::vector<std::pair<std::string, std::string>>& overrides, Diagnostics& diagnostics) {
  for (const auto& [key, value] : overrides) {
    const Span at = place_of_setting(key, value), span{at.file, 1, 1};
    if (key == "rules") continue;
    if (structural_key(key)) {
      diagnostics.error(span, fmt::format("`{}` of an execution is no value that can be set here: {}", key, how_to_change(key)));
      continue;
    }
    program.overrides.push_back({key, structured(value, at).value_or(Datum::scalar(value, false, at)), span});
  }
}

/// Adds the accounting and its dependencies, each after the documents that it uses; their operators; and the axes of
/// their meshes.
bool Sources::add_accounting(const Document& accounting, Library& library, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  documents = library.closure(accounting, {"uses", "extends"}, {"accounting", "ops"}, diagnostics);
  for (const Document* document : documents) {
    if (document->kind == "ops") operators.add(*document, diagnostics);
    const Datum* mesh = document->kind == "accounting" ? document->root.find("mesh") : nullptr;
    const std::optional<MeshSpec> spec = mesh != nullptr ? parse_mesh(*mesh, diagnostics) : std::nullopt;
    if (spec) program.axes.insert(program.axes.end(), spec->degrees.begin(), spec->degrees.end());
  }
  program.documents = documents;
  program.operators = &operators;
  return diagnostics.errors() == errors;
}

void Sources::add_operators(const std::vector<const Document*>& some, Diagnostics& diagnostics) {
  for (const Document* d : some) {
    if (d->kind != "ops" || contains(documents, d)) continue;
    documents.push_back(d);
    operators.add(*d, diagnostics);
  }
  program.documents = documents;
}

void Sources::add_options(const std::vector<const Document*>& of_rules) {
  for (const Document* document : of_rules) {
    if (const Datum* options = document->root.find("options")) program.options.emplace_back(options, document->name);
  }
}

void Sources::add_stack(const Document& stack) { add_execution(stack, true); }

/// Adds the keys of an execution as values, except structural keys. A document without a kind, of another tool, has
/// values only. Entries of `cases` become values named WORD.NAME.
void Sources::add_execution(const Document& execution, bool assumed) {
  for (const auto& [key, value] : execution.root.entries()) {
    if (execution.kind.empty() || !structural_key(key.text())) program.execution.push_back({key.text(), value, key.span(), assumed});
    if (execution.kind.empty() || key.text() != "cases") continue;
    for (const auto& [word, values] : value.entries()) {
      for (const auto& [name, other] : values.entries()) program.execution.push_back({word.text() + "." + name.text(), other, name.span(), assumed});
    }
  }
}

void Sources::add_own_fields(const Document& execution, bool assumed) {
  const Datum* own = fields_for(execution, documents);
  for (const auto& [key, value] : own == nullptr ? std::vector<Datum::Entry>{} : own->entries())
    program.execution.push_back({key.text(), value, key.span(), assumed});
}

void Sources::add_system(const Document& system) { program.records.emplace_back("system", system_fields(system, documents)); }

/// Returns whether a formula aggregates over elements of a graph, or a table has them as rows or columns. Sets of words
/// need no graph.
bool needs_graph(const Program& program) {
  const auto elements = [&](SetId set) { return set && program.set(set).elements; };
  const auto lists = [&](const TableColumn& column) { return elements(column.over); };
  const auto visits = [&](const Table& table) { return elements(table.rows) || std::any_of(table.columns.begin(), table.columns.end(), lists); };
  return std::any_of(program.tables.begin(), program.tables.end(), visits) ||
         std::any_of(program.formulas.begin(), program.formulas.end(),
                     [&](const Formula& f) { return (f.kind == Formula::Kind::aggregate || f.kind == Formula::Kind::running) && elements(f.set); });
}

bool Sources::add_mesh(const Datum& mesh, Diagnostics& diagnostics) {
  const std::optional<MeshSpec> spec = parse_mesh(mesh, diagnostics);
  if (spec) add_mesh(*spec);
  return spec.has_value();
}

/// Adds axes with their degrees, and groups of axes with their parts. An axis or group replaces earlier axes of its
/// name.
void Sources::add_mesh(const MeshSpec& mesh) {
  const auto drop = [&](const std::string& name) { std::erase_if(program.axes, [&](const auto& axis) { return axis.first == name; }); };
  for (const auto& [name, _] : mesh.degrees) drop(name);
  for (const auto& [name, _] : mesh.mesh.groups) {
    drop(name);
    std::vector<std::string> parts;
    for (const AxisId axis : mesh.mesh.expand(name)) parts.push_back(mesh.mesh.axes[axis].name);
    program.axis_groups.emplace_back(name, std::move(parts));
  }
  program.axes.insert(program.axes.end(), mesh.degrees.begin(), mesh.degrees.end());
}

}  // namespace opledger
