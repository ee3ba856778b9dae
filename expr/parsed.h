#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "expr/ast.h"

/// Parsed formulas as bytes. The library's image stores syntax trees together with their texts, so that loading a
/// document parses none of the known texts. A stored tree holds offsets; positions are computed for the document that
/// contains the text.
namespace opledger {

/// Encodes the syntax trees of `texts` as a table keyed by a hash of each text. Texts without a formula, and single
/// names or numbers, are left out because parsing them is cheap. Returns an empty string if no text remains.
std::string encode_formulas(const std::vector<std::string>& texts);

/// Returns the tree that `parse_expression` would build. Returns null if `span.file->formulas` has no entry for `text`
/// or an invalid entry; the bytes may be arbitrary.
ExprPtr find_formula(std::string_view text, const Span& span);

}  // namespace opledger
