// The extension module `opledger._core`. The public interface is the Python package python/opledger.
#include <pybind11/pybind11.h>

#include "python/bind_documents.h"
#include "python/report_handle.h"
#include "python/request.h"
#include "python/run_handle.h"
#include "python/search_handle.h"
#include "python/values.h"
#include "report/set_up.h"

PYBIND11_MODULE(_core, module) {
  opledger::set_up_runs();
  module.attr("version") = OPLEDGER_VERSION;
  opledger::python::bind_values(module);
  opledger::python::bind_request(module);
  opledger::python::bind_documents(module);
  opledger::python::bind_report(module);
  opledger::python::bind_run(module);
  opledger::python::bind_search(module);
}
