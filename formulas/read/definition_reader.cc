#include "formulas/read/definition_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"

namespace opledger {
namespace {

constexpr const char* kNameSections[] = {"let", "metrics", "quantities"};

}  // namespace

bool defined(const std::vector<const Document*>& documents, const std::string& name) {
  return std::any_of(documents.begin(), documents.end(), [&](const Document* d) {
    return std::any_of(std::begin(kNameSections), std::end(kNameSections), [&](const char* section) {
      const Datum* datum = d->root.find(section);
      const std::vector<Datum> groups = datum == nullptr ? std::vector<Datum>{} : datum->all();
      return std::any_of(groups.begin(), groups.end(), [&](const Datum& group) { return group.find(name) != nullptr; });
    });
  });
}

void DefinitionReader::add(Name& name, Definition definition, const NameScope& scope, const Operator* op) {
  pending_.push_back({&name, std::move(definition), &scope, op});
}

void DefinitionReader::link() {
  // Definitions are linked in the order of the documents, and each is put in front of the older ones: `inherited` finds
  // the next one.
  for (const auto& [name, definition, scope, op] : pending_) {
    const Def* def = linker_.define(definition, *scope);
    if (def == nullptr) continue;
    auto& defs = op != nullptr ? name->by_op[op] : name->defs;
    defs.insert(defs.begin(), def);
  }
  pending_.clear();
}

bool DefinitionReader::vary_as_declared() {
  const std::size_t errors = diagnostics_.errors();
  check_declared(program_, declared_, diagnostics_);
  return diagnostics_.errors() == errors;
}

bool DefinitionReader::is_set(const std::string& name, const Span& span) {
  const SetId set = program_.find_set(name);
  if (!set || set >= program_.engine->sets) return false;
  diagnostics_.error(span, fmt::format("`{}` is a set already", name));
  return true;
}

bool DefinitionReader::is_mark(SetId set) const {
  return std::any_of(program_.marks.begin(), program_.marks.end(), [set](const MarkType& mark) { return mark.joins && mark.type.set == set; });
}

void DefinitionReader::declare(const Document& document) {
  const bool may_replace = document.root.find("extends") != nullptr;
  for (const char* section : kNameSections) {
    const Datum* datum = document.root.find(section);
    if (datum == nullptr) continue;
    if (!datum->is_list()) {
      for (Definition& definition : parse_definitions(*datum, diagnostics_)) declare(std::move(definition), section, may_replace);
    }
    for (const Datum& group : datum->items()) declare_group(group, section, may_replace);
  }
}

/// Declares a group of definitions of a section. Its optional key `for` lists the sets with which all of them may vary;
/// `declared_` stores this for `check_declared`. A later group replaces the declaration of an earlier group for the
/// same name.
void DefinitionReader::declare_group(const Datum& group, const char* section, bool may_replace) {
  const Datum* const sets = group.find("for");
  std::vector<SetId> known;
  for (const Datum& set : sets != nullptr ? sets->all() : std::vector<Datum>{}) {
    const SetId id = linker_.set_named(set.text(), set.span());
    if (id) known.push_back(id);
  }
  for (const auto& [key, value] : group.entries()) {
    Definition definition;
    if (&value == sets || !parse_definition(key, value, diagnostics_, definition)) continue;
    const Name* const n = declare(std::move(definition), section, may_replace);
    if (n == nullptr || sets == nullptr) continue;
    const auto before = std::find_if(declared_.begin(), declared_.end(), [n](const Declared& d) { return d.name == n; });
    if (before == declared_.end())
      declared_.push_back({n, known});
    else
      before->sets = known;
  }
}

/// Declares one definition. Reports an error and returns null if its name is in use: by a function, an input, a name that
/// the document may not replace, or a set of the engine, of elements or of a mark.
const Name* DefinitionReader::declare(Definition&& definition, const char* section, bool may_replace) {
  // A new name is created in the global scope. An existing name gets a newer definition if its document extends others
  // (`may_replace`). Quantities keep their kind (of nodes, or of operators), and a name that is a metric remains one.
  // The definition is stored in `pending_` and linked when all names are declared.
  if (is_set(definition.name, definition.span)) return nullptr;
  Name* n = program_.find(definition.name);
  if (program_.find_function(definition.name) != nullptr || (n != nullptr && (!may_replace || n->input))) {
    Diagnostic& d = diagnostics_.error(definition.span, fmt::format("`{}` is already defined", definition.name));
    note_first(definition.name, n, d);
    return nullptr;
  }
  if (const SetId set = program_.find_set(definition.name); set && (program_.set(set).elements || is_mark(set))) {
    diagnostics_.error(definition.span, fmt::format("`{}` is a set: a name can't be called the same", definition.name));
    return nullptr;
  }
  const bool quantity = section == std::string_view("quantities");
  if (n == nullptr) {
    n = &linker_.name(definition.name, quantity && definition.of.empty());
    n->of = family_of(definition);
    program_.global->names.emplace(n->name, n);
  } else if (quantity && (!(n->at_node || n->of) || (!definition.of.empty() && family_of(definition) != n->of))) {
    diagnostics_.error(definition.span, fmt::format("`{}` is already defined, and not as a quantity of {}", n->name,
                                                    definition.of.empty() ? "nodes" : "`" + definition.of + "`"));
    return nullptr;
  }
  if (section == std::string_view("metrics") && !n->metric) publish_later(*n, definition);
  if (!definition.published.empty()) n->published = definition.published;
  pending_.push_back({n, std::move(definition), program_.global, nullptr});
  return n;
}

/// Adds notes with the positions of earlier definitions.
void DefinitionReader::note_first(const std::string& text, const Name* name, Diagnostic& d) const {
  const auto note = [&](const Span& at) { d.note(at, "first defined here"); };
  if (const Function* function = program_.find_function(text)) note(function->span);
  for (const Pending& p : pending_) {
    if (p.name == name) note(p.definition.span);
  }
  for (const auto& [input, at] : program_.inputs) {
    if (input == name) note(at);
  }
}

/// Makes a name a metric, as a later document may do with a name of an extended accounting. Reports a missing unit or doc.
void DefinitionReader::publish_later(Name& n, const Definition& definition) {
  n.metric = true;
  program_.metrics.push_back(&n);
  if (!definition.unit || definition.doc.empty()) diagnostics_.error(definition.span, fmt::format("metric `{}` needs a `unit` and a `doc`", n.name));
}

/// Returns the operator set of a quantity's `of`; none: the quantity belongs to nodes. Reports other sets.
SetId DefinitionReader::family_of(const Definition& definition) {
  if (definition.of.empty()) return {};
  const SetId set = program_.find_set(definition.of);
  if (set && program_.set(set).family != nullptr) return set;
  std::vector<std::string> families;
  for (const auto& s : program_.sets) {
    if (s->family != nullptr) families.push_back(s->name);
  }
  diagnostics_.error(definition.of_span, fmt::format("`{}` is no set of operators{}", definition.of, suggestion(definition.of, families)));
  return {};
}

}  // namespace opledger
