#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "expr/ast.h"

/// Parsed formulas as bytes. The library's image stores syntax trees together with their texts, so that loading a
/// document does not parse these texts. A stored tree holds offsets; positions are computed for the document that
/// contains the text.
namespace opledger {

/// Encodes the syntax trees of `texts` as a table keyed by a hash of each text. Texts that are no formula are left out.
/// Trees of one node, such as a name or a number, are left out too, because parsing them is cheap. Returns an empty string
/// if no text remains.
std::string encode_formulas(const std::vector<std::string>& texts);

/// Returns the tree that the parser would build from `text`. Returns null if the file of `span` is unknown, or if
/// `span.file->formulas` has no valid entry for `text`; these bytes may be arbitrary.
ExprPtr find_formula(std::string_view text, const Span& span);

}  // namespace opledger
