#pragma once
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formulas/read/program_sources.h"
#include "import/field_mapping.h"

/// What a config says, in a mapping's words.
namespace opledger {

/// Layers of a model that is made, and entries of a list that says something of them: each layer may look at all of these.
inline constexpr std::size_t kMostLayers = 2048;

struct ConfigFields {
  std::vector<Given> given;      ///< Fields that are there, under the names that formulas have for them.
  std::set<std::string> absent;  ///< The others: defaults stand in.
};

/// `config`: the mapping that holds the fields, in whatever document. Empty, with errors: a field that is needed is missing, one is of another type than it
/// should be, two names of one disagree, or there is one that is unknown and may change shapes. Others that are unknown are warnings.
std::optional<ConfigFields> read_config(const Datum& config, const FieldMapping& mapping, Diagnostics& diagnostics);

}  // namespace opledger
