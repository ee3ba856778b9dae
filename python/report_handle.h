#pragma once
#include <pybind11/pybind11.h>

#include "report/report.h"

/// Reports that own the data behind their texts.
namespace opledger::python {

/// A report and the owners of its texts, as an object of Python.
struct ReportHandle {
  Report report;
  ValueOwners owners;                 ///< The run, and answers that texts of the report point into.
  std::vector<std::string> failures;  ///< Failed checks of an audit, a line each.
};

void bind_report(pybind11::module_& module);

}  // namespace opledger::python
