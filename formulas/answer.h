#pragma once
#include <memory>

#include "base/diagnostics.h"
#include "formulas/value.h"

/// What a question comes to.
namespace opledger {

struct Answer {
  Value value = {};                                   ///< Nothing where there is none.
  std::shared_ptr<const Diagnostic> error = nullptr;  ///< Why there is none; null: it is known.
  bool absent = false;                                ///< It would take a document that the run has none of: the error says which.

  bool known() const { return error == nullptr; }
  /// The same, after its error was added to the messages.
  bool tell(Diagnostics& diagnostics) const {
    if (!known()) diagnostics.add(*error);
    return known();
  }
  /// For whoever leaves out what takes something that the run does without.
  bool tell_unless_absent(Diagnostics& diagnostics) const { return absent ? false : tell(diagnostics); }
};

}  // namespace opledger
