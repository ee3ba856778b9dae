#include "import/config_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/lists.h"
#include "base/text.h"
#include "import/formula_names.h"
#include "import/value_writer.h"

namespace opledger {
namespace {

constexpr const char* kWriteLets = "let";
constexpr const char* kRulesKey = "rules";
constexpr const char* kRefused = "refused";

/// Evaluates the formulas of `writes` in the scope of the run, which is the scope of the accounting and the model
/// plus `rules.NAME`. Rules are checked first: a rule that the mapping can't express makes the export impossible.
class ConfigWriter {
 public:
  ConfigWriter(const LaunchMapping& launch, const ExportMapping& export_mapping, Run& run, Diagnostics& diagnostics)
      : config_(launch.family.config),
        model_names_(launch.model_names),
        execution_(launch.execution),
        assumed_rules_(launch.assumed_rules),
        writes_(export_mapping.writes),
        run_(run),
        diagnostics_(diagnostics),
        linker_(run.program(), run.evaluator().queries(), diagnostics),
        writer_(run.evaluator(), diagnostics) {
    for (const auto& [key, value] : execution_.entries()) {
      if (key.text() == kRulesKey) known_rules_ = names_of_rules(value);
    }
  }

  /// Evaluates all fields of a config for the run. Rules of the run are checked first: a rule that the mapping can't
  /// express makes the export impossible. The scope of the formulas extends the model's scope by the record `rules`
  /// and by the definitions `let` of the mapping. Limitations under `refused` come next, because their messages are
  /// clearer than errors of single formulas. A definition with a name that the model lacks means that the mapping is
  /// for other models. Returns nothing and reports errors if any of these steps fails.
  std::optional<WrittenConfig> write() {
    const std::size_t errors = diagnostics_.errors();
    run_rules_ = listed_rules();
    if (diagnostics_.errors() > errors) return std::nullopt;
    NameScope& with_rules = linker_.scope(run_.program().model);
    add_rules(with_rules);
    static const Datum kNone = Datum::map({}, {});
    const Datum* lets = writes_.find(kWriteLets);
    lets_ = lets != nullptr ? lets : &kNone;
    Diagnostics missing;  // Errors of formulas with names that this model lacks.
    Linker lets_linker(run_.program(), run_.evaluator().queries(), missing);
    const NameScope& scope = lets_linker.scope_with(*lets_, with_rules);
    if (const Datum* refused = writes_.find(kRefused)) refuse(*refused, scope);
    if (diagnostics_.errors() == errors && missing.has_errors()) refuse_model(missing.all().front());
    if (diagnostics_.errors() > errors) return std::nullopt;
    for (const MappedField& field : config_.fields) {
      if (const Datum* source = writes_.find(field.name)) add(field, *source, scope);
    }
    add_model_name();
    if (own_stack() != run_.stack_name()) out_.comment_keys.emplace_back(Datum::scalar(kStack, false, {}), Datum::scalar(run_.stack_name(), false, {}));
    if (diagnostics_.errors() > errors) return std::nullopt;
    return std::move(out_);
  }

 private:
  void refuse_model(const Diagnostic& missing) {
    diagnostics_.error({}, fmt::format("the mapping `{}` can't export this run: it is not for the model `{}`", config_.name(), run_.model()->name))
        .note(missing.span, missing.message);
  }

  /// Reports each limitation of the framework that applies to the run. The mapping's message is clearer than a list
  /// of different metrics.
  void refuse(const Datum& refused, const NameScope& scope) {
    for (const std::string& message : messages_about(run_, refused.items(), scope)) {
      diagnostics_.error({}, fmt::format("the mapping `{}` can't export this run: {}", config_.name(), message));
    }
  }

  /// Returns the rules of the run, by name. Rules of the stack count only if the mapping can express them; other
  /// rules of a stack describe the framework itself.
  std::set<std::string> listed_rules() {
    std::set<std::string> out;
    const Datum* own = run_.request().rules ? &*run_.request().rules : run_.execution_document()->root.find(kRulesKey);
    if (own != nullptr) {
      for (const Datum& name : applicable_rules(*own)) add_rule(name, out);
    }
    for (const Datum& rules : stack_rules(run_.stack_document())) {
      for (const Datum& name : applicable_rules(rules)) {
        if (contains(known_rules_, name.text())) out.insert(name.text());
      }
    }
    return out;
  }

