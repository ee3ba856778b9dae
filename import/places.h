#pragma once
#include <string>

#include "schemas/datum.h"

/// Access to nested mappings by place: `attn_config.kv_n_heads`.
namespace opledger {

/// Returns the value at a place; null if the config lacks it.
const Datum* find_at(const Datum& config, const std::string& place);

/// Returns a copy of the config with the value at a place. Missing mappings along the place are added; a scalar or
/// list in the place of a mapping is replaced.
Datum with_value(const Datum& config, const std::string& place, const Datum& value);

/// Returns a copy of the config without the value at a place. An enclosing mapping stays, even if empty.
Datum without_value(const Datum& config, const std::string& place);

}  // namespace opledger
