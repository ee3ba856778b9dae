// What else a run is asked: explanations, reports, audits, differences, the step played out.
#include <pybind11/stl.h>

#include "compare/difference.h"
#include "compare/run_pair.h"
#include "play/audit_played.h"
#include "play/timeline.h"
#include "python/errors.h"
#include "python/held_run.h"
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

/// Whether a name is unknown, or something known can't be computed, is told by different exceptions.
const char* error_for(bool known) { return known ? kDocumentError : kUnknownNameError; }

HeldReport report_of(HeldRun& held, const std::string& name) {
  const bool known = held.run().program().reports.count(name) != 0;
  return held.held(held.answer(error_for(known), [&](Run& run, Library&, Diagnostics& diagnostics) { return build_report(run, {name}, diagnostics); }));
}

HeldReport table_of(HeldRun& held, const std::string& name) {
  const bool known = contains(names_of(held.run().program().tables), name);
  return held.held(held.answer(error_for(known), [&](Run& run, Library&, Diagnostics& diagnostics) { return build_table_report(run, name, diagnostics); }));
}

py::tuple explained(HeldRun& held, const std::string& name, const ExplainOptions& options) {
  using Texts = std::pair<std::string, std::string>;
  const bool known = is_explainable(held.run(), name);
  const Texts texts = held.answer(error_for(known), [&](Run& run, Library&, Diagnostics& diagnostics) -> std::optional<Texts> {
    const std::optional<Explanations> found = explain(run, name, options, diagnostics);
    if (!found) return std::nullopt;
    return Texts{write_explanations_text(*found), write_explanations_json(*found)};
  });
  return py::make_tuple(text(texts.first), text(texts.second));
}

HeldReport audited(HeldRun& held, const std::vector<Expectation>& expectations, bool for_people) {
  struct Answer {
    std::shared_ptr<const Audit> audit;
    Report report;
  };
  const std::vector<Diagnostic>& remarks = held.remarks().all();
  Answer answer = held.answer(kDocumentError, [&](Run& run, Library& library, Diagnostics& diagnostics) -> std::optional<Answer> {
    std::optional<Audit> found = audit(run, expectations, diagnostics);
    if (!found) return std::nullopt;
    found->idle = idle_rules(run.request(), library);
    const auto kept = std::make_shared<const Audit>(std::move(*found));
    return Answer{kept, build_audit_report(*kept, run, remarks, for_people, diagnostics)};
  });
  HeldReport out = held.held(std::move(answer.report));
  out.owners.push_back(answer.audit);
  out.failures = failures(*answer.audit);
  return out;
}

HeldReport timeline_of(HeldRun& held, const TimelineOptions& options) {
  return held.held(held.answer(kDocumentError, [&](Run& run, Library&, Diagnostics& diagnostics) -> std::optional<Report> {
    if (!run.has_graph()) {
      diagnostics.error({}, "the accounting `" + run.accounting() + "` counts by formulas alone: there is no step to play");
      return std::nullopt;
    }
    const std::optional<Timeline> played = timeline(run, options, diagnostics);
    return played ? build_report(*played, run.request(), run, diagnostics) : std::nullopt;
  }));
}

HeldReport groups_of(HeldRun& held) {
  return held.held(held.answer(kDocumentError, [](Run& run, Library&, Diagnostics& diagnostics) -> std::optional<Report> {
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

/// Whether the second run is the first one with more settings and another accounting, which may say how it is asked of the first.
bool restates(const RunRequest& a, const RunRequest& b) {
  const bool same = a.model == b.model && a.execution == b.execution && a.system == b.system && a.space == b.space;
  return same && a.accounting != b.accounting && b.overrides.size() >= a.overrides.size() &&
         std::equal(a.overrides.begin(), a.overrides.end(), b.overrides.begin());
}

py::tuple differing(HeldRun& first, HeldRun& second) {
  struct Answer {
    std::shared_ptr<const RunPair> pair;
    Report report;
    std::string written;
  };
  const Answer answer =
      first.answer_with(second, kDocumentError, [](Run& run, Run& other, Library& library, Diagnostics& diagnostics) -> std::optional<Answer> {
        auto pair = std::make_shared<RunPair>();
        pair->first = &run, pair->second = &other;
        if (restates(run.request(), other.request())) *pair = prepare_pair(run.request(), other.request(), library, diagnostics);
        if (pair->first == nullptr || pair->second == nullptr) return std::nullopt;
        const Differences all = differences(*pair->first, *pair->second);
        return Answer{pair, build_report(all, *pair->first, *pair->second), write_differences(all, *pair->first, *pair->second)};
      });
  HeldReport out = first.held(answer.report);
  out.owners.push_back(answer.pair);
  out.owners.push_back(second.shared_from_this());
  return py::make_tuple(std::move(out), text(answer.written));
}

}  // namespace

void bind_questions(py::class_<HeldRun, std::shared_ptr<HeldRun>>& type) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  type.def("report", report_of)
      .def("table", table_of)
      .def("explain",
           [](HeldRun& held, const std::string& name, int depth, int terms, Pairs at) {
             return explained(held, name, {depth, terms, std::move(at)});
           })
      .def("audit",
           [](HeldRun& held, const Pairs& expected, bool for_people) {
             std::vector<Expectation> expectations;
             for (const auto& [metric, value] : expected) expectations.push_back({metric, value});
             return audited(held, expectations, for_people);
           })
      .def("timeline",
           [](HeldRun& held, std::size_t microbatches, int ranks, bool operators) {
             return timeline_of(held, {microbatches, static_cast<TimelineOptions::Ranks>(ranks), operators, 0});
           })
      .def("groups", groups_of)
      .def("diff", differing);
}

}  // namespace opledger::python
