#pragma once
#include <string>

#include "expr/printer.h"
#include "formulas/program.h"

/// A linked formula as messages speak of it: where it is written, and how.
namespace opledger {

inline Span span_of(const Formula& f) { return f.source != nullptr ? f.source->span : Span{}; }

inline std::string shown(const Formula& f) { return f.source != nullptr ? to_source(*f.source) : ""; }

}  // namespace opledger
