// The explorer's page of a run, and the bars of a notebook's summary.
#include <pybind11/stl.h>

#include <algorithm>

#include "compare/difference.h"
#include "python/errors.h"
#include "python/run_handle.h"
#include "python/values.h"
#include "report/cells.h"
#include "report/diff_report.h"
#include "report/explore_page.h"
#include "report/explorer_frame.h"

namespace opledger::python {
namespace {

namespace py = pybind11;

std::string page_text(const ExploredPage& page) { return write_explore_page(explorer_frame(), page.title, write_explore_json(page)); }

std::optional<std::string> page_of_one(Run& run, const std::vector<std::string>& path, Diagnostics& diagnostics) {
  const std::optional<ExploredRun> explored = explore(run, eval_words(run.request(), path), diagnostics);
  return explored ? std::optional(page_text({title_of(*explored), {&*explored}})) : std::nullopt;
}

std::optional<std::string> page_of_two(Run& run, Run& other, const std::vector<std::string>& path, const std::string& difference, Diagnostics& diagnostics) {
  const std::optional<ExploredRun> first = explore(run, eval_words(run.request(), path), diagnostics);
  const std::optional<ExploredRun> second = explore(other, eval_words(other.request(), path), diagnostics);
  if (!first || !second) return std::nullopt;
  const Differences all = differences(run, other);
  const Report report = build_report(all, run, other);
  return page_text({title_of(*first) + " against " + difference, {&*first, &*second}, &report});
}

py::str page(RunHandle& handle, const std::shared_ptr<RunHandle>& other, const std::string& difference) {
  RunHandle& second = other == nullptr ? handle : *other;
  return text(handle.answer_with(second, kDocumentError, [&](Run& run, Run& against, Library&, Diagnostics& diagnostics) {
    return &run == &against ? page_of_one(run, handle.path(), diagnostics) : page_of_two(run, against, handle.path(), difference, diagnostics);
  }));
}

/// A table that the accounting's views draw as stacks: the name of each row, and its parts as numbers and texts.
struct Stacks {
  std::string title, limit_text;
  double limit = 0;  ///< Limit in base units; 0: none.
  std::vector<std::string> names, parts;
  std::vector<std::vector<std::pair<double, std::string>>> rows;
};

std::optional<Stacks> stacks_of(Run& run, const Drawing& drawing) {
  Diagnostics ignored;
  const std::optional<Report> report = build_table_report(run, drawing.cells.table, ignored);
  if (!report || report->tables.empty()) return std::nullopt;
  const ReportTable& table = report->tables[0];
  Stacks out;
  out.title = table.title;
  for (const std::vector<Value>& row : table.rows) {
    out.names.push_back(
        display_text(row[static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), drawing.cells.by) - table.columns.begin())]));
    out.rows.emplace_back();
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!contains(drawing.cells.columns, table.columns[c])) continue;
    out.parts.push_back(display_title(table, c));
    for (std::size_t r = 0; r < table.rows.size(); ++r) out.rows[r].emplace_back(table.rows[r][c].scalar.value, display_text(table.rows[r][c]));
  }
  const Published* limit = run.program().find_published(drawing.limit);
  const std::optional<ReportMetric> most = limit == nullptr ? std::nullopt : build_metric(drawing.limit, *limit, run.evaluator(), ignored);
  if (most) out.limit = most->value.scalar.value, out.limit_text = display_text(most->value);
  return out;
}

py::list stacks(RunHandle& handle) {
  const std::vector<Stacks> all = handle.answer(kDocumentError, [](Run& run, Library&, Diagnostics&) {
    std::vector<Stacks> out;
    for (const View& view : run.program().views) {
      for (const Drawing& drawing : view.drawings) {
        if (drawing.draw != "stacks") continue;
        if (std::optional<Stacks> found = stacks_of(run, drawing)) out.push_back(std::move(*found));
      }
    }
    return std::optional(std::move(out));
  });
  py::list out;
  for (const Stacks& s : all) {
    py::dict stacks;
    stacks["title"] = text(s.title);
    stacks["limit"] = s.limit;
    stacks["limit_text"] = text(s.limit_text);
    stacks["names"] = s.names;
    stacks["parts"] = s.parts;
    stacks["rows"] = s.rows;
    out.append(stacks);
  }
  return out;
}

/// Returns a report as its command shows it to people.
ReportHandle shown_report(RunHandle& handle, const std::string& name) {
  return handle.handle_of(handle.answer(kDocumentError, [&](Run& run, Library&, Diagnostics& diagnostics) -> std::optional<Report> {
    if (run.program().reports.count(name) == 0) return Report{};
    return build_report(run, {name}, diagnostics, true);
  }));
}

}  // namespace

void bind_pages(py::class_<RunHandle, std::shared_ptr<RunHandle>>& type) { type.def("page", page).def("stacks", stacks).def("shown_report", shown_report); }

}  // namespace opledger::python
