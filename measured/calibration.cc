#include "measured/calibration.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "formulas/link/types.h"
#include "measured/least_squares.h"
#include "measured/measured_steps.h"

namespace opledger {
namespace {

constexpr double kScale = 0.08;     ///< Scale of the loss: a residual of 8 % is ordinary.
constexpr double kPull = 0.03;      ///< Penalty weight for moving a constant by 1 on its scale; keeps undetermined constants at their start.
constexpr double kNudge = 0.05;     ///< Change of a constant, on its scale, to find rows that depend on it.
constexpr double kNoChange = 1e-9;  ///< Difference of logarithms of times up to which times are equal.
constexpr int kDigits = 4;          ///< Significant digits of written constants.
constexpr double kDoubtful = 0.25;  ///< Median error after fitting above which the rows probably measure something else.

/// A row of a table.
struct TableRow {
  std::size_t table, row;
};

/// Fits constants to measured times. Its data: `tables_` predict times, `fitted_` and `left_out_` list the rows of
/// the two halves, `active_` the constants that fitted rows depend on.
class Calibrator {
 public:
  Calibrator(std::vector<std::unique_ptr<MeasuredTimes>> tables, std::vector<OpenConstant> constants, Diagnostics& diagnostics)
      : tables_(std::move(tables)), constants_(std::move(constants)), diagnostics_(diagnostics) {
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      for (std::size_t row = 0; row < tables_[t]->count(); ++row) (tables_[t]->left_out(row) ? left_out_ : fitted_).push_back({t, row});
    }
    for (const OpenConstant& c : constants_) before_.push_back(c.before);
  }

  /// Works in four steps: errors of the document's values, selection of the constants that rows depend on, robust
  /// least squares, errors of the fitted values. With `check`, only the errors of the document's values are computed,
  /// as before and after. Returns nothing and reports errors if a row has no computed time, or if rows are too few.
  std::optional<Calibration> run(bool check) {
    measure_before();
    values_ = before_;
    if (diagnostics_.has_errors()) return std::nullopt;
    if (!check && (!find_active() || !fit())) return std::nullopt;
    measure_after();
    if (!check) doubt_tables();
    return diagnostics_.has_errors() ? std::nullopt : std::optional(std::move(out_));
  }

 private:
  /// Returns ln(computed / measured), or a large value if no time is computed. Reports only the first failure.
  double residual(const TableRow& row, const std::vector<double>& constants) {
    Diagnostics own;
    const std::optional<double> seconds = tables_[row.table]->predict(row.row, constants, own);
    if (!seconds && !diagnostics_.has_errors()) diagnostics_.append(std::move(own));  // Only the first failure is reported.
    return seconds ? std::log(*seconds / tables_[row.table]->seconds(row.row)) : 10;
  }

  /// Returns whether rows of a table may depend on a constant.
  bool opens(std::size_t table, std::size_t constant) const {
    const auto& fields = tables_[table]->opened();
    return std::any_of(fields.begin(), fields.end(), [&](const auto& field) { return field.second == constant; });
  }

  /// Returns for each row whether a small change of the constant changes its predicted time. The cost is two
  /// predictions for each row of a table that opens the constant.
  std::vector<bool> affected_rows(std::size_t constant, const std::vector<TableRow>& rows, const std::vector<double>& values) {
    const Range& range = constants_[constant].range;
    std::vector<double> other = values;
    other[constant] = range.value(range.scaled(values[constant]) + kNudge);
    std::vector<bool> out;
    for (const TableRow& row : rows) out.push_back(opens(row.table, constant) && std::fabs(residual(row, other) - residual(row, values)) > kNoChange);
    return out;
  }

