#include "import/mapped_config.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "accounting/graph_engine.h"
#include "base/text.h"
#include "formulas/evaluate/render_message.h"
#include "formulas/formula_text.h"
#include "formulas/read/reader.h"
#include "import/formula_names.h"
#include "import/value_writer.h"
#include "ops/definition.h"
#include "schemas/yaml_text.h"

namespace opledger {

namespace {

/// Returns a message about a field with the field's key in a config in place of its name in formulas.
Diagnostic with_key(Diagnostic message, const FieldMapping& mapping) {
  for (const MappedField& field : mapping.fields) {
    const std::string name = "`" + field.name + "`";
    if (!message.message.starts_with(name)) continue;
    message.message.replace(1, field.name.size(), field.places[0]);
    break;
  }
  return message;
}

/// Adds messages to a sink. Several fields may read one value, so only the first error about a place is added.
void add_once_per_place(const Diagnostics& messages, const FieldMapping& mapping, Diagnostics& diagnostics) {
  std::set<std::string> places;
  for (const Diagnostic& message : messages.all()) {
    const bool is_new = message.severity != Severity::error || !message.span.known() || places.insert(to_string(message.span)).second;
    if (is_new) diagnostics.add(with_key(message, mapping));
  }
}

constexpr std::size_t kLongComment = 70;  // Limit of a formula in a comment; for a longer one the comment lists its fields.

}  // namespace

std::optional<Program> link_config(const FieldMapping& mapping, const ConfigFields& fields, Diagnostics& diagnostics) {
  ProgramSources sources(graph_engine());
  sources.documents = {&mapping.declarations};
  sources.execution = fields.present;
  Diagnostics messages;
  std::optional<Program> program = link_program(sources, messages);
  add_once_per_place(messages, mapping, diagnostics);
  return program;
}

const Formula* link_mapped(const Datum* formula, Linker& linker, const NameScope& scope, Diagnostics& diagnostics) {
  const ExprPtr parsed = formula != nullptr ? parse_formula(*formula, "it", diagnostics) : nullptr;
  return parsed ? linker.link(parsed, scope) : nullptr;
}

MappedFormula link_mapped(const Datum::Entry& entry, Linker& linker, const NameScope& scope, Diagnostics& diagnostics) {
  const auto& [name, value] = entry;
  const auto part = [&](const Datum* formula) { return link_mapped(formula, linker, scope, diagnostics); };
  if (!value.is_map()) return {name.text(), part(&value), nullptr};
  return {name.text(), part(value.find("is")), part(value.find("when"))};
}

bool MappedConfig::check() {
  const std::size_t errors = diagnostics_.errors();
  Diagnostics messages;
  for (const auto& [input, _] : program_.inputs) evaluator_.ask(*input).report(messages);  // Evaluation checks type and bounds of the input.
  add_once_per_place(messages, mapping_, diagnostics_);
  if (diagnostics_.errors() > errors) return false;
  for (const MappedField& field : mapping_.fields) warn_of_assumption(field);
  for (const Constraint& constraint : program_.constraints) check(constraint);
  return diagnostics_.errors() == errors;
}

void MappedConfig::warn_of_assumption(const MappedField& field) {
  if (field.assumed.empty() || fields_.absent.count(field.name) == 0) return;
  const Name* input = program_.find_input(field.name);
  if (input == nullptr) return;
  const Value value = evaluator_.ask(*input).value;
  const std::string formula = yaml_flow(field.fallback), number = yaml_flow(written_value(value, {}));
  diagnostics_.warning(config_.span(), fmt::format("`{}` is missing: {} is assumed{}; {}", field.places[0], number,
                                                   number == formula ? "" : " (" + formula + ")", field.assumed));
}

void MappedConfig::check(const Constraint& constraint) {
  if (!holds(constraint.when) || constraint.require == nullptr) return;
  const Answer holds_answer = ask(*constraint.require);
  if (!holds_answer.report(diagnostics_) || as_truth(holds_answer.value).scalar.value != 0) return;
  const std::optional<std::string> message = render_message(evaluator_, constraint.message, nowhere(), diagnostics_);
  if (!message) return;
  if (constraint.reason == kRemark) {
    diagnostics_.warning(place_of(*constraint.require), *message);
  } else {
    diagnostics_.error(place_of(*constraint.require), *message);
  }
}

Value MappedConfig::value_of(const Formula& formula) {
  const Answer answer = ask(formula);
  answer.report(diagnostics_);
  return answer.value;
}

bool MappedConfig::holds(const Formula* condition) { return condition == nullptr || as_truth(value_of(*condition)).scalar.value != 0; }

Span MappedConfig::place_of(const Formula& formula) const {
  if (const std::optional<Span> named = place_in(*formula.source)) return *named;
  const std::vector<std::string> used = present_fields_in(formula);  // Fields behind the mapping's definitions.
  const auto is_last = [&](const FieldAssignment& field) { return !used.empty() && field.name == used.back(); };
  const auto field = std::find_if(fields_.present.begin(), fields_.present.end(), is_last);
  return field != fields_.present.end() ? field->span : config_.span();
}

std::optional<Span> MappedConfig::place_in(const Expr& formula) const {
  std::optional<Span> place;
  for (const ExprPtr& part : formula.args) {
    if (const std::optional<Span> inner = place_in(*part)) place = inner;
  }
  for (const FieldAssignment& field : fields_.present) {
    if (formula.kind == Expr::Kind::name && field.name == formula.text) place = field.span;
  }
  return place;
}

std::vector<std::string> MappedConfig::present_fields_in(const Formula& formula) const {
  static const Datum kNone = Datum::map({}, {});
  const Datum* lets = mapping_.declarations.root.find("let");
  return names_in(*formula.source, lets != nullptr ? *lets : kNone, [&](const std::string& name) {
    return std::any_of(fields_.present.begin(), fields_.present.end(), [&](const FieldAssignment& field) { return field.name == name; });
  });
}

std::string MappedConfig::comment(const Formula& formula) const {
  // A definition is replaced by its formula, so the comment names fields of the config. A long formula of a launch
  // script is replaced by the list of its fields. A default is written with the name of the absent field.
  if (formula.kind == Formula::Kind::constant) return {};
  const bool named = formula.kind == Formula::Kind::name && !formula.name->input && !formula.name->defs.empty() && formula.name->defs[0]->otherwise != nullptr;
  if (named) return comment(*formula.name->defs[0]->otherwise);
  std::string from = shown(formula);
  if (mapping_.kind == ConfigKind::launch && from.size() > kLongComment) return join(present_fields_in(formula), ", ");
  if (fields_.absent.count(from) == 0) return from;
  const auto field = std::find_if(mapping_.fields.begin(), mapping_.fields.end(), [&](const MappedField& other) { return other.name == from; });
  return fmt::format("no {}: {}", from, yaml_flow(field->fallback));
}

}  // namespace opledger
