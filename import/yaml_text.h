#pragma once
#include <string>

#include "schemas/datum.h"

/// Pieces of YAML as a person would write them. What reads a document back is schemas/document.h.
namespace opledger {

/// Text, in quotes where it would be read as something else.
std::string yaml_text(const std::string& text);

/// A value in one line: `{float16: {tflops: 312, gflops_efficiency: [[128, 0.95], [0, 0.1]]}}`. Numbers as they were written.
std::string yaml_flow(const Datum& value);

/// A whole document: what holds other lists or mappings over several lines, the rest as above.
std::string yaml_block(const Datum& document);

}  // namespace opledger
