// Finds the document keys that formulas read. The analysis is static, over linked formulas, so the result does not
// depend on branches taken in one evaluation.
#include <algorithm>
#include <map>
#include <set>

#include "expr/parser.h"
#include "questions/audit/audit.h"
#include "run/document_fields.h"

namespace opledger {
namespace {

/// Names and fields that some formula mentions. A formula of an unread parameter does not count as a reader of names;
/// fields count in every formula.
class Readings {
 public:
  /// Finds the names, fields and sets that formulas read. `owners_` maps each formula of a model parameter to that
  /// parameter: such a formula counts as a reader of names and sets only once the parameter itself is read. The loop
  /// therefore runs to a fixed point, as a mark phase does from all other formulas as roots. Each pass is linear in the
  /// number of formulas. A set's `binder` is the name that gives the current word to points without one; it is read if
  /// the set's current word matters.
  explicit Readings(const Run& run) {
    const Program& program = run.program();
    for (const auto& [_, name] : program.model->names) own(*name);
    std::vector<const Formula*> formulas;
    for (const Formulas* part : run.formulas()) {
      for (const Formula& formula : part->formulas) formulas.push_back(&formula);
    }
    for (const Formula* formula : formulas) {
      if (formula->kind == Formula::Kind::field) fields_.insert(formula->text);
    }
    for (bool more = true; more;) {
      more = false;
      for (const Formula* formula : formulas) {
        const auto owner = owners_.find(formula);
        if (owner != owners_.end() && names_.count(owner->second) == 0) continue;
        if (formula->kind == Formula::Kind::name) more = names_.insert(formula->name).second || more;
        if (formula->kind == Formula::Kind::set) sets_.insert(formula->set);
      }
    }
    for (const auto& set : program.sets) {
      if (set->binder != nullptr && is_current(program, set->id)) names_.insert(set->binder);
    }
  }

  bool reads(const Name* name) const { return name != nullptr && names_.count(name) != 0; }
  bool reads_field(const std::string& field) const { return fields_.count(field) != 0; }

 private:
  /// Returns whether the current word of a set matters: a formula, cases by its words, or a family of sets refers to
  /// it.
  bool is_current(const Program& program, SetId set) const {
    return sets_.count(set) != 0 || std::any_of(program.defs.begin(), program.defs.end(), [&](const Def& def) { return def.set == set; }) ||
           program.set(set).family != nullptr;
  }

  void own(const Name& name) {
    for (const Def* def : name.defs) {
      for (const auto& [_, formula] : def->cases) own(formula, name);
      own(def->otherwise, name);
      own(def->when, name);
    }
  }

  void own(const Formula* formula, const Name& name) {
    if (formula == nullptr) return;
    owners_[formula] = &name;
    for (const Formula* arg : formula->args) own(arg, name);
  }

  std::map<const Formula*, const Name*> owners_;
  std::set<const Name*> names_;
  std::set<std::string> fields_;
  std::set<SetId> sets_;
};

const Name* find_name(const Program& program, const std::string& name) {
  const auto parameter = program.model->names.find(name);
  return parameter != program.model->names.end() ? parameter->second : program.find(name);
}

std::string written(const Datum& datum) { return datum.is_scalar() ? datum.text() : datum.is_map() ? "{…}" : "[…]"; }

/// Walks a record along its type and collects keys without a reader (`unread`), and missing keys that are read and have
/// a default (`absent`). Neutral fields, whose defaults mean absence, are no assumptions.
class Fields {
 public:
  Fields(const Readings& readings, std::string document) : readings_(readings), document_(std::move(document)) {}

  void walk(const Type& type, const Datum& datum, const std::string& path) {
    switch (type.kind) {
      case Type::Kind::record:
        for (const auto& [name, field] : type.fields) walk_field(name, field, datum, path.empty() ? name : path + "." + name);
        break;
      case Type::Kind::per:
        for (const auto& [key, value] : datum.entries()) walk(*type.of, value, path + "." + key.text());
        break;
      case Type::Kind::list:
        if (!datum.items().empty()) walk(*type.of, datum.items()[0], path);  // All items have the same fields.
        break;
      default:
        break;
    }
  }

  std::vector<AuditKey> unread, absent;

