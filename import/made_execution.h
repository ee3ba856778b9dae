#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/launch_mapping.h"
#include "import/made_model.h"
#include "import/mapped_config.h"
#include "import/written_value.h"

/// The execution that a mapping makes of a config, beside its model: keys and formulas of fields, as the mapping's section `execution` has them.
namespace opledger {

struct LinkedExecution {
  std::vector<std::pair<std::string, LinkedValue>> keys;
  std::vector<std::pair<std::string, const Formula*>> rules;  ///< Names, and whether each is listed; null: it is.
};

/// Empty, with errors, if a formula can't be linked.
std::optional<LinkedExecution> link_made_execution(const LaunchMapping& launch, Program& program, Diagnostics& diagnostics);

/// Writes the document. A comment after each key names the source of its value. `noted`: keys and values that comments of the config give; they replace those of
/// the mapping. Returns nothing, with errors, if a formula has no value.
std::optional<std::string> make_execution(const LinkedExecution& execution, MappedConfig& config, const std::vector<Datum::Entry>& noted,
                                          const MadeHeading& heading, Diagnostics& diagnostics);

}  // namespace opledger
