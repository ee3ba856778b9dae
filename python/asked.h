#pragma once
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "run/documents.h"

/// What is asked for, as Python says it.
namespace opledger::python {

struct Asked {
  RunRequest request;
  std::vector<std::string> path;                               ///< Folders where documents are looked for first.
  std::vector<std::pair<std::string, std::string>> documents;  ///< Names and texts of those that are in no file.
  std::string rules;                                           ///< A list in one line, in place of the execution's; empty: none.
};

/// Documents as they are now, for one question, so that no two threads share them. Null, with errors, if a folder or a document that was given is no good.
/// `request` gets the list of rules.
std::unique_ptr<Library> open_library(const Asked& asked, RunRequest& request, Diagnostics& diagnostics);

void bind_asked(pybind11::module_& module);

}  // namespace opledger::python
