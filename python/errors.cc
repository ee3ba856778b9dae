#include "python/errors.h"

#include "base/text.h"
#include "python/values.h"

namespace opledger::python {
namespace {

namespace py = pybind11;

const char* word_of(Severity severity) { return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note"; }

/// Returns the diagnostic with `setting` as the source of overrides, because Python has no command line.
Diagnostic for_python(Diagnostic d) {
  if (d.span.known() && d.span.file->path == "--set") d.span.file = std::make_shared<const SourceFile>("setting", d.span.file->text);
  for (Diagnostic& note : d.notes) note = for_python(std::move(note));
  return d;
}

py::object message(const Diagnostic& d, const py::object& type) {
  py::list notes;
  for (const Diagnostic& note : d.notes) notes.append(message(note, type));
  const bool placed = d.span.known() && d.span.line > 0;
  return type(word_of(d.severity), text(d.message), d.span.known() ? py::object(text(d.span.file->path)) : py::none(),
              placed ? py::object(py::int_(d.span.line)) : py::none(), placed ? py::object(py::int_(d.span.column)) : py::none(),
              text(visible_lines(render(d))), py::tuple(notes));
}

}  // namespace

py::list messages_of(const Diagnostics& diagnostics) {
  const py::object type = py::module_::import("opledger.errors").attr("Message");
  py::list out;
  for (const Diagnostic& d : diagnostics.all()) out.append(message(for_python(d), type));
  return out;
}

void raise(const char* error, const Diagnostics& diagnostics) {
  const py::object type = py::module_::import("opledger.errors").attr(error);
  Diagnostics shown;
  for (const Diagnostic& d : diagnostics.all()) shown.add(for_python(d));
  const py::object exception = type(text(visible_lines(render(shown))), messages_of(diagnostics));
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw py::error_already_set();
}

}  // namespace opledger::python
