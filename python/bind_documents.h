#pragma once
#include <pybind11/pybind11.h>

namespace opledger::python {

/// Binds functions on documents: reading, importing, exporting, listing, and evaluation of tables.
void bind_documents(pybind11::module_& module);

}  // namespace opledger::python