  std::vector<Datum> applicable_rules(const Datum& listed) {
    ValueLinker values(linker_, *run_.program().global, diagnostics_);
    std::vector<Datum> out;
    for (const Datum& rule : listed.all()) {
      if (rule.is_scalar()) out.push_back(rule);
      for (const auto& [name, when] : rule.entries()) {
        if (writer_.holds(values.formula(&when))) out.push_back(name);
      }
    }
    return out;
  }

  void add_rule(const Datum& name, std::set<std::string>& out) {
    if (contains(assumed_rules_, name.text())) {
      out_.rules.push_back(name.text());
    } else if (!contains(known_rules_, name.text())) {
      if (!is_framework_rule(name.text())) {
        diagnostics_.error(name.span(),
                           fmt::format("the mapping `{}` can't express the rule `{}`, so this run can't be exported", config_.name(), visible(name.text())));
      } else if (own_stack() != run_.stack_name()) {
        out_.rules.push_back(name.text());
      }
    }
    out.insert(name.text());
  }

  /// Returns whether the framework's own stack lists a rule, so the config need not express it.
  bool is_framework_rule(const std::string& rule) {
    Diagnostics ignored;
    const std::string name = own_stack();
    const Document* stack = name.empty() ? nullptr : run_.library().load(name, {"stack"}, ignored);
    for (const Datum& rules : stack_rules(stack)) {
      if (contains(names_of_rules(rules), rule)) return true;
    }
    return false;
  }

  /// Returns the rule lists of a stack and of all stacks that it extends; empty without a stack.
  std::vector<Datum> stack_rules(const Document* stack) {
    std::vector<Datum> out;
    if (stack == nullptr) return out;
    for (const Document* part : run_.library().closure(*stack, {"extends"}, {"stack"}, diagnostics_)) {
      if (const Datum* rules = part->root.find(kRulesKey)) out.push_back(*rules);
    }
    return out;
  }

  /// Adds the record `rules` to a scope: one truth for each rule that the mapping can express, true if the rule holds
  /// in the run.
  void add_rules(NameScope& scope) {
    auto& records = run_.evaluator().queries().records;
    Record& record = *records.emplace_back(std::make_unique<Record>());
    for (const std::string& name : known_rules_) record.fields.emplace_back(name, truth_value(run_rules_.count(name) > 0));
    Value value;
    value.kind = Value::Kind::record;
    value.record = &record;
    Name& name = linker_.name(kRulesKey);
    linker_.define_constant(name, value, config_.document->root.span());
    scope.names[kRulesKey] = &name;
  }

  /// Adds the field's value from the first choice that applies. A choice that does not link, because it names
  /// parameters of other models, is skipped. A flag with the value false is left out: its absence means false.
  void add(const MappedField& field, const Datum& source, const NameScope& scope) {
    for (const Datum& choice : source.all()) {
      Diagnostics unknown;
      Linker linker(run_.program(), run_.evaluator().queries(), unknown);
      const LinkedValue linked = ValueLinker(linker, scope, unknown).link(choice);
      const LinkedValue* chosen = unknown.has_errors() ? nullptr : writer_.choose(linked);
      if (chosen == nullptr) continue;
      std::optional<Datum> value = writer_.value(*chosen);
      const bool left_out = config_.flags && value && value->boolean() == false;  // A flag with the value false is omitted.
      if (value && !left_out) out_.fields.push_back({&field, std::move(*value), join(sources(*chosen), ", ")});
      return;
    }
  }

