#pragma once
#include <pybind11/pybind11.h>

namespace opledger::python {

void bind_documents(pybind11::module_& module);

}  // namespace opledger::python
