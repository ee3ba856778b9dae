#pragma once
#include "import/field_mapping.h"

/// The meaning of a config of quantized weights.
namespace opledger {

struct QuantisationMapping {
  FieldMapping config;
  Datum rules;  ///< The marks to write, and the fields that list modules (quantised.h).
};

QuantisationMapping read_quantisation_mapping(const Mapping& mapping);

}  // namespace opledger
