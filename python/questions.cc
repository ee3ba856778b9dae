// Further queries of a run: explanations, reports, audits, differences, simulated steps.
#include <pybind11/stl.h>

#include "compare/difference.h"
#include "compare/run_pair.h"
#include "play/audit_simulation.h"
#include "play/timeline.h"
#include "python/errors.h"
#include "python/run_handle.h"
#include "python/values.h"
#include "questions/audit/audit.h"
#include "questions/audit/idle_rules.h"
#include "questions/explain/explain.h"
#include "questions/rank_groups.h"
#include "report/audit_report.h"
#include "report/diff_report.h"
#include "report/explanations.h"
#include "report/groups_report.h"
#include "report/timeline_report.h"

namespace opledger::python {
namespace {

namespace py = pybind11;

/// Returns the exception for a failure: UnknownNameError for an unknown name, DocumentError for a failed evaluation.
const char* error_for(bool known) { return known ? kDocumentError : kUnknownNameError; }

ReportHandle report_of(RunHandle& handle, const std::string& name) {
  const bool known = handle.run().program().reports.count(name) != 0;
  return handle.handle_of(
      handle.answer(error_for(known), [&](Run& run, Library&, Diagnostics& diagnostics) { return build_report(run, {name}, diagnostics); }));
}

ReportHandle table_of(RunHandle& handle, const std::string& name) {
  const bool known = contains(names_of(handle.run().program().tables), name);
  return handle.handle_of(
      handle.answer(error_for(known), [&](Run& run, Library&, Diagnostics& diagnostics) { return build_table_report(run, name, diagnostics); }));
}

py::tuple explained(RunHandle& handle, const std::string& name, const ExplainOptions& options) {
  using Texts = std::pair<std::string, std::string>;
  const bool known = is_explainable(handle.run(), name);
  const Texts texts = handle.answer(error_for(known), [&](Run& run, Library&, Diagnostics& diagnostics) -> std::optional<Texts> {
    const std::optional<Explanations> found = explain(run, name, options, diagnostics);
    if (!found) return std::nullopt;
    return Texts{write_explanations_text(*found), write_explanations_json(*found)};
  });
  return py::make_tuple(text(texts.first), text(texts.second));
}

ReportHandle audited(RunHandle& handle, const std::vector<Expectation>& expectations, bool for_people) {
  struct Answer {
    std::shared_ptr<const Audit> audit;
    Report report;
  };
  const std::vector<Diagnostic>& remarks = handle.remarks().all();
  Answer answer = handle.answer(kDocumentError, [&](Run& run, Library& library, Diagnostics& diagnostics) -> std::optional<Answer> {
    std::optional<Audit> found = audit(run, expectations, diagnostics);
    if (!found) return std::nullopt;
    found->idle = idle_rules(run.request(), library);
    const auto kept = std::make_shared<const Audit>(std::move(*found));
    return Answer{kept, build_audit_report(*kept, run, remarks, for_people, diagnostics)};
  });
  ReportHandle out = handle.handle_of(std::move(answer.report));
  out.owners.push_back(answer.audit);
  out.failures = failures(*answer.audit);
  return out;
}

ReportHandle timeline_of(RunHandle& handle, const TimelineOptions& options) {
  return handle.handle_of(handle.answer(kDocumentError, [&](Run& run, Library&, Diagnostics& diagnostics) -> std::optional<Report> {
    if (!run.has_graph()) {
      diagnostics.error({}, "the accounting `" + run.accounting() + "` counts by formulas alone: there is no step to play");
      return std::nullopt;
    }
    const std::optional<Timeline> played = timeline(run, options, diagnostics);
    return played ? build_report(*played, run.request(), run, diagnostics) : std::nullopt;
  }));
}

ReportHandle groups_of(RunHandle& handle) {
  return handle.handle_of(handle.answer(kDocumentError, [](Run& run, Library&, Diagnostics& diagnostics) -> std::optional<Report> {
    if (!run.has_graph()) {
      diagnostics.error({}, "the accounting `" + run.accounting() + "` has no graph whose ranks could communicate");
      return std::nullopt;
    }
    const std::optional<CommunicatingRanks> ranks = communicating_ranks(run, diagnostics);
    if (!ranks) return std::nullopt;
    Report out{run.request().model, run.request().execution, run.request().system, run.accounting()};
    add_groups(*ranks, true, true, out);
    return out;
  }));
}

/// Returns true if the second run is the first with more settings and another accounting, whose inputs may then be
/// translated from the first.
bool is_translatable(const RunRequest& a, const RunRequest& b) {
  const bool same = a.model == b.model && a.execution == b.execution && a.system == b.system && a.space == b.space;
  return same && a.accounting != b.accounting && b.overrides.size() >= a.overrides.size() &&
         std::equal(a.overrides.begin(), a.overrides.end(), b.overrides.begin());
}

py::tuple differing(RunHandle& first, RunHandle& second) {
  struct Answer {
    std::shared_ptr<const RunPair> pair;
    Report report;
    std::string written;
  };
  const Answer answer =
      first.answer_with(second, kDocumentError, [](Run& run, Run& other, Library& library, Diagnostics& diagnostics) -> std::optional<Answer> {
        auto pair = std::make_shared<RunPair>();
        pair->first = &run, pair->second = &other;
        if (is_translatable(run.request(), other.request())) *pair = prepare_pair(run.request(), other.request(), library, diagnostics);
        if (pair->first == nullptr || pair->second == nullptr) return std::nullopt;
        const Differences all = differences(*pair->first, *pair->second);
        return Answer{pair, build_report(all, *pair->first, *pair->second), write_differences(all, *pair->first, *pair->second)};
      });
  ReportHandle out = first.handle_of(answer.report);
  out.owners.push_back(answer.pair);
  out.owners.push_back(second.shared_from_this());
  return py::make_tuple(std::move(out), text(answer.written));
}

}  // namespace

void bind_questions(py::class_<RunHandle, std::shared_ptr<RunHandle>>& type) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  type.def("report", report_of)
      .def("table", table_of)
      .def("explain",
           [](RunHandle& handle, const std::string& name, int depth, int terms, Pairs at) {
             return explained(handle, name, {depth, terms, std::move(at)});
           })
      .def("audit",
           [](RunHandle& handle, const Pairs& expected, bool for_people) {
             std::vector<Expectation> expectations;
             for (const auto& [metric, value] : expected) expectations.push_back({metric, value});
             return audited(handle, expectations, for_people);
           })
      .def("timeline",
           [](RunHandle& handle, std::size_t microbatches, int ranks, bool operators) {
             return timeline_of(handle, {microbatches, static_cast<TimelineOptions::Ranks>(ranks), operators, 0});
           })
      .def("groups", groups_of)
      .def("diff", differing);
}

}  // namespace opledger::python
