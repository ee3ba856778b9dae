#include "python/report_handle.h"

#include <algorithm>

#include "python/errors.h"
#include "python/values.h"
#include "report/cells.h"
#include "report/writers.h"

namespace opledger::python {
namespace {

namespace py = pybind11;

py::list report_metrics(const ReportHandle& handle) {
  py::list out;
  for (const ReportSection& section : handle.report.sections) {
    for (const ReportMetric& m : section.metrics)
      out.append(py::make_tuple(text(m.id), to_python(m.value), text(m.unit), text(m.doc), text(display_text(m.value, m.unit == "ratio"))));
  }
  return out;
}

py::list report_tables(const ReportHandle& handle) {
  py::list out;
  for (const ReportTable& table : handle.report.tables) out.append(text(table.name));
  return out;
}

const ReportTable& table_named(const ReportHandle& handle, const std::string& name) {
  const auto found = std::find_if(handle.report.tables.begin(), handle.report.tables.end(), [&](const ReportTable& t) { return t.name == name; });
  if (found != handle.report.tables.end()) return *found;
  Diagnostics diagnostics;
  Report copy = handle.report;
  keep_only(name, copy, diagnostics);
  raise(kUnknownNameError, diagnostics);
}

/// Returns a table as a dict. In a tree, the key `under` gives the parents of rows, as in CSV.
py::dict report_table(const ReportHandle& handle, const std::string& name) {
  const ReportTable& of = table_named(handle, name);
  py::dict total;
  for (std::size_t i = 0; i < of.total.size(); ++i) total[text(of.columns[i])] = to_python(of.total[i]);
  py::list notes;
  for (const std::string& note : of.notes) notes.append(text(note));
  py::dict out;
  out["title"] = text(of.title);
  out["columns"] = columns_of(of);
  out["rows"] = of.rows.size();
  out["under"] = of.parents.empty() ? py::object(py::none()) : py::cast(Column{std::vector<std::int32_t>(of.parents), {}, of.parents.size()});
  out["total"] = total;
  out["notes"] = notes;
  out["left_out"] = of.left_out;
  return out;
}

/// Returns sections and tables for people, as titles and rows of texts.
py::list report_for_people(const ReportHandle& handle) {
  py::list out;
  for (const ReportSection& section : handle.report.sections) {
    if (section.detail) continue;
    py::list rows;
    for (const ReportMetric& m : section.metrics) rows.append(py::make_tuple(text(m.key), text(display_text(m.value, m.unit == "ratio")), text(m.doc)));
    out.append(py::make_tuple(text(section.title), py::none(), rows));
  }
  for (const ReportTable& t : handle.report.tables) {
    if (t.detail || t.rows.empty()) continue;
    py::list titles, columns;
    for (const std::size_t c : visible_columns(t)) {
      titles.append(text(display_title(t, c)));
      py::list cells;
      for (const std::string& cell : display_column(t, c)) cells.append(text(cell));
      columns.append(cells);
    }
    out.append(py::make_tuple(text(t.title), titles, columns));
  }
  return out;
}

std::string written(const ReportHandle& handle, const std::string& format, std::size_t columns) {
  return write(handle.report, find_format(format).value_or(Format::text), {columns, false});
}

}  // namespace

void bind_report(py::module_& module) {
  py::class_<ReportHandle>(module, "Report")
      .def_property_readonly("metrics", report_metrics)
      .def_property_readonly("tables", report_tables)
      .def_property_readonly("failures",
                             [](const ReportHandle& handle) {
                               py::list out;
                               for (const std::string& failure : handle.failures) out.append(text(failure));
                               return out;
                             })
      .def("table", report_table)
      .def("for_people", report_for_people)
      .def("written", [](const ReportHandle& handle, const std::string& format, std::size_t columns) { return text(written(handle, format, columns)); });
}

}  // namespace opledger::python
