#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/imported_model.h"
#include "import/launch_mapping.h"
#include "import/mapped_config.h"
#include "import/value_writer.h"

/// Writes the execution that a config describes, by the mapping's section `execution`: keys of the execution, with
/// formulas of fields.
namespace opledger {

/// The formulas of the section, linked with the config's fields.
struct LinkedExecution {
  std::vector<std::pair<std::string, LinkedValue>> keys;  ///< Keys of the execution with their values, in the mapping's order.
  /// Names of rules, each with the condition under which the execution lists it; null: always.
  std::vector<std::pair<std::string, const Formula*>> rules;
  const Formula* loads_published = nullptr;  ///< Condition under which the execution lists published rules; null: never.
};

/// Links the section. Returns nothing and reports errors if a formula can't be linked.
std::optional<LinkedExecution> link_imported_execution(const LaunchMapping& launch, Program& program, Diagnostics& diagnostics);

/// Writes the document. A comment after each key names the source of its value. `comment_keys` has keys and values
/// from comments of the config, which replace formulas of the mapping; rules in comments are added to the mapping's
/// rules. Without rules in comments, `published_rules` are added if the framework loads published weights. Returns nothing
/// and reports errors if a formula has no value.
std::optional<std::string> make_execution(const LinkedExecution& execution, MappedConfig& config, const std::vector<Datum::Entry>& comment_keys,
                                          const std::vector<std::string>& published_rules, const DocumentHeading& heading, Diagnostics& diagnostics);

}  // namespace opledger
