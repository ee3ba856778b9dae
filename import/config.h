#pragma once
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formulas/read/program_sources.h"
#include "import/field_mapping.h"

/// Reads the values of a mapping's fields from a config.
namespace opledger {

/// Limit of layers in an imported model, and of entries in a list of a config. Formulas may visit every entry for each
/// layer, so the cost is quadratic.
inline constexpr std::size_t kMostLayers = 2048;

/// The fields of a config.
struct ConfigFields {
  std::vector<FieldAssignment> present;  ///< Values of the fields in the config, under their names in formulas.
  std::set<std::string> absent;          ///< Names of absent fields, whose defaults apply.
};

/// Reads the fields that `mapping` lists from `config`, a whole document or one section of a document. Returns nothing
/// and reports errors for a missing required field, a value of the wrong type, and two places with different values.
/// Keys that the mapping ignores, and null values, are skipped; an ignored section that describes another model gives a
/// warning. Any other key without a field is an error if the mapping suspects or refuses it, or if its name resembles a
/// known place; otherwise it gives a warning.
std::optional<ConfigFields> read_config(const Datum& config, const FieldMapping& mapping, Diagnostics& diagnostics);

}  // namespace opledger
