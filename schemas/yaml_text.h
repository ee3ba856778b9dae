#pragma once
#include <string>

#include "schemas/datum.h"

/// Writes YAML in the style of a human author. schemas/document.h reads documents.
namespace opledger {

/// Returns a text, in quotes if YAML would read it as another type or as syntax.
std::string yaml_text(const std::string& text);

/// Returns a value on one line: `{float16: {tflops: 312, gflops_efficiency: [[128, 0.95], [0, 0.1]]}}`. Numbers keep
/// their notation.
std::string yaml_flow(const Datum& value);

/// Returns a whole document, which is a mapping. Nested lists and mappings extend over several lines; simple values
/// stay on one line.
std::string yaml_block(const Datum& document);

}  // namespace opledger
