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

constexpr double kScale = 0.08;  ///< Of the loss: a residual of 8 % is an ordinary one.
constexpr double kPull = 0.03;   ///< What it costs to move a constant by one on its scale, as the residual of a row: what rows do not tell stays where it was.
constexpr double kNudge = 0.05;  ///< By which a constant is moved to see which rows depend on it.
constexpr double kNoChange = 1e-9;  ///< Of the logarithm of a time.
constexpr int kDigits = 4;          ///< Of what is written.

/// A row of one of the tables.
struct Place {
  std::size_t table, row;
};

class Calibrator {
 public:
  Calibrator(std::vector<std::unique_ptr<MeasuredTimes>> tables, std::vector<OpenConstant> constants, Diagnostics& diagnostics)
      : tables_(std::move(tables)), constants_(std::move(constants)), diagnostics_(diagnostics) {
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      for (std::size_t row = 0; row < tables_[t]->count(); ++row) (tables_[t]->left_out(row) ? left_out_ : fitted_).push_back({t, row});
    }
    for (const OpenConstant& c : constants_) before_.push_back(c.before);
  }

  std::optional<Calibration> run(bool check) {
    tell_before();
    values_ = before_;
    if (diagnostics_.has_errors()) return std::nullopt;
    if (!check && (!find_moving() || !fit())) return std::nullopt;
    tell_after();
    return diagnostics_.has_errors() ? std::nullopt : std::optional(std::move(out_));
  }

 private:
  /// ln(computed / measured); something large where nothing is computed.
  double residual(const Place& place, const std::vector<double>& constants) {
    Diagnostics own;
    const std::optional<double> seconds = tables_[place.table]->predict(place.row, constants, own);
    if (!seconds && !diagnostics_.has_errors()) diagnostics_.append(std::move(own));  // the first is enough
    return seconds ? std::log(*seconds / tables_[place.table]->seconds(place.row)) : 10;
  }

  bool opens(std::size_t table, std::size_t constant) const {
    const auto& fields = tables_[table]->opened();
    return std::any_of(fields.begin(), fields.end(), [&](const auto& field) { return field.second == constant; });
  }

  /// Rows that a constant has a part in, at these values.
  std::vector<bool> moved_by(std::size_t constant, const std::vector<Place>& places, const std::vector<double>& values) {
    const Range& range = constants_[constant].range;
    std::vector<double> other = values;
    other[constant] = range.value(range.scaled(values[constant]) + kNudge);
    std::vector<bool> out;
    for (const Place& place : places) out.push_back(opens(place.table, constant) && std::fabs(residual(place, other) - residual(place, values)) > kNoChange);
    return out;
  }

  /// Those constants that fitted rows depend on; others keep what the document says.
  bool find_moving() {
    std::vector<double> start;
    for (const OpenConstant& c : constants_) start.push_back(c.start);
    for (std::size_t c = 0; c < constants_.size(); ++c) {
      const std::vector<bool> moved = moved_by(c, fitted_, start);
      if (contains(moved, true)) moving_.push_back(c);
    }
    find_idle();
    for (const std::size_t c : moving_) values_[c] = start[c];
    if (diagnostics_.has_errors()) return false;
    if (fitted_.empty()) return fail_rows();
    if (moving_.empty()) diagnostics_.error({}, "no constant is open that these rows depend on: name some by `--open`");
    return moving_.size() > fitted_.size() ? fail_rows() : !diagnostics_.has_errors();
  }

  bool fail_rows() {
    diagnostics_.error({}, fmt::format("{} rows to fit to are too few for {} constants: measure more, or name fewer by `--open`", fitted_.size(),
                                       std::max<std::size_t>(moving_.size(), 1)));
    return false;
  }

  /// Of records in which others are fitted.
  void find_idle() {
    const auto moves = [&](const OpenConstant& c) {
      return std::any_of(moving_.begin(), moving_.end(), [&](std::size_t m) { return constants_[m].record() == c.record(); });
    };
    for (std::size_t c = 0; c < constants_.size(); ++c) {
      if (!contains(moving_, c) && constants_[c].stated && moves(constants_[c])) out_.idle.push_back(constants_[c].name());
    }
  }

  std::vector<double> values_at(const std::vector<double>& scaled) const {
    std::vector<double> out = values_;
    for (std::size_t i = 0; i < moving_.size(); ++i) out[moving_[i]] = constants_[moving_[i]].range.value(scaled[i]);
    return out;
  }

  /// Of fitted rows.
  double loss(const std::vector<double>& values) {
    double out = 0;
    for (const Place& place : fitted_) out += soft_loss(residual(place, values), kScale);
    return out;
  }

  bool fit() {
    std::vector<double> start;
    for (const std::size_t c : moving_) start.push_back(constants_[c].range.scaled(values_[c]));
    const auto evaluate = [&](const std::vector<double>& scaled, int moved, std::vector<double>& out) {
      const std::vector<double> values = values_at(scaled);
      for (std::size_t i = 0; i < fitted_.size(); ++i) {
        if (moved < 0 || opens(fitted_[i].table, moving_[static_cast<std::size_t>(moved)])) out[i] = residual(fitted_[i], values);
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
    for (std::size_t i = 0; i < moving_.size(); ++i) add(moving_[i], minimum.parameters[i], minimum.deviations[i]);
    return !diagnostics_.has_errors();
  }

  /// As it is written from now on.
  void add(std::size_t c, double scaled, const std::optional<double>& deviation) {
    const OpenConstant& constant = constants_[c];
    CalibratedConstant out{constant, 0, "", {}, {}};
    out.written = fmt::format("{:.{}g}", values_[c] / constant.unit.factor, kDigits);
    out.after = values_[c] = std::strtod(out.written.c_str(), nullptr) * constant.unit.factor;
    if (!constant.unit.dimension.plain()) out.written += " " + constant.unit_text;
    if (deviation) out.deviation = *deviation * constant.range.slope(scaled);
    out_.constants.push_back(std::move(out));
  }

  TimeErrors errors(const std::vector<Place>& places, const std::vector<double>& values) {
    std::vector<double> all;
    for (const Place& place : places) all.push_back(std::fabs(std::expm1(residual(place, values))));
    return {all.size(), nearest_rank(all, 0.5), nearest_rank(all, 0.9)};
  }

  static std::vector<Place> of_table(const std::vector<Place>& places, std::size_t table) {
    std::vector<Place> out;
    std::copy_if(places.begin(), places.end(), std::back_inserter(out), [&](const Place& place) { return place.table == table; });
    return out;
  }

  void tell_before() {
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      out_.tables.push_back({tables_[t]->name(), tables_[t]->file(), errors(of_table(fitted_, t), before_), {}, errors(of_table(left_out_, t), before_), {}});
    }
  }

  void tell_after() {
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      out_.tables[t].fitted_after = errors(of_table(fitted_, t), values_);
      out_.tables[t].left_out_after = errors(of_table(left_out_, t), values_);
    }
    std::map<std::string, std::vector<bool>> rows;  // by record
    for (std::size_t i = 0; i < moving_.size() && i < out_.constants.size(); ++i) {
      const std::vector<bool> moved = moved_by(moving_[i], left_out_, values_);
      std::vector<bool>& all = rows[out_.constants[i].constant.record()];
      all.resize(moved.size());
      for (std::size_t r = 0; r < moved.size(); ++r) all[r] = all[r] || moved[r];
    }
    for (CalibratedConstant& c : out_.constants) {
      std::vector<Place> places;
      for (std::size_t r = 0; r < left_out_.size(); ++r) {
        if (rows[c.constant.record()][r]) places.push_back(left_out_[r]);
      }
      c.errors = errors(places, values_);
    }
  }

  std::vector<std::unique_ptr<MeasuredTimes>> tables_;
  std::vector<OpenConstant> constants_;
  Diagnostics& diagnostics_;
  std::vector<Place> fitted_, left_out_;
  std::vector<double> before_, values_;
  std::vector<std::size_t> moving_;
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