 private:
  /// Handles the field `name` of a record, at `path` in the document. A present field that formulas read is walked
  /// further; a present field without a reader is added to `unread`. A missing field that formulas read and that has a
  /// default is added to `absent`, as an assumption. A neutral field has no effect if it is missing, so its default is
  /// no assumption; `neutral_` is true inside such a field.
  void walk_field(const std::string& name, const Type& type, const Datum& datum, const std::string& path) {
    const Datum* present = datum.find(name);
    const bool read = readings_.reads_field(name);
    if (present == nullptr) {
      if (read && type.optional && !neutral_ && !type.neutral) absent.push_back({document_, path, written(type.fallback), type.doc, type.span});
      return;
    }
    if (read) {
      const bool was_neutral = neutral_;
      neutral_ = neutral_ || type.neutral;
      walk(type, *present, path);
      neutral_ = was_neutral;
      return;
    }
    // The span of the key, not of its value, marks the place to change.
    const auto key = std::find_if(datum.entries().begin(), datum.entries().end(), [&](const Datum::Entry& e) { return e.first.text() == name; });
    unread.push_back({document_, path, written(*present), type.doc, key->first.span()});
  }

  const Readings& readings_;
  std::string document_;
  bool neutral_ = false;  ///< Inside a neutral field.
};

Fields system_fields_of(Run& run, const Readings& readings) {
  Fields fields(readings, "system");
  const Name* system = run.program().find("system");
  if (run.has_system() && system != nullptr) fields.walk(system->type, system_fields(*run.system_document(), run.documents()), "");
  return fields;
}

void add_unread(const Datum& keys, const char* document, bool all, const Run& run, const Readings& readings, std::vector<AuditKey>& out) {
  for (const auto& [key, value] : keys.entries()) {
    if (!all && structural_key(key.text())) continue;
    const Name* name = find_name(run.program(), key.text());
    if (name != nullptr && !readings.reads(name)) out.push_back({document, key.text(), written(value), "", key.span()});
  }
}

}  // namespace

std::vector<AuditKey> unread_keys(Run& run) {
  const Readings readings(run);
  std::vector<AuditKey> out;
  const Document* model = run.model_document();
  const Datum* parameters = model == nullptr ? nullptr : model->kind.empty() ? &model->root : model->root.find("parameters");
  if (parameters != nullptr) add_unread(*parameters, "model", true, run, readings, out);
  const Document& execution = *run.execution_document();
  add_unread(execution.root, "execution", execution.kind.empty(), run, readings, out);
  if (const Datum* own = fields_for(execution, run.documents())) add_unread(*own, "execution", true, run, readings, out);
  for (AuditKey& key : system_fields_of(run, readings).unread) out.push_back(std::move(key));
  return out;
}

namespace {

/// Returns the value of a default with its text if it is a formula: `4096 (hidden)`.
std::string assumed_value(Run& run, const Name& input) {
  const std::string text = written(input.type.fallback);
  double constant = 0;
  Dimension unit;
  if (!input.type.fallback.is_scalar() || parse_quantity(text, constant, unit)) return text;
  const Answer answer = run.evaluator().ask(input);
  const std::string comes_to = answer.known() ? human(answer.value) : text;
  return comes_to == text ? text : comes_to + " (" + text + ")";
}

/// Returns whether an input has its default: its first definition is at its declaration.
bool is_default(const Name& input, const Span& declared) {
  if (!input.type.optional || input.defs.empty()) return false;
  const Span& at = input.defs[0]->span;
  return at.file == declared.file && at.line == declared.line && at.column == declared.column;
}

}  // namespace

std::vector<AuditKey> stated_values(Run& run) {
  std::vector<AuditKey> out;
  const auto roles = run.program().commands.find("audit");
  if (roles == run.program().commands.end()) return out;
  for (const auto& [input, span] : run.program().inputs) {
    const auto named = [&name = input->name](const Role& role) { return role.name == name; };
    if (is_default(*input, span) || std::none_of(roles->second.begin(), roles->second.end(), named)) continue;
    const Answer answer = run.evaluator().ask(*input);
    if (answer.known()) out.push_back({"execution", input->name, human(answer.value), input->type.doc, input->defs[0]->span});
  }
  return out;
}

std::vector<AuditKey> assumed_values(Run& run) {
  const Readings readings(run);
  std::vector<AuditKey> out;
  for (const auto& [input, span] : run.program().inputs) {
    if (is_default(*input, span) && readings.reads(input)) out.push_back({"execution", input->name, assumed_value(run, *input), input->type.doc, span});
  }
  for (AuditKey& key : system_fields_of(run, readings).absent) out.push_back(std::move(key));
  return out;
}

}  // namespace opledger
