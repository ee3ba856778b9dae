#pragma once
#include <optional>
#include <string>
#include <vector>

#include "import/export_mapping.h"
#include "import/launch_mapping.h"
#include "run/run.h"

/// Writes a run as a config of a framework, by the formulas `writes` of a mapping. The formulas read the run's
/// accounting, the model's parameters, and `rules.NAME`: whether the rule NAME holds in the run.
namespace opledger {

/// A field of the config with its value.
struct WrittenField {
  const MappedField* field = nullptr;  ///< The field in the mapping.
  Datum value;                         ///< The value as the config states it.
  std::string from;                    ///< Sources of the value, for a comment: keys of the execution, parameters of the model, rules.
};

/// The fields of a config, and facts that only comments can state.
struct WrittenConfig {
  /// Rules of the execution that only a comment states: those that no argument of the framework decides, and those of the
  /// framework's kernels (its own stack lists them) in a run with another stack.
  std::vector<std::string> rules;
  std::vector<WrittenField> fields;        ///< Fields in the mapping's order.
  std::vector<Datum::Entry> comment_keys;  ///< Keys of the execution in comments: the run's stack, if it differs from the mapping's stack.
};

/// Returns whether imports of a mapping may have this stack.
bool is_stack_of(const LaunchMapping& launch, const std::string& stack);

/// Returns the names of all rules of a list, also of rules with conditions.
std::vector<std::string> names_of_rules(const Datum& listed);

/// Returns the texts `message` of the entries `{when: CONDITION, message: TEXT}` whose conditions hold in the run. A
/// condition with a name that the model of the run lacks does not hold.
std::vector<std::string> messages_about(Run& run, const std::vector<Datum>& entries, const NameScope& scope);

/// Evaluates the fields. Returns nothing and reports errors if the mapping can't express a rule of the execution or the
/// run's model. A limitation under `refused` that applies, and a formula without a value, are errors, too.
std::optional<WrittenConfig> write_config(const LaunchMapping& launch, const ExportMapping& export_mapping, Run& run, Diagnostics& diagnostics);

}  // namespace opledger
