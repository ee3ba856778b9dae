#include "compare/input_translation.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "formulas/link/linker.h"
#include "formulas/link/variance.h"
#include "ops/definition.h"
#include "run/sources.h"

namespace opledger {
namespace {

/// Returns a value as an execution states it: `7168 byte`, `true`, `adamw`, or a list.
Datum written(const Value& value, const Span& span) {
  if (value.is_number()) return Datum::scalar(exact(value.scalar.value) + (value.unit.plain() ? "" : " " + to_string(value.unit)), false, span);
  if (value.kind == Value::Kind::truth) return Datum::scalar(value.scalar.value != 0 ? "true" : "false", false, span);
  if (value.kind != Value::Kind::list || value.record == nullptr) return Datum::scalar(value.text != nullptr ? *value.text : std::string(), false, span);
  std::vector<Datum> items;
  for (const auto& [_, item] : value.record->fields) items.push_back(written(item, span));
  return Datum::list(std::move(items), span);
}

/// Evaluates input formulas of one accounting over the names of a run of another accounting.
class InputTranslator {
 public:
  explicit InputTranslator(Run& run) : run_(run), linker_(run.program(), run.evaluator().queries(), linking_), scope_(run.program().model) {}

  /// Translates a run by one section of `compares`. Definitions (`let`) extend the scope of names first, for this and
  /// later sections. Constraints come next: they exclude runs that the target accounting can't express, with a clear
  /// message. Then each input formula is evaluated and added to `out`. Returns false at the first failure, with the
  /// reason in `why_`.
  bool translate(const Datum& section, std::vector<FieldAssignment>& out) {
    if (const Datum* lets = section.find("let")) {
      scope_ = &linker_.scope_with(*lets, *scope_);
      if (linking_.has_errors()) return refuse(first_error(linking_));
      find_variance(run_.program(), run_.evaluator().queries());  // New names may have a value for each element.
    }
    if (const Datum* constraints = section.find("constraints")) {
      for (const Datum& constraint : constraints->items()) {
        if (!check(constraint)) return false;
      }
    }
    const Datum* inputs = section.find("inputs");
    for (const auto& [name, formula] : inputs == nullptr ? std::vector<Datum::Entry>{} : inputs->entries()) {
      if (!add(name, formula, out)) return false;
    }
    return true;
  }
  const std::string& why() const { return why_; }

 private:
  bool refuse(std::string why) {
    why_ = std::move(why);
    return false;
  }

  /// Evaluates a formula. Returns false, with the reason in `why`, on failure; a value that depends on an absent
  /// document is no failure.
  bool worth(const Datum& formula, const std::string& name, Value& out) {
    const ExprPtr expression = parse_formula(formula, name, linking_);
    const Formula* linked = expression == nullptr ? nullptr : linker_.link(expression, *scope_);
    if (linked == nullptr) return refuse("this run has no value for its input: " + first_error(linking_));
    const Answer answer = run_.evaluator().ask(*linked);
    out = answer.value;
    return answer.known() || answer.absent || refuse(with_place(*answer.error));
  }

  bool check(const Datum& constraint) {
    Value holds;
    if (!worth(*constraint.find("require"), "require", holds)) return false;
    return as_truth(holds).scalar.value != 0 || refuse(constraint.find("message")->text());
  }

  bool add(const Datum& name, const Datum& formula, std::vector<FieldAssignment>& out) {
    Value value;
    if (!worth(formula, name.text(), value)) return false;
    if (value.kind != Value::Kind::nothing) out.push_back({name.text(), written(value, formula.span()), name.span(), false});
    return true;
  }

