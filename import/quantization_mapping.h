#pragma once
#include "import/field_mapping.h"

/// The meaning of a config of quantized weights.
namespace opledger {

/// The keys of a mapping for one method of quantization.
struct QuantizationMapping {
  FieldMapping config;  ///< Fields of the config that describes the quantization.
  Datum rules;          ///< Section `rules`: marks for rules to set on quantized modules, and config fields that list these modules (quantized.h).
};

/// Reads the fields and the section `rules`.
QuantizationMapping read_quantization_mapping(const Mapping& mapping);

}  // namespace opledger
