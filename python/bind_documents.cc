// Functions on documents and on tables of runs.
#include "python/bind_documents.h"

#include <pybind11/stl.h>

#include "base/text.h"
#include "import/hf.h"
#include "import/launch_export.h"
#include "python/errors.h"
#include "python/request.h"
#include "python/values.h"
#include "questions/catalogue.h"
#include "questions/table.h"
#include "report/output.h"
#include "schemas/document.h"
#include "schemas/kinds.h"

namespace opledger::python {
namespace {

namespace py = pybind11;

py::object plain(const Datum& datum) {
  if (datum.is_map()) {
    py::dict out;
    for (const auto& [key, value] : datum.entries()) out[text(key.text())] = plain(value);
    return out;
  }
  if (datum.is_list()) {
    py::list out;
    for (const Datum& item : datum.items()) out.append(plain(item));
    return out;
  }
  if (datum.is_null()) return py::none();
  if (const auto truth = datum.boolean()) return py::bool_(*truth);
  const std::optional<double> number = datum.number();
  if (!number) return text(datum.text());
  const bool whole = datum.text().find_first_not_of("-0123456789") == std::string::npos;
  return whole ? py::object(py::int_(py::str(datum.text()))) : py::object(py::float_(*number));
}

/// Returns the content of a YAML text.
py::object read_yaml(const std::string& name, const std::string& yaml) {
  Diagnostics diagnostics;
  const std::optional<Datum> root = parse_document(std::make_shared<const SourceFile>("<" + name + ">", yaml), diagnostics);
  if (!root || diagnostics.has_errors()) raise(kDocumentError, diagnostics);
  return plain(*root);
}

/// Returns a document's name, path and text, given its name or path.
py::tuple load_document(const Request& inputs, const std::string& name, const std::vector<std::string>& kinds) {
  Diagnostics diagnostics;
  RunRequest request;
  const std::unique_ptr<Library> library = open_library(inputs, request, diagnostics);
  const Document* document = library != nullptr ? library->load(name, kinds, diagnostics) : nullptr;
  if (document == nullptr) raise(kDocumentError, diagnostics);
  return py::make_tuple(text(document->name), text(document->path.string()), text(document->root.span().file->text));
}

py::tuple import_config(const Request& inputs, const std::string& file, const std::string& name, const std::string& rules, bool trained) {
  Diagnostics diagnostics;
  RunRequest unused;
  const std::unique_ptr<Library> library = open_library(inputs, unused, diagnostics);
  ImportRequest request{file, name, {}, rules, trained};
  const ImportedDocuments imported = library != nullptr ? import_hf(request, *library, diagnostics) : ImportedDocuments{};
  if (diagnostics.has_errors() || imported.text.empty()) raise(kDocumentError, diagnostics);
  return py::make_tuple(text(imported.text), text(imported.rules), messages_of(diagnostics));
}

/// Returns the launch files of a run for another tool.
py::str export_run(const Request& inputs, const std::string& format, const std::string& mapping) {
  Diagnostics diagnostics;
  std::string exported;
  {
    py::gil_scoped_release released;
    ExportRequest request{format, mapping, inputs.request};
    const std::unique_ptr<Library> library = open_library(inputs, request.run, diagnostics);
    if (library != nullptr) exported = export_launch(request, *library, diagnostics);
  }
  if (diagnostics.has_errors()) raise(kDocumentError, diagnostics);
  return text(exported);
}

py::list document_names(const Request& inputs, const std::string& kind) {
  Diagnostics diagnostics;
  RunRequest request;
  const std::unique_ptr<Library> library = open_library(inputs, request, diagnostics);
  if (library == nullptr) raise(kDocumentError, diagnostics);
  py::list out;
  for (const std::string& name : library->names(kind)) out.append(text(name));
  return out;
}

py::list document_kinds() {
  py::list out;
  for (const std::string& kind : kind_names()) out.append(text(kind));
  return out;
}

/// Returns the contents of documents: (title, facts, rows) with rows of name, facts and documentation.
py::tuple offers(const Request& inputs, const std::string& of, const std::string& document) {
  Diagnostics diagnostics;
  const std::vector<std::string> known = catalogue_names();
  if (!is_catalogue(of)) {
    diagnostics.error({}, "`" + of + "` is nothing that documents offer" + suggestion(of, known) + ": there are " + join(known, ", "));
    raise(kUnknownNameError, diagnostics);
  }
  RunRequest request;
  const std::unique_ptr<Library> library = open_library(inputs, request, diagnostics);
  const std::optional<Catalogue> found = library != nullptr ? catalogue(of, document, *library, diagnostics) : std::nullopt;
  if (!found) raise(kDocumentError, diagnostics);
  py::list rows;
  for (const Catalogue::Row& row : found->rows) rows.append(py::make_tuple(text(row.name), row.facts, text(row.doc)));
  return py::make_tuple(text(found->of), found->facts, rows);
}

struct Rows {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> cells;  ///< Cells by row.
};

Csv csv_of(Rows rows) {
  Csv out;
  out.columns = std::move(rows.columns);
  std::uint32_t line = 1;
  for (std::vector<std::string>& cells : rows.cells) out.rows.push_back({std::move(cells), ++line});
  return out;
}

py::tuple table_tuple(const EvaluatedTable& table) {
  py::list outcomes, metrics;
  for (const Csv::Row& row : table.rows.rows) outcomes.append(text(row.cells[table.outcome]));
  for (std::size_t m = 0; m < table.metrics.size(); ++m) {
    const Value none;
    std::vector<const Value*> values;
    std::string unit = table.metrics[m].unit;
    for (const std::vector<Value>& figures : table.figures) {
      values.push_back(figures.empty() ? &none : &figures[m]);
      if (values.back()->is_number()) unit = base_unit(*values.back(), table.metrics[m].unit);
    }
    metrics.append(py::make_tuple(text(table.metrics[m].name), text(unit), column_of(values)));
  }
  return py::make_tuple(outcomes, metrics);
}

/// Evaluates a run for each row of a table. Returns the outcome of each row, and the metrics as columns.
py::tuple evaluate(const Request& inputs, std::vector<std::string> columns, std::vector<std::vector<std::string>> cells) {
  Diagnostics diagnostics;
  std::optional<EvaluatedTable> table;
  std::unique_ptr<Library> library;
  {
    py::gil_scoped_release released;
    RunRequest request = inputs.request;
    library = open_library(inputs, request, diagnostics);
    const Csv csv = csv_of({std::move(columns), std::move(cells)});
    const auto source = std::make_shared<const SourceFile>("frame", csv_lines(csv));
    if (library != nullptr) table = evaluate_table(csv, source, request, *library, diagnostics);
  }
  if (!table) raise(kDocumentError, diagnostics);
  return table_tuple(*table);
}

/// Writes a file atomically.
void write_text_file(const std::string& path, const std::string& content) {
  const std::string problem = write_file(path, content);
  if (problem.empty()) return;
  PyErr_SetString(PyExc_OSError, problem.c_str());
  throw py::error_already_set();
}

}  // namespace

void bind_documents(py::module_& module) {
  module.def("read", read_yaml);
  module.def("load", load_document);
  module.def("import_config", import_config);
  module.def("export_run", export_run);
  module.def("names", document_names);
  module.def("kinds", document_kinds);
  module.def("offers", offers);
  module.def("evaluate", evaluate);
  module.def("suggestion", [](const std::string& word, const std::vector<std::string>& candidates) { return text(suggestion(word, candidates)); });
  module.def("write", write_text_file);
}

}  // namespace opledger::python