  /// Writes the name of the run's model first, if the mapping has names of models. A `*` in the name is replaced by the
  /// value that `writes` states for the field, such as `lora_` in the name of a function; by nothing without a value.
  /// Reports an error for a model without a name.
  void add_model_name() {
    if (model_names_.place.empty()) return;
    const auto has_place = [&](const MappedField& field) { return contains(field.places, model_names_.place); };
    const auto field = std::find_if(config_.fields.begin(), config_.fields.end(), has_place);
    const auto& names = model_names_.models.entries();
    const auto named = std::find_if(names.begin(), names.end(), [&](const Datum::Entry& entry) { return entry.second.text() == run_.model()->name; });
    if (field == config_.fields.end() || named == names.end()) {
      diagnostics_.error({}, fmt::format("the mapping `{}` can't export this run: it has no name for the model `{}`", config_.name(), run_.model()->name));
      return;
    }
    const auto written = std::find_if(out_.fields.begin(), out_.fields.end(), [&](const WrittenField& one) { return one.field == &*field; });
    const std::string part = written != out_.fields.end() ? written->value.text() : "";
    if (written != out_.fields.end()) out_.fields.erase(written);
    std::string name = named->first.text();
    for (std::size_t star = name.find('*'); star != std::string::npos; star = name.find('*', star + part.size())) name.replace(star, 1, part);
    out_.fields.insert(out_.fields.begin(), {&*field, Datum::scalar(name, true, {}), "the model"});
  }

  /// Returns the inputs, parameters and rules in the formula of a value, for a comment; `the graph` if the formula has
  /// no such name. Returns an empty list without a formula.
  std::vector<std::string> sources(const LinkedValue& value) const {
    const Formula* formula = value.is != nullptr ? value.is : value.count != nullptr ? value.count : value.when;
    if (formula == nullptr) return {};
    std::vector<std::string> names = names_in(*formula->source, *lets_, [&](const std::string& name) {
      return run_.program().find_input(name) != nullptr || run_.program().model->names.count(name) > 0;
    });
    if (names.empty()) names.emplace_back("the graph");
    return names;
  }

  /// Returns the stack that the mapping's executions name; empty without one.
  std::string own_stack() const {
    for (const auto& [key, value] : execution_.entries()) {
      const Datum* named = key.text() == kStack ? value.find("literal") : nullptr;
      if (named != nullptr) return named->text();
    }
    return {};
  }

  const FieldMapping& config_;
  const ModelNames& model_names_;
  const Datum& execution_;
  const std::vector<std::string>& assumed_rules_;  ///< Rules that a comment states.
  const Datum& writes_;
  Run& run_;
  Diagnostics& diagnostics_;
  Linker linker_;
  ValueWriter writer_;
  std::vector<std::string> known_rules_;  ///< Rules that the mapping can express.
  std::set<std::string> run_rules_;       ///< Rules that hold in the run.
  const Datum* lets_ = nullptr;
  WrittenConfig out_;
};

}  // namespace

bool is_stack_of(const LaunchMapping& launch, const std::string& stack) {
  const Datum* const named = launch.execution.find(kStack);
  const std::vector<Datum> own = named != nullptr ? named->all() : std::vector<Datum>{};
  return std::any_of(own.begin(), own.end(), [&](const Datum& one) { return one.find("literal") != nullptr && one.find("literal")->text() == stack; });
}

std::vector<std::string> names_of_rules(const Datum& listed) {
  std::vector<std::string> out;
  for (const Datum& rule : listed.all()) {
    if (rule.is_scalar()) out.push_back(rule.text());
    for (const auto& [name, _] : rule.entries()) out.push_back(name.text());
  }
  return out;
}

std::vector<std::string> messages_about(Run& run, const std::vector<Datum>& entries, const NameScope& scope) {
  std::vector<std::string> out;
  for (const Datum& entry : entries) {
    Diagnostics unknown;  // Names that only other models have are no error.
    Linker linker(run.program(), run.evaluator().queries(), unknown);
    const Formula* when = ValueLinker(linker, scope, unknown).formula(entry.find("when"));
    if (!unknown.has_errors() && ValueWriter(run.evaluator(), unknown).holds(when) && !unknown.has_errors()) out.push_back(entry.find("message")->text());
  }
  return out;
}

std::optional<WrittenConfig> write_config(const LaunchMapping& launch, const ExportMapping& export_mapping, Run& run, Diagnostics& diagnostics) {
  return ConfigWriter(launch, export_mapping, run, diagnostics).write();
}

}  // namespace opledger
