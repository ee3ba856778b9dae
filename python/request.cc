#include "python/request.h"

#include <pybind11/stl.h>

#include <filesystem>

#include "schemas/document.h"

namespace opledger::python {

namespace py = pybind11;

std::unique_ptr<Library> open_library(const Request& inputs, RunRequest& request, Diagnostics& diagnostics) {
  auto library = std::make_unique<Library>(search_path(inputs.path, "path", diagnostics));
  for (const auto& [name, text] : inputs.documents) {
    const auto source = std::make_shared<const SourceFile>("<" + name + ">", text);
    const std::optional<Datum> root = parse_document(source, diagnostics);
    std::error_code unknown;
    if (root && !diagnostics.has_errors()) library->provide(name, std::filesystem::current_path(unknown) / "<in memory>", *root, diagnostics);
  }
  if (!inputs.rules.empty()) request.rules = parse_document(std::make_shared<const SourceFile>("rules", inputs.rules), diagnostics);
  return diagnostics.has_errors() ? nullptr : std::move(library);
}

void bind_request(py::module_& module) {
  py::class_<Request>(module, "Request")
      .def(py::init<>())
      .def_property(
          "model", [](const Request& a) { return a.request.model; }, [](Request& a, std::string name) { a.request.model = std::move(name); })
      .def_property(
          "execution", [](const Request& a) { return a.request.execution; }, [](Request& a, std::string name) { a.request.execution = std::move(name); })
      .def_property(
          "system", [](const Request& a) { return a.request.system; }, [](Request& a, std::string name) { a.request.system = std::move(name); })
      .def_property(
          "accounting", [](const Request& a) { return a.request.accounting; }, [](Request& a, std::string name) { a.request.accounting = std::move(name); })
      .def_property(
          "space", [](const Request& a) { return a.request.space; }, [](Request& a, std::string name) { a.request.space = std::move(name); })
      .def_property(
          "settings", [](const Request& a) { return a.request.overrides; },
          [](Request& a, std::vector<std::pair<std::string, std::string>> settings) { a.request.overrides = std::move(settings); })
      .def_readwrite("path", &Request::path)
      .def_readwrite("documents", &Request::documents)
      .def_readwrite("rules", &Request::rules);
}

}  // namespace opledger::python
