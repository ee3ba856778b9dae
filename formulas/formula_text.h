#pragma once
#include <string>

#include "expr/printer.h"
#include "formulas/program.h"

/// Position and text of a linked formula for messages. Generated formulas have neither.
namespace opledger {

/// Returns the position of the formula in its document.
inline Span span_of(const Formula& f) { return f.source != nullptr ? f.source->span : Span{}; }

/// Returns the source text of the formula.
inline std::string shown(const Formula& f) { return f.source != nullptr ? to_source(*f.source) : ""; }

}  // namespace opledger
