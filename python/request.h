#pragma once
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "run/documents.h"

/// Requests that cross from Python to the library.
namespace opledger::python {

/// The documents, settings and rules of a request from Python.
struct Request {
  RunRequest request;
  std::vector<std::string> path;                               ///< Folders searched first for documents.
  std::vector<std::pair<std::string, std::string>> documents;  ///< Names and texts of documents in memory.
  std::string rules;                                           ///< List of rules as one line, which replaces the execution's list; empty: unchanged.
};

/// Opens the documents in their current state. Each request has its own library, so threads share none. The rules of
/// `inputs` are stored in `request`. Returns null, with errors, if a folder or a document in memory is invalid.
std::unique_ptr<Library> open_library(const Request& inputs, RunRequest& request, Diagnostics& diagnostics);

/// Binds the class to the module.
void bind_request(pybind11::module_& module);

}  // namespace opledger::python
