#include "python/asked.h"

#include <pybind11/stl.h>

#include <filesystem>

#include "schemas/document.h"

namespace opledger::python {

namespace py = pybind11;

std::unique_ptr<Library> open_library(const Asked& asked, RunRequest& request, Diagnostics& diagnostics) {
  auto library = std::make_unique<Library>(search_path(asked.path, "path", diagnostics));
  for (const auto& [name, text] : asked.documents) {
    const auto source = std::make_shared<const SourceFile>("<" + name + ">", text);
    const std::optional<Datum> root = parse_document(source, diagnostics);
    std::error_code unknown;
    if (root && !diagnostics.has_errors()) library->provide(name, std::filesystem::current_path(unknown) / "<given>", *root, diagnostics);
  }
  if (!asked.rules.empty()) request.rules = parse_document(std::make_shared<const SourceFile>("rules", asked.rules), diagnostics);
  return diagnostics.has_errors() ? nullptr : std::move(library);
}

void bind_asked(py::module_& module) {
  py::class_<Asked>(module, "Asked")
      .def(py::init<>())
      .def_property(
          "model", [](const Asked& a) { return a.request.model; }, [](Asked& a, std::string name) { a.request.model = std::move(name); })
      .def_property(
          "execution", [](const Asked& a) { return a.request.execution; }, [](Asked& a, std::string name) { a.request.execution = std::move(name); })
      .def_property(
          "system", [](const Asked& a) { return a.request.system; }, [](Asked& a, std::string name) { a.request.system = std::move(name); })
      .def_property(
          "accounting", [](const Asked& a) { return a.request.accounting; }, [](Asked& a, std::string name) { a.request.accounting = std::move(name); })
      .def_property(
          "space", [](const Asked& a) { return a.request.space; }, [](Asked& a, std::string name) { a.request.space = std::move(name); })
      .def_property(
          "settings", [](const Asked& a) { return a.request.overrides; },
          [](Asked& a, std::vector<std::pair<std::string, std::string>> settings) { a.request.overrides = std::move(settings); })
      .def_readwrite("path", &Asked::path)
      .def_readwrite("documents", &Asked::documents)
      .def_readwrite("rules", &Asked::rules);
}

}  // namespace opledger::python
