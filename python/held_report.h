#pragma once
#include <pybind11/pybind11.h>

#include "report/report.h"

/// A report and what its texts belong to.
namespace opledger::python {

struct HeldReport {
  Report report;
  Kept owners;                        ///< The run, and what else was asked of it.
  std::vector<std::string> failures;  ///< Of what was checked.
};

void bind_report(pybind11::module_& module);

}  // namespace opledger::python
