// What a search found, for Python.
#include <pybind11/stl.h>

#include "python/errors.h"
#include "python/held_search.h"
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

/// Of these candidates a tuple for each column, as of a table; `alike` last.
py::list columns(const HeldSearch& held, const Candidates& candidates) {
  const SearchAnswer& answer = held.answer();
  ReportTable table;
  table.columns = answer.axes;
  table.columns.insert(table.columns.end(), answer.metrics.begin(), answer.metrics.end());
  table.columns.emplace_back("candidates");
  for (const SearchAnswer::Candidate& candidate : candidates) {
    std::vector<Value>& row = table.rows.emplace_back(candidate.execution);
    row.insert(row.end(), candidate.metrics.begin(), candidate.metrics.end());
    row.push_back(number_value(integer(static_cast<double>(candidate.alike))));
  }
  return columns_of(table);
}

/// How each of them is set, as `--set` takes it; `system` is a document.
py::list settings(const HeldSearch& held, const Candidates& candidates) {
  py::list out;
  for (const SearchAnswer::Candidate& candidate : candidates) {
    const RunRequest run = candidate_run(held.request, held.answer(), candidate);
    py::list pairs;
    for (const Given& field : run.fields) pairs.append(py::make_tuple(text(field.name), text(field.value.text())));
    out.append(py::make_tuple(text(run.system), pairs));
  }
  return out;
}

py::list refused(const HeldSearch& held) {
  py::list out;
  for (const SearchAnswer::Refused& r : held.answer().refused)
    out.append(py::make_tuple(text(r.reason), text(r.message), columns(held, {r.candidate}), settings(held, {r.candidate})));
  return out;
}

py::list played(const HeldSearch& held) {
  py::list out;
  for (const SearchAnswer::PlayedCandidate& p : held.answer().played) out.append(py::make_tuple(to_python(p.by_formula), to_python(p.played), text(p.why)));
  return out;
}

py::dict sums(const SearchAnswer& answer) {
  py::dict out;
  for (std::size_t i = 0; i < answer.sums.size(); ++i) out[text(answer.sums[i])] = to_python(answer.totals[i]);
  return out;
}

py::list found(HeldSearch& held) {
  py::list out;
  for (FoundColumns::Named& named : held.found()) out.append(py::make_tuple(text(named.title), text(named.unit), py::cast(std::move(named.column))));
  return out;
}

/// All of it, so that nothing of the search need be kept.
py::dict result(HeldSearch& held) {
  const SearchAnswer& answer = held.answer();
  py::dict out, pareto;
  for (const FrontMetric& metric : answer.pareto) pareto[text(metric.name)] = metric.most ? "maximise" : "minimise";
  out["accounting"] = text(answer.accounting);
  out["objective"] = text(answer.objective);
  out["maximise"] = answer.space.maximise;
  out["axes"] = answer.axes;
  out["metrics"] = answer.metrics;
  out["pareto"] = pareto;
  out["counts"] = counts(answer);
  out["partial"] = answer.result.partial;
  out["seconds"] = held.seconds();
  out["structures"] = answer.result.structures;
  out["sums"] = sums(answer);
  out["best"] = columns(held, answer.best);
  out["best_settings"] = settings(held, answer.best);
  out["front"] = columns(held, answer.front);
  out["front_settings"] = settings(held, answer.front);
  out["refused"] = refused(held);
  out["played"] = played(held);
  out["found"] = held.list ? py::object(found(held)) : py::none();
  out["text"] = text(write_search(answer, held.request, held.seconds(), Format::text, {}));
  return out;
}

py::tuple status(HeldSearch& held) {
  const SearchStatus now = held.status();
  return py::make_tuple(now.done, now.total, now.before, text(now.best));
}

}  // namespace

void bind_search(py::module_& module) {
  using Names = std::vector<std::string>;
  const auto field = [](auto member) {
    return std::pair([member](const HeldSearch& s) { return s.request.*member; },
                     [member](HeldSearch& s, decltype(SearchRequest().*member) v) { s.request.*member = std::move(v); });
  };
  py::class_<HeldSearch> type(module, "Search");
  type.def(py::init<Asked>());
  for (const auto& [name, member] :
       {std::pair{"metrics", &SearchRequest::metrics}, {"where", &SearchRequest::where}, {"stop", &SearchRequest::stop}, {"pareto", &SearchRequest::pareto}}) {
    const auto [get, set] = field(member);
    type.def_property(name, get, set);
  }
  type.def_property(
          "sums", [](const HeldSearch& s) { return s.request.sweep.sums; }, [](HeldSearch& s, Names names) { s.request.sweep.sums = std::move(names); })
      .def_property(
          "top", [](const HeldSearch& s) { return s.request.sweep.top; }, [](HeldSearch& s, std::size_t n) { s.request.sweep.top = n; })
      .def_property(
          "jobs", [](const HeldSearch& s) { return s.request.sweep.jobs; }, [](HeldSearch& s, std::size_t n) { s.request.sweep.jobs = n; })
      .def_property(
          "store", [](const HeldSearch& s) { return s.request.store; }, [](HeldSearch& s, std::string path) { s.request.store = std::move(path); })
      .def_property(
          "resume", [](const HeldSearch& s) { return s.request.resume; }, [](HeldSearch& s, bool resume) { s.request.resume = resume; })
      .def_property(
          "played", [](const HeldSearch& s) { return s.request.played; },
          [](HeldSearch& s, std::size_t n) {
            s.request.played = n;
            s.request.sweep.top = std::max(s.request.sweep.top, n);
          })
      .def_property(
          "refused", [](const HeldSearch& s) { return s.request.refused; }, [](HeldSearch& s, bool refused) { s.request.refused = refused; })
      .def_readwrite("all", &HeldSearch::list)
      .def("run", &HeldSearch::run)
      .def("halt", &HeldSearch::stop)
      .def_property_readonly("status", status)
      .def_property_readonly("remarks", [](const HeldSearch& s) { return told(s.remarks()); })
      .def("result", result);
}

}  // namespace opledger::python
