#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "expr/ast.h"

/// Formulas that were parsed before, as bytes: what the parser made of some texts, for those who meet the texts again. A text's tree is the same wherever it stands; only the
/// places in it are not.
namespace opledger {

/// Of these texts, those that are formulas worth keeping.
std::string encode_formulas(const std::vector<std::string>& texts);

/// The tree that `parse_expression` would give. Null: it is not among those that `span.file` has (SourceFile::formulas), which may be any bytes.
ExprPtr find_formula(std::string_view text, const Span& span);

}  // namespace opledger
