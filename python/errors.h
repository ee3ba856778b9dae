#pragma once
#include <pybind11/pybind11.h>

#include "base/diagnostics.h"

/// What was reported, for Python.
namespace opledger::python {

/// Which exception of opledger.errors.
inline constexpr const char* kDocumentError = "DocumentError";        ///< A ValueError.
inline constexpr const char* kUnknownNameError = "UnknownNameError";  ///< A KeyError.

/// A list of opledger.errors.Message.
pybind11::list told(const Diagnostics& diagnostics);

/// Raises the exception with the whole text, as the program prints it, and what it is made of. The interpreter's lock must be held.
[[noreturn]] void raise(const char* error, const Diagnostics& diagnostics);

}  // namespace opledger::python
