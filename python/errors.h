#pragma once
#include <pybind11/pybind11.h>

#include "base/diagnostics.h"

/// Diagnostics as Python exceptions and messages.
namespace opledger::python {

/// Names of exception classes in opledger.errors.
inline constexpr const char* kDocumentError = "DocumentError";        ///< A subclass of ValueError.
inline constexpr const char* kUnknownNameError = "UnknownNameError";  ///< A subclass of KeyError.

/// Returns a list of opledger.errors.Message. The caller must hold the interpreter's lock.
pybind11::list messages_of(const Diagnostics& diagnostics);

/// Raises an exception with the complete text, as the program prints it, and with its messages. The caller must hold
/// the interpreter's lock.
[[noreturn]] void raise(const char* error, const Diagnostics& diagnostics);

}  // namespace opledger::python
