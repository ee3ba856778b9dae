#include "python/run_handle.h"

#include <pybind11/stl.h>

#include "formulas/link/published.h"
#include "python/errors.h"
#include "python/values.h"
#include "report/cells.h"

namespace opledger::python {
namespace {

namespace py = pybind11;

py::tuple metric_tuple(const ReportMetric& m) {
  return py::make_tuple(text(m.name), to_python(m.value), text(m.unit), text(m.doc), text(display_text(m.value, m.unit == "ratio")));
}

/// Returns a metric, or a name of the accounting with a single value.
py::tuple run_metric(RunHandle& handle, const std::string& name) {
  Diagnostics unknown;
  const std::optional<Published> published = handle.run().program().metric(name, unknown);
  if (!published) raise(kUnknownNameError, unknown);
  return metric_tuple(handle.answer(kDocumentError, [&](Run& run, Library&, Diagnostics& diagnostics) {
    std::optional<ReportMetric> out = build_metric(name, *published, run.evaluator(), diagnostics);
    if (!out && !diagnostics.has_errors()) diagnostics.error({}, "`" + name + "` can't be computed without a system");
    return out;
  }));
}

/// Returns every metric that can be computed.
py::list run_metrics(RunHandle& handle) {
  const std::vector<ReportMetric> all = handle.answer(kDocumentError, [](Run& run, Library&, Diagnostics&) {
    std::vector<ReportMetric> out;
    for (const Published& published : run.program().published) {
      Diagnostics ignored;
      if (std::optional<ReportMetric> m = build_metric(published.name, published, run.evaluator(), ignored)) out.push_back(std::move(*m));
    }
    return std::optional(std::move(out));
  });
  py::list out;
  for (const ReportMetric& m : all) out.append(metric_tuple(m));
  return out;
}

py::list violations(RunHandle& handle) {
  const auto all = handle.answer(kDocumentError, [](Run& run, Library&, Diagnostics& diagnostics) { return std::optional(run.violations(diagnostics)); });
  py::list out;
  for (const Violation& v : all) out.append(py::make_tuple(text(v.reason), text(v.message), text(to_string(v.at))));
  return out;
}

/// Returns the main figures: labels of the accounting, and texts.
py::list headline(RunHandle& handle) {
  py::list out;
  const auto roles = handle.run().program().commands.find("explore");
  if (roles == handle.run().program().commands.end()) return out;
  for (const Role& role : roles->second) {
    const Published* published = handle.run().program().find_published(role.name);
    if (published == nullptr) continue;
    using Found = std::optional<ReportMetric>;
    const Found found = handle.answer(kDocumentError, [&](Run& run, Library&, Diagnostics&) -> std::optional<Found> {
      Diagnostics ignored;
      return std::make_optional<Found>(build_metric(role.name, *published, run.evaluator(), ignored));
    });
    if (found) out.append(py::make_tuple(text(role.word), text(display_text(found->value, found->unit == "ratio"))));
  }
  return out;
}

py::list texts(const std::vector<std::string>& all) {
  py::list out;
  for (const std::string& name : all) out.append(text(name));
  return out;
}

}  // namespace

void raise_from(const char* error, const Diagnostics& diagnostics) { raise(error, diagnostics); }

std::shared_ptr<RunHandle> RunHandle::prepare(const Request& inputs) {
  auto out = std::make_shared<RunHandle>();
  {
    py::gil_scoped_release released;
    RunRequest request = inputs.request;
    out->path_ = inputs.path;
    out->library_ = open_library(inputs, request, out->remarks_);
    if (out->library_ != nullptr) out->run_ = Run::prepare(request, *out->library_, out->remarks_);
  }
  if (out->run_ == nullptr) raise(kDocumentError, out->remarks_);
  return out;
}

void bind_run(py::module_& module) {
  py::class_<RunHandle, std::shared_ptr<RunHandle>> type(module, "Run");
  type.def(py::init(&RunHandle::prepare))
      .def_property_readonly("remarks", [](const RunHandle& handle) { return messages_of(handle.remarks()); })
      .def_property_readonly("accounting", [](const RunHandle& handle) { return text(handle.run().accounting()); })
      .def_property_readonly("execution", [](const RunHandle& handle) { return text(handle.run().execution_name()); })
      .def_property_readonly("metric_names", [](const RunHandle& handle) { return texts(names_of(handle.run().program().published)); })
      .def_property_readonly("table_names", [](const RunHandle& handle) { return texts(names_of(handle.run().program().tables)); })
      .def_property_readonly("report_names", [](const RunHandle& handle) { return texts(names_of(handle.run().program().reports)); })
      .def("metric", run_metric)
      .def("metrics", run_metrics)
      .def("violations", violations)
      .def("headline", headline);
  bind_questions(type);
  bind_pages(type);
}

}  // namespace opledger::python
