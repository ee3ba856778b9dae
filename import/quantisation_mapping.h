#pragma once
#include "import/field_mapping.h"

/// The meaning of a config of quantized weights.
namespace opledger {

/// The keys of a mapping for one method of quantization.
struct QuantisationMapping {
  FieldMapping config;
  Datum rules;  ///< Marks to write, and the fields that list modules (quantized.h).
};

/// Reads the fields and the section `rules`.
QuantisationMapping read_quantisation_mapping(const Mapping& mapping);

}  // namespace opledger