  /// Selects the constants that fitted rows depend on, as `active_`, and sets them to their start values; all others
  /// keep their values. Otherwise least squares would see directions without effect. Returns false and reports an
  /// error if no constant is left, or if the rows are fewer than the constants.
  bool find_active() {
    std::vector<double> start;
    for (const OpenConstant& c : constants_) start.push_back(c.start);
    for (std::size_t c = 0; c < constants_.size(); ++c) {
      const std::vector<bool> affected = affected_rows(c, fitted_, start);
      if (contains(affected, true)) active_.push_back(c);
    }
    find_idle();
    for (const std::size_t c : active_) values_[c] = start[c];
    if (diagnostics_.has_errors()) return false;
    if (fitted_.empty()) return fail_rows();
    if (active_.empty()) diagnostics_.error({}, "no constant is open that these rows depend on: name some by `--open`");
    return active_.size() > fitted_.size() ? fail_rows() : !diagnostics_.has_errors();
  }

  bool fail_rows() {
    diagnostics_.error({}, fmt::format("{} rows to fit to are too few for {} constants: measure more, or name fewer by `--open`", fitted_.size(),
                                       std::max<std::size_t>(active_.size(), 1)));
    return false;
  }

  /// Collects stated constants without effect in records that have a fitted constant.
  void find_idle() {
    const auto moves = [&](const OpenConstant& c) {
      return std::any_of(active_.begin(), active_.end(), [&](std::size_t m) { return constants_[m].record() == c.record(); });
    };
    for (std::size_t c = 0; c < constants_.size(); ++c) {
      if (!contains(active_, c) && constants_[c].stated && moves(constants_[c])) out_.idle.push_back(constants_[c].name());
    }
  }

  std::vector<double> values_at(const std::vector<double>& scaled) const {
    std::vector<double> out = values_;
    for (std::size_t i = 0; i < active_.size(); ++i) out[active_[i]] = constants_[active_[i]].range.value(scaled[i]);
    return out;
  }

  /// Returns the objective over fitted rows, without penalty.
  double loss(const std::vector<double>& values) {
    double out = 0;
    for (const TableRow& row : fitted_) out += soft_loss(residual(row, values), kScale);
    return out;
  }

  /// Fits the active constants by robust nonlinear least squares, on scales without bounds (`Range`). `before_` has
  /// the document's values of all constants, `values_` the current ones. The residuals are ln(computed / measured) of
  /// each fitted row, plus a weak quadratic penalty for each constant, which keeps undetermined constants at their
  /// start. If only one parameter changes, rows whose table can't depend on its constant (`opens`) keep their
  /// residuals. The result counts only if its loss, without the penalty, is lower than that of the document's values.
  /// Otherwise these values stay, and a warning says so.
  bool fit() {
    std::vector<double> start;
    for (const std::size_t c : active_) start.push_back(constants_[c].range.scaled(values_[c]));
    const auto evaluate = [&](const std::vector<double>& scaled, int moved, std::vector<double>& out) {
      const std::vector<double> values = values_at(scaled);
      for (std::size_t i = 0; i < fitted_.size(); ++i) {
        if (moved < 0 || opens(fitted_[i].table, active_[static_cast<std::size_t>(moved)])) out[i] = residual(fitted_[i], values);
      }
      for (std::size_t i = 0; i < start.size(); ++i) out[fitted_.size() + i] = kPull * (scaled[i] - start[i]);
    };
    const Minimum minimum = least_squares({fitted_.size() + start.size(), evaluate}, start, kScale);
    values_ = values_at(minimum.parameters);
    if (loss(before_) <= loss(values_)) {
      values_ = before_;
      diagnostics_.warning({}, "no values agree better with these rows than those of the document, which stay unchanged");
      return !diagnostics_.has_errors();
    }
    for (std::size_t i = 0; i < active_.size(); ++i) add(active_[i], minimum.parameters[i], minimum.deviations[i]);
    return !diagnostics_.has_errors();
  }

