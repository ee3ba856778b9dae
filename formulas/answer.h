#pragma once
#include <memory>

#include "base/diagnostics.h"
#include "formulas/value.h"

/// The result of a query: a value, or the reason for its absence.
namespace opledger {

struct Answer {
  Value value = {};                                   ///< The value; `nothing` after an error.
  std::shared_ptr<const Diagnostic> error = nullptr;  ///< The error; null: the value is known.
  bool absent = false;                                ///< The error only says that the run lacks a document.

  bool known() const { return error == nullptr; }
  /// Adds the error, if any, to `diagnostics`. Returns whether the value is known.
  bool report(Diagnostics& diagnostics) const {
    if (!known()) diagnostics.add(*error);
    return known();
  }
  /// Adds the error, if any, to `diagnostics`, unless the value is `absent`; callers omit such values. Returns whether the
  /// value is known.
  bool report_unless_absent(Diagnostics& diagnostics) const { return absent ? false : report(diagnostics); }
};

}  // namespace opledger
