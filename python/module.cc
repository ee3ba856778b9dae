// The extension module `opledger._core`. What users see is written in Python, in python/opledger.
#include <pybind11/pybind11.h>

#include "python/asked.h"
#include "python/bind_documents.h"
#include "python/held_report.h"
#include "python/held_run.h"
#include "python/held_search.h"
#include "python/values.h"
#include "report/set_up.h"

PYBIND11_MODULE(_core, module) {
  opledger::set_up_runs();
  module.attr("version") = OPLEDGER_VERSION;
  opledger::python::bind_values(module);
  opledger::python::bind_asked(module);
  opledger::python::bind_documents(module);
  opledger::python::bind_report(module);
  opledger::python::bind_run(module);
  opledger::python::bind_search(module);
}