  /// Records a constant rounded to its written digits, which the errors then refer to.
  void add(std::size_t c, double scaled, const std::optional<double>& deviation) {
    const OpenConstant& constant = constants_[c];
    CalibratedConstant out{constant, 0, "", {}, {}};
    out.written = fmt::format("{:.{}g}", values_[c] / constant.unit.factor, kDigits);
    out.after = values_[c] = std::strtod(out.written.c_str(), nullptr) * constant.unit.factor;
    if (!constant.unit.dimension.plain()) out.written += " " + constant.unit_text;
    if (deviation) out.deviation = *deviation * constant.range.slope(scaled);
    out_.constants.push_back(std::move(out));
  }

  /// Returns the errors |computed / measured - 1| of some rows; expm1 turns the logarithm of the ratio into this
  /// error.
  TimeErrors errors(const std::vector<TableRow>& rows, const std::vector<double>& values) {
    std::vector<double> all;
    for (const TableRow& row : rows) all.push_back(std::fabs(std::expm1(residual(row, values))));
    return {all.size(), nearest_rank(all, 0.5), nearest_rank(all, 0.9)};
  }

  static std::vector<TableRow> of_table(const std::vector<TableRow>& rows, std::size_t table) {
    std::vector<TableRow> out;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(out), [&](const TableRow& row) { return row.table == table; });
    return out;
  }

  void measure_before() {
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      out_.tables.push_back({tables_[t]->name(), tables_[t]->file(), errors(of_table(fitted_, t), before_), {}, errors(of_table(left_out_, t), before_), {}});
    }
  }

  /// Computes the errors of the fitted values: for both halves of each table, and for each constant. The errors of a
  /// constant are over the left-out rows that depend on any fitted constant of its record, because a record's
  /// constants describe one thing together.
  void measure_after() {
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      out_.tables[t].fitted_after = errors(of_table(fitted_, t), values_);
      out_.tables[t].left_out_after = errors(of_table(left_out_, t), values_);
    }
    std::map<std::string, std::vector<bool>> affected;  // Records, each with the left-out rows that depend on any of its constants.
    for (std::size_t i = 0; i < active_.size() && i < out_.constants.size(); ++i) {
      const std::vector<bool> moved = affected_rows(active_[i], left_out_, values_);
      std::vector<bool>& all = affected[out_.constants[i].constant.record()];
      all.resize(moved.size());
      for (std::size_t r = 0; r < moved.size(); ++r) all[r] = all[r] || moved[r];
    }
    for (CalibratedConstant& c : out_.constants) {
      std::vector<TableRow> rows;
      for (std::size_t r = 0; r < left_out_.size(); ++r) {
        if (affected[c.constant.record()][r]) rows.push_back(left_out_[r]);
      }
      c.errors = errors(rows, values_);
    }
  }

  /// Warns of tables that no constants describe, since constants fitted to them mean nothing. Typical causes are a wrong
  /// unit, another machine, and times below those at the machine's peaks.
  void doubt_tables() {
    for (const CalibratedTable& table : out_.tables) {
      if (table.fitted_after.median.value_or(0) <= kDoubtful) continue;
      diagnostics_.warning({}, fmt::format("`{}` of `{}`: half of the computed times are more than {:.0f} % off even with fitted constants; check the unit of "
                                           "the times, the precision, and the machine's peaks",
                                           table.name, table.file, 100 * *table.fitted_after.median));
    }
  }

  std::vector<std::unique_ptr<MeasuredTimes>> tables_;
  std::vector<OpenConstant> constants_;
  Diagnostics& diagnostics_;
  std::vector<TableRow> fitted_, left_out_;
  std::vector<double> before_, values_;
  std::vector<std::size_t> active_;
  Calibration out_;
};

}  // namespace