  Run& run_;
  Diagnostics linking_;
  Linker linker_;
  const NameScope* scope_;
  std::string why_;
};

void add_keys(const Datum* section, std::set<std::string>& out) {
  for (const auto& [key, _] : section == nullptr ? std::vector<Datum::Entry>{} : section->entries()) out.insert(key.text());
}

/// Returns the names that can be set: parameters of the model; for a run also fields of the execution, axes of the mesh
/// and inputs. Errors are ignored here because preparing the run reports them again.
std::set<std::string> names_of(const RunRequest& request, const Document* execution, const Documents& own, Library& library) {
  std::set<std::string> out;
  Diagnostics ignored;
  const Document* document = library.load(request.model, {"model"}, ignored);
  const std::optional<Model> model = document == nullptr ? std::nullopt : load_model(*document, library, ignored);
  for (const Definition& parameter : model ? model->parameters : std::vector<Definition>{}) out.insert(parameter.name);
  if (execution == nullptr) return out;
  add_keys(&execution->root, out);
  add_keys(execution->root.find("mesh"), out);
  for (const Document* accounting : own) {
    add_keys(accounting->root.find("inputs"), out);
    add_keys(accounting->root.find("mesh"), out);
  }
  return out;
}

}  // namespace

std::vector<const Datum*> translation_sections(const Documents& target, const Documents& source) {
  std::vector<const Datum*> out;
  for (const Document* document : target) {
    const Datum* compares = document->kind == "accounting" ? document->root.find("compares") : nullptr;
    if (compares == nullptr) continue;
    for (const Document* own : source) {
      const Datum* section = own->kind == "accounting" ? compares->find(own->name) : nullptr;
      if (section != nullptr) out.push_back(section);
    }
  }
  return out;
}

bool has_inputs(const std::vector<const Datum*>& sections, bool model_alone) {
  const auto gives = [](const Datum* from) { return from != nullptr && from->find("inputs") != nullptr; };
  return std::any_of(sections.begin(), sections.end(), [&](const Datum* datum) { return gives(datum->find("model")) || (!model_alone && gives(datum)); });
}

std::string with_place(const Diagnostic& d) { return d.span.file == nullptr ? d.message : fmt::format("{} ({})", d.message, to_string(d.span)); }

std::string first_error(const Diagnostics& diagnostics) {
  const Diagnostic* error = diagnostics.first_error();
  return error != nullptr ? with_place(*error) : "it can't be computed";
}

bool translate(Run& run, const std::vector<const Datum*>& sections, bool model_alone, std::vector<FieldAssignment>& out, std::string& why) {
  InputTranslator translator(run);
  const bool good = std::all_of(sections.begin(), sections.end(), [&](const Datum* datum) {
    const Datum* model = datum->find("model");
    return (model == nullptr || translator.translate(*model, out)) && (model_alone || translator.translate(*datum, out));
  });
  why = translator.why();
  return good;
}

std::optional<TranslatedInputs> translate_inputs(const RunRequest& request, const Documents& target, Library& library, Diagnostics& diagnostics) {
  // The source run is the request under the accounting of its own execution. Settings for the target accounting are
  // unknown to the source run, so the request is copied without them before the run is prepared. Errors of loading
  // are ignored here, because the caller loads the same documents again. The run is then translated by the sections
  // `compares` of the target.
  Diagnostics ignored;
  const Document* execution = library.load(request.execution, {"execution"}, ignored);
  const Document* own = execution == nullptr ? nullptr : accounting_of(*execution, library, ignored);
  if (own == nullptr || own == target.back()) return std::nullopt;
  const bool model_alone = request.execution == kDefaultExecution;
  const Documents documents = library.closure(*own, {"uses", "extends"}, {"accounting", "ops"}, ignored);
  const std::vector<const Datum*> sections = translation_sections(target, documents);
  if (!has_inputs(sections, model_alone)) return std::nullopt;
  TranslatedInputs out;
  out.names = names_of(request, model_alone ? nullptr : execution, documents, library);
  const auto is_unknown = [&](const std::string& name) { return out.names.count(name) == 0 && (model_alone || name.find('.') == std::string::npos); };
  RunRequest source = request;
  source.accounting.clear();
  source.space.clear();
  source.translated_inputs.reset();
  source.open.clear();
  std::erase_if(source.overrides, [&](const auto& setting) { return is_unknown(setting.first); });
  std::erase_if(source.fields, [&](const FieldAssignment& field) { return is_unknown(field.name); });
  Diagnostics messages;
  std::string why;
  const std::unique_ptr<Run> run = Run::prepare(source, library, messages);
  if (run != nullptr && !translate(*run, sections, model_alone, out.values, why)) {
    diagnostics.error({}, fmt::format("the accounting `{}` can't express this {}: {}", target.back()->name, model_alone ? "model" : "run", why));
    return std::nullopt;
  }
  diagnostics.append(std::move(messages));
  return run == nullptr ? std::nullopt : std::optional(std::move(out));
}

}  // namespace opledger
