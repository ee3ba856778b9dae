#pragma once
#include <string>

#include "questions/explain/explanation.h"

/// What numbers rest on, written.
namespace opledger {

/// Indented lines: a name with its value and place, its formula, the formula with values put in, then what it is made of.
std::string write_explanations_text(const Explanations& explanations);

/// {"format": 1, "definitions": [{"id", "name", "unit", "doc", "source", "formula", "file", "line", "column", "text": the line of the file}], "names": [tree], "nodes":
/// [{…, "quantities": [tree]}]}; a tree is a definition's id, its value, the point, and the trees of what it is made of. schemas/output/explain.schema.json says all.
std::string write_explanations_json(const Explanations& explanations);

}  // namespace opledger
