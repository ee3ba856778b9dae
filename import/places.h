#pragma once
#include <string>

#include "schemas/datum.h"

/// Values in mappings of mappings, by where they are: `attn_config.kv_n_heads`.
namespace opledger {

/// Null: it is not there.
const Datum* find_at(const Datum& config, const std::string& place);

/// The same config with this value there, and with the mappings around it.
Datum with_value(const Datum& config, const std::string& place, const Datum& value);

/// Without it; a mapping that then holds nothing stays.
Datum without(const Datum& config, const std::string& place);

}  // namespace opledger