/// Rows of tables, of kernels and collectives that a system's constants tell.
std::optional<Calibration> calibrate_system(const CalibrationRequest& request, Library& library, Diagnostics& diagnostics) {
  std::vector<std::unique_ptr<MeasuredTable>> tables;
  for (const auto& [name, file] : request.measured) {
    const Document* document = library.load(name, {"measurements"}, diagnostics);
    if (document == nullptr) continue;
    if (document->root.find("runs") != nullptr)
      diagnostics.error(document->root.span(), fmt::format("`{}` is of whole runs: they tell the constants of a stack, not of a system", document->name));
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

/// Whole runs under a stack. Those of documents that say so are left out.
std::optional<Calibration> calibrate_stack(const Document& stack, const CalibrationRequest& request, Library& library, Diagnostics& diagnostics) {
  std::vector<std::unique_ptr<MeasuredSteps>> tables;
  std::vector<const Document*> documents, read;
  for (const auto& [name, runs] : request.measured) {
    const Document* document = library.load(name, {"measurements"}, diagnostics);
    const Document* validation = document != nullptr ? library.load(runs, {"validation"}, diagnostics) : nullptr;
    if (validation == nullptr) continue;
    if (contains(read, validation)) diagnostics.error({}, fmt::format("`--measured {}={}`: its runs are there twice", name, runs));
    read.push_back(validation);
    if (document->root.find("runs") == nullptr)
      diagnostics.error(document->root.span(), fmt::format("`{}` is not of whole runs, which tell the constants of a stack", document->name));
    else if (std::unique_ptr<MeasuredSteps> steps = MeasuredSteps::read(document->name, *validation, stack, library, diagnostics))
      tables.push_back(std::move(steps));
    documents.push_back(document);
  }
  if (diagnostics.has_errors()) return std::nullopt;
  std::vector<const Linked*> all;
  for (const auto& table : tables) {
    const std::vector<const Linked*> own = table->runs();
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
