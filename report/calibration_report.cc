#include "report/calibration_report.h"

#include "base/text.h"

namespace opledger {
namespace {

Value number(const std::optional<double>& n, const Dimension& unit = {}) { return n ? number_value(real(*n), unit) : Value{}; }

Value count(std::size_t n) { return number_value(integer(static_cast<double>(n))); }

ReportTable constants_of(const Calibration& calibration) {
  ReportTable out{"constants", "Constants", {"constant", "before", "after", "deviation", "error"}, {}};
  out.has_mixed_units = true;
  out.units = {{"error", "%", 0.01, 1}};
  for (const CalibratedConstant& c : calibration.constants) {
    const Dimension& unit = c.constant.unit.dimension;
    out.rows.push_back({text_value(c.constant.name()), c.constant.stated ? number(c.constant.before, unit) : Value{}, number(c.after, unit),
                        number(c.deviation, unit), number(c.errors.median)});
  }
  return out;
}

/// Returns the relative errors of computed times, two rows for each table of measurements: the rows used by the fit,
/// and the rows left out of it. Each row has median and 90th percentile before the fit, and after it unless `check`. A
/// check fits nothing but still splits the rows of kernels, into a first and a second half, to show the spread of
/// errors. Tables of whole runs, of a stack, declare their own split.
ReportTable errors_of(const Calibration& calibration, bool check) {
  const bool halves = check && calibration.document->kind != "stack";
  ReportTable out{"errors", "Errors of computed times", {"measurements", "of", "half", "rows", "median", "p90"}, {}};
  if (!check) out.columns.insert(out.columns.end(), {"median after", "p90 after"});
  for (std::size_t i = 4; i < out.columns.size(); ++i) out.units.push_back({out.columns[i], "%", 0.01, 1});
  static const std::string kFitted = "fitted", kLeftOut = "left out", kFirst = "first", kSecond = "second";
  for (const CalibratedTable& t : calibration.tables) {
    const auto add = [&](const std::string& half, const TimeErrors& before, const TimeErrors& after) {
      out.rows.push_back({text_value(t.name), text_value(t.file), text_value(half), count(before.rows), number(before.median), number(before.ninety)});
      if (!check) out.rows.back().insert(out.rows.back().end(), {number(after.median), number(after.ninety)});
    };
    add(halves ? kFirst : kFitted, t.fitted_before, t.fitted_after);
    add(halves ? kSecond : kLeftOut, t.left_out_before, t.left_out_after);
  }
  return out;
}

}  // namespace

Report build_report(const Calibration& calibration, const CalibrationRequest& request) {
  Report report;
  (calibration.document->kind == "stack" ? report.stack : report.system) = report.title = request.of;
  if (!request.check) report.tables.push_back(constants_of(calibration));
  report.tables.push_back(errors_of(calibration, request.check));
  if (calibration.idle.empty()) return report;
  ReportTable idle{"idle", "Left as they are: no row depends on them", {"constant"}, {}};
  for (const std::string& name : calibration.idle) idle.rows.push_back({text_value(name)});
  report.tables.push_back(std::move(idle));
  return report;
}

}  // namespace opledger
