#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/made_model.h"
#include "import/mapped_config.h"

/// The execution that a mapping makes of a config, beside its model: keys and formulas of fields, as the mapping's section `execution` has them.
namespace opledger {

/// A value of an execution: nothing, a formula, a word, a list of one formula, or values below keys; of several the first whose condition holds.
struct LinkedValue {
  const Datum* written = nullptr;
  const Formula* when = nullptr;   ///< Null: it holds.
  const Formula* is = nullptr;
  const Datum* literal = nullptr;  ///< As it stands.
  const Formula* count = nullptr;  ///< Of a list: `is` sees which entry it is, as `n`.
  std::vector<LinkedValue> choices;
  std::vector<std::pair<std::string, LinkedValue>> inner;
};

struct LinkedExecution {
  std::vector<std::pair<std::string, LinkedValue>> keys;
  std::vector<std::pair<std::string, const Formula*>> rules;  ///< Names, and whether each is listed; null: it is.
};

/// Empty, with errors, if a formula can't be linked.
std::optional<LinkedExecution> link_made_execution(const Mapping& mapping, Program& program, Diagnostics& diagnostics);

/// The document, with a comment behind every key that says what it comes from. Empty, with errors, if a formula is worth nothing.
std::optional<std::string> make_execution(const LinkedExecution& execution, MappedConfig& config, const MadeHeading& heading, Diagnostics& diagnostics);

}  // namespace opledger
