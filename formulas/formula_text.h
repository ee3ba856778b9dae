#pragma once
#include <string>

#include "expr/printer.h"
#include "formulas/program.h"

/// Position and text of a linked formula for messages. Generated formulas have neither.
namespace opledger {

/// Returns the position of the formula in its document; an empty position for a generated formula.
inline Span span_of(const Formula& f) { return f.source != nullptr ? f.source->span : Span{}; }

/// Returns the source text of the formula, printed from its syntax tree; an empty text for a generated formula.
inline std::string shown(const Formula& f) { return f.source != nullptr ? to_source(*f.source) : ""; }

}  // namespace opledger
