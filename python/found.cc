// The answer of a search as Python objects.
#include <pybind11/stl.h>

#include "python/errors.h"
#include "python/search_handle.h"
#include "python/values.h"
#include "report/search_report.h"
#include "search/candidate_run.h"

namespace opledger::python {
namespace {

namespace py = pybind11;
using Candidates = std::vector<SearchAnswer::Candidate>;

py::dict counts(const SearchAnswer& answer) {
  py::dict infeasible, out;
  for (const auto& [reason, n] : answer.result.infeasible) infeasible[text(reason)] = n;
  out["candidates"] = answer.result.candidates;
  out["feasible"] = answer.result.feasible;
  out["infeasible"] = infeasible;
  out["skipped"] = answer.result.skipped;
  return out;
}

/// Returns a tuple for each column of the candidates, as for a table; the number of equal runs is last.
py::list columns(const SearchHandle& handle, const Candidates& candidates) {
  const SearchAnswer& answer = handle.answer();
  ReportTable table;
  table.columns = answer.axes;
  table.columns.insert(table.columns.end(), answer.metrics.begin(), answer.metrics.end());
  table.columns.emplace_back("candidates");
  for (const SearchAnswer::Candidate& candidate : candidates) {
    std::vector<Value>& row = table.rows.emplace_back(candidate.execution);
    row.insert(row.end(), candidate.metrics.begin(), candidate.metrics.end());
    row.push_back(number_value(integer(static_cast<double>(candidate.multiplicity))));
  }
  return columns_of(table);
}

/// Returns the settings of each candidate in the notation of `--set`; a system is a document.
py::list settings(const SearchHandle& handle, const Candidates& candidates) {
  py::list out;
  for (const SearchAnswer::Candidate& candidate : candidates) {
    const RunRequest run = candidate_run(handle.request, handle.answer(), candidate);
    py::list pairs;
    for (const FieldAssignment& field : run.fields) pairs.append(py::make_tuple(text(field.name), text(field.value.text())));
    out.append(py::make_tuple(text(run.system), pairs));
  }
  return out;
}

py::list refused(const SearchHandle& handle) {
  py::list out;
  for (const SearchAnswer::Refused& r : handle.answer().refused)
    out.append(py::make_tuple(text(r.reason), text(r.message), columns(handle, {r.candidate}), settings(handle, {r.candidate})));
  return out;
}

py::list played(const SearchHandle& handle) {
  py::list out;
  for (const SearchAnswer::PlayedCandidate& p : handle.answer().played) out.append(py::make_tuple(to_python(p.by_formula), to_python(p.played), text(p.why)));
  return out;
}

/// Returns a tuple for each axis with a single value: name of the axis, value, and the inputs that may allow more values.
py::list held_axes(const SearchAnswer& answer) {
  py::list out;
  for (const SearchAnswer::HeldAxis& held : answer.held_axes) out.append(py::make_tuple(text(held.axis), to_python(held.value), held.inputs));
  return out;
}

py::dict sums(const SearchAnswer& answer) {
  py::dict out;
  for (std::size_t i = 0; i < answer.sums.size(); ++i) out[text(answer.sums[i])] = to_python(answer.totals[i]);
  return out;
}

py::list found(SearchHandle& handle) {
  py::list out;
  for (FoundColumns::Named& named : handle.found()) out.append(py::make_tuple(text(named.title), text(named.unit), py::cast(std::move(named.column))));
  return out;
}

/// Returns the complete answer, so that the search can be freed.
py::dict result(SearchHandle& handle) {
  const SearchAnswer& answer = handle.answer();
  py::dict out, pareto;
  for (const FrontMetric& metric : answer.pareto) pareto[text(metric.name)] = metric.maximize ? "maximise" : "minimise";
  out["accounting"] = text(answer.accounting);
  out["objective"] = text(answer.objective);
  out["maximise"] = answer.space.maximize;
  out["axes"] = answer.axes;
  out["metrics"] = answer.metrics;
  out["pareto"] = pareto;
  out["counts"] = counts(answer);
  out["partial"] = answer.result.partial;
  out["seconds"] = handle.seconds();
  out["structures"] = answer.result.traces;
  out["sums"] = sums(answer);
  out["best"] = columns(handle, answer.best);
  out["best_settings"] = settings(handle, answer.best);
  out["front"] = columns(handle, answer.front);
  out["front_settings"] = settings(handle, answer.front);
  const Candidates simplest = answer.simplest ? Candidates{*answer.simplest} : Candidates();
  out["simplest"] = columns(handle, simplest);
  out["simplest_settings"] = settings(handle, simplest);
  out["held_axes"] = held_axes(answer);
  out["refused"] = refused(handle);
  out["played"] = played(handle);
  out["found"] = handle.list ? py::object(found(handle)) : py::none();
  out["text"] = text(write_search(answer, handle.request, handle.seconds(), Format::text, {}));
  return out;
}

py::tuple status(SearchHandle& handle) {
  const SearchStatus now = handle.status();
  return py::make_tuple(now.done, now.total, now.before, text(now.best));
}

}  // namespace

void bind_search(py::module_& module) {
  using Names = std::vector<std::string>;
  const auto field = [](auto member) {
    return std::pair([member](const SearchHandle& s) { return s.request.*member; },
                     [member](SearchHandle& s, decltype(SearchRequest().*member) v) { s.request.*member = std::move(v); });
  };
  py::class_<SearchHandle> type(module, "Search");
  type.def(py::init<Request>());
  for (const auto& [name, member] :
       {std::pair{"metrics", &SearchRequest::metrics}, {"where", &SearchRequest::where}, {"stop", &SearchRequest::stop}, {"pareto", &SearchRequest::pareto}}) {
    const auto [get, set] = field(member);
    type.def_property(name, get, set);
  }
  type.def_property(
          "sums", [](const SearchHandle& s) { return s.request.sweep.sums; }, [](SearchHandle& s, Names names) { s.request.sweep.sums = std::move(names); })
      .def_property(
          "top", [](const SearchHandle& s) { return s.request.sweep.top; }, [](SearchHandle& s, std::size_t n) { s.request.sweep.top = n; })
      .def_property(
          "jobs", [](const SearchHandle& s) { return s.request.sweep.jobs; }, [](SearchHandle& s, std::size_t n) { s.request.sweep.jobs = n; })
      .def_property(
          "store", [](const SearchHandle& s) { return s.request.store; }, [](SearchHandle& s, std::string path) { s.request.store = std::move(path); })
      .def_property(
          "resume", [](const SearchHandle& s) { return s.request.resume; }, [](SearchHandle& s, bool resume) { s.request.resume = resume; })
      .def_property(
          "played", [](const SearchHandle& s) { return s.request.played; },
          [](SearchHandle& s, std::size_t n) {
            s.request.played = n;
            s.request.sweep.top = std::max(s.request.sweep.top, n);
          })
      .def_property(
          "refused", [](const SearchHandle& s) { return s.request.refused; }, [](SearchHandle& s, bool refused) { s.request.refused = refused; })
      .def_readwrite("all", &SearchHandle::list)
      .def("run", &SearchHandle::run)
      .def("halt", &SearchHandle::stop)
      .def_property_readonly("status", status)
      .def_property_readonly("remarks", [](const SearchHandle& s) { return messages_of(s.remarks()); })
      .def("result", result);
}

}  // namespace opledger::python
