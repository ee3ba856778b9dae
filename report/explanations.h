#pragma once
#include <string>

#include "questions/explain/explanation.h"

/// Explanations of numbers as text and as JSON.
namespace opledger {

/// Returns indented lines: a name with its value and place, its formula, the formula with values inserted, then its
/// operands.
std::string write_explanations_text(const Explanations& explanations);

/// Returns JSON {"format": 1, "definitions": [{"id", "name", "unit", "doc", "source", "formula", "file", "line",
/// "column", "text": line of the file}], "names": [tree], "nodes": [{…, "quantities": [tree]}]}.
/// A tree is a definition's id, its value, its point, and the trees of its operands. See
/// schemas/output/explain.schema.json.
std::string write_explanations_json(const Explanations& explanations);

}  // namespace opledger