std::optional<double> nearest_rank(std::vector<double> values, double share) {
  if (values.empty()) return std::nullopt;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

namespace {

/// Calibrates a system with tables of kernels and collectives. All tables are read before any constant is selected,
/// so that one call reports the errors of every table. A document of whole runs is an error, because runs depend on
/// constants of a stack. With `check`, the corrections that the system names apply to predictions; a fit ignores
/// them.
std::optional<Calibration> calibrate_system(const CalibrationRequest& request, Library& library, Diagnostics& diagnostics) {
  std::vector<std::unique_ptr<MeasuredTable>> tables;
  for (const auto& [name, file] : request.measured) {
    const Document* document = library.load(name, {"measurements"}, diagnostics);
    if (document == nullptr) continue;
    if (document->root.find("runs") != nullptr)
      diagnostics.error(document->root.span(), fmt::format("`{}` measures whole runs, which determine constants of a stack, not of a system", document->name));
    else if (std::unique_ptr<MeasuredTable> table = MeasuredTable::read(*document, file, request.of, request.check, library, diagnostics))
      tables.push_back(std::move(table));
  }
  if (diagnostics.has_errors()) return std::nullopt;
  std::vector<OpenConstant> constants;
  if (!open_constants(tables, request.open, constants, library, diagnostics)) return std::nullopt;
  std::vector<std::unique_ptr<MeasuredTimes>> times;
  for (auto& table : tables) times.push_back(std::move(table));
  return Calibrator(std::move(times), std::move(constants), diagnostics).run(request.check);
}

/// Calibrates a stack with whole runs. Each measurement names a document of measurements, which lists the constants
/// to fit, and a document of validation with the runs and their times. Documents declare the runs that are left out.
/// Every constant is opened in every table, since any run may depend on it. The same runs twice are an error: they
/// would count twice.
std::optional<Calibration> calibrate_stack(const Document& stack, const CalibrationRequest& request, Library& library, Diagnostics& diagnostics) {
  std::vector<std::unique_ptr<MeasuredSteps>> tables;
  std::vector<const Document*> documents, validations;
  for (const auto& [name, runs] : request.measured) {
    const Document* document = library.load(name, {"measurements"}, diagnostics);
    const Document* validation = document != nullptr ? library.load(runs, {"validation"}, diagnostics) : nullptr;
    if (validation == nullptr) continue;
    if (contains(validations, validation)) diagnostics.error({}, fmt::format("`--measured {}={}`: its runs are there twice", name, runs));
    validations.push_back(validation);
    if (document->root.find("runs") == nullptr)
      diagnostics.error(document->root.span(), fmt::format("`{}` does not measure whole runs, which determine constants of a stack", document->name));
    else if (std::unique_ptr<MeasuredSteps> steps = MeasuredSteps::read(document->name, *validation, stack, library, diagnostics))
      tables.push_back(std::move(steps));
    documents.push_back(document);
  }
  if (diagnostics.has_errors()) return std::nullopt;
  std::vector<const LinkedRun*> all;
  for (const auto& table : tables) {
    const std::vector<const LinkedRun*> own = table->runs();
    all.insert(all.end(), own.begin(), own.end());
  }
  const std::vector<OpenConstant> constants = open_inputs(stack, all, documents, request.open, diagnostics);
  if (constants.empty() && !request.check && !diagnostics.has_errors())
    diagnostics.error(stack.root.span(), fmt::format("`{}` states none of the numbers that are fitted: name others by `--open`", stack.name));
  std::vector<std::pair<std::string, std::size_t>> opened;
  for (std::size_t c = 0; c < constants.size(); ++c) opened.emplace_back(constants[c].name(), c);
  if (diagnostics.has_errors()) return std::nullopt;
  std::vector<std::unique_ptr<MeasuredTimes>> times;
  for (auto& table : tables) {
    table->open(opened);
    times.push_back(std::move(table));
  }
  return Calibrator(std::move(times), constants, diagnostics).run(request.check);
}

}  // namespace

std::optional<Calibration> calibrate(const CalibrationRequest& request, Library& library, Diagnostics& diagnostics) {
  const Document* document = library.load(request.of, {"system", "stack"}, diagnostics);
  if (document == nullptr) return std::nullopt;
  std::optional<Calibration> out =
      document->kind == "stack" ? calibrate_stack(*document, request, library, diagnostics) : calibrate_system(request, library, diagnostics);
  if (out) out->document = document;
  return out;
}

}  // namespace opledger
