#include "measured/corrections.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "expr/curve.h"
#include "measured/measured_table.h"
#include "schemas/field_path.h"

namespace opledger {
namespace {

constexpr double kSameTime = 1e-9;           ///< Difference of logarithms of times.
constexpr std::size_t kSampledPoints = 500;  ///< Points for the error estimate; of a longer table, up to twice this number is sampled.

Datum as_datum(const std::string& text) { return Datum::scalar(text, false, {}); }

/// Returns the curve without one point.
Curve without(const Curve& curve, std::size_t point) {
  const auto size = static_cast<std::ptrdiff_t>(curve.coordinates + 1), at = static_cast<std::ptrdiff_t>(point) * size;
  Curve out{{}, curve.coordinates, {curve.points.begin(), curve.points.begin() + at}};
  out.points.insert(out.points.end(), curve.points.begin() + at + size, curve.points.end());
  return out;
}

/// Returns the median of |computed / measured - 1| by leave-one-out cross-validation: each point, or each sampled point
/// of a long curve, is predicted from all other points.
double error_of(const Curve& curve) {
  const std::size_t size = curve.coordinates + 1, count = curve.points.size() / size, stride = std::max<std::size_t>(1, count / kSampledPoints);
  std::vector<double> errors;
  for (std::size_t p = 0; p < count; p += stride) {
    double at[Curve::kMaxCoordinates] = {};
    for (std::size_t c = 0; c < curve.coordinates; ++c) at[c] = std::exp2(curve.points[p * size + c]);
    errors.push_back(std::fabs(std::exp2(without(curve, p)(at) - curve.points[p * size + curve.coordinates]) - 1));
  }
  const auto median = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), median, errors.end());
  return *median;
}

/// Correction points for one field of the system: `listed` has them as the document states them, `curve` for
/// interpolation.
struct Points {
  const Datum* entry;
  std::vector<Datum> listed;
  Curve curve;
};
using Corrections = std::map<std::string, Points>;

/// Returns the system with each field's correction points. The same record also gets the fields under `also_set`. The
/// field named by `error` gets the median error of the points against each other; a single point has no such error.
/// Returns nothing and reports an error if the system can't have the field, because its path leads through a scalar or
/// beyond the end of a list.
std::optional<Datum> with_corrections(Datum system, const Corrections& corrections, Diagnostics& diagnostics) {
  for (const auto& [path, points] : corrections) {
    const std::vector<std::string> steps = steps_of(path);
    system = with_field(system, steps, Datum::list(points.listed, points.entry->span()));
    if (at_path(system, path) == nullptr) {
      diagnostics.error(points.entry->find("field")->span(), fmt::format("the system has no `{}`", path));
      return std::nullopt;
    }
    const auto write_field = [&, path = &path](const std::string& key, const std::string& text) {
      system = with_field(system, steps_of(path->substr(0, path->rfind('.') + 1) + key), as_datum(text));
    };
    if (const Datum* fields = points.entry->find("also_set")) {
      for (const auto& [key, text] : fields->entries()) write_field(key.text(), text.text());
    }
    const Datum* error = points.entry->find("error");
    if (error != nullptr && points.listed.size() > 1) write_field(error->text(), fmt::format("{:.3f}", error_of(points.curve)));
  }
  return system;
}

/// Derives correction points from one table.
class Corrector {
 public:
  Corrector(MeasuredTable& table, const Document& system, Corrections& out, Diagnostics& diagnostics)
      : table_(table), system_(system), points_(out), diagnostics_(diagnostics) {}

  /// Adds a point for each row that an entry of `corrects` selects. An entry names the field to correct, the columns
  /// over which the ratio is interpolated (`over`), and conditions on rows (`where`). Returns false and reports
  /// errors if a name is unknown, a row has no computed time, or no row is selected.
  bool read() {
    const Datum* all = table_.root().find("corrects");
    if (all == nullptr || all->items().empty()) {
      diagnostics_.error(table_.root().span(), fmt::format("`{}` does not say what its rows correct (`corrects`)", table_.name()));
      return false;
    }
    for (const Datum& entry : all->items()) {
      if (!read_coordinates(entry)) return false;
      for (const MeasuredRow& row : table_.rows()) {
        if (is_selected(entry, row) && !add(entry, row)) return false;
      }
    }
    if (!added_) diagnostics_.error(all->span(), fmt::format("no row of `{}` is one that its `corrects` speak of", table_.file()));
    return added_;
  }

  /// Checks on the corrected system that the predicted time of every row with a point changed. An unchanged time means
  /// that the corrected field has no part in the row's time, so the correction would be silently useless. Rows with a
  /// computed time equal to the measured one need no correction and pass.
  bool check() {
    for (const auto& [row, used] : used_) {
      const std::optional<double> after = table_.predict(*row, {}, diagnostics_);
      if (!after) return false;
      const bool same = std::fabs(std::log(*after / used.seconds)) < kSameTime;
      if (!same || std::fabs(std::log(row->seconds / used.seconds)) < kSameTime) continue;
      diagnostics_.error({},
                         fmt::format("{}:{}: this row corrects `{}`, which has no part in its time: leave out such rows", table_.file(), row->line, used.path));
      return false;
    }
    return true;
  }

 private:
  /// A coordinate of the curve: a constant times columns.
  struct Coordinate {
    double constant = 1;
    std::vector<std::size_t> columns;
  };
  struct CorrectedRow {
    std::string path;  ///< Field that the row corrected last.
    double seconds;    ///< Computed time without corrections.
  };

  /// Reads the coordinates of an entry into `over_`. Each coordinate is a number, a column, or a product of several:
  /// constants are multiplied at once, columns are kept as positions. A correction curve has 1 to `kMaxCoordinates`
  /// coordinates. The columns of `where` are checked, too. Returns false and reports an error for an unknown column
  /// or a wrong number of coordinates.
  bool read_coordinates(const Datum& entry) {
    over_.clear();
    for (const Datum& product : entry.find("over")->items()) {
      Coordinate& factors = over_.emplace_back();
      for (const Datum& factor : product.all()) {
        const std::optional<std::size_t> at = position(factor.text());
        if (!at && !factor.number()) return unknown(factor);
        if (at)
          factors.columns.push_back(*at);
        else
          factors.constant *= *factor.number();
      }
    }
    if (over_.empty() || over_.size() > Curve::kMaxCoordinates) {
      diagnostics_.error(entry.find("over")->span(), fmt::format("`over` must list 1 to {} coordinates", Curve::kMaxCoordinates));
      return false;
    }
    const Datum* where = entry.find("where");
    for (const auto& [column, _] : where != nullptr ? where->entries() : kNone) {
      if (!position(column.text())) return unknown(column);
    }
    return true;
  }

  bool unknown(const Datum& column) {
    diagnostics_.error(column.span(), fmt::format("there is no column `{}`{}", column.text(), known_names(column.text(), "columns", table_.columns())));
    return false;
  }

  std::optional<std::size_t> position(std::string_view column) const {
    const auto at = std::find(table_.columns().begin(), table_.columns().end(), column);
    return at == table_.columns().end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - table_.columns().begin()));
  }

  bool is_selected(const Datum& entry, const MeasuredRow& row) const {
    const Datum* where = entry.find("where");
    return where == nullptr || std::all_of(where->entries().begin(), where->entries().end(),
                                           [&](const auto& e) { return row.cells[*position(e.first.text())] == e.second.text(); });
  }

  /// Adds the point of a row to the field that the row corrects: its coordinates, then log2 of the ratio of measured
  /// to computed time. The logarithm makes a factor 2 and a factor 1/2 equally far from no correction. Coordinates
  /// are logarithms in the curve, so they must be above 0. A field that the system states itself is an error, because
  /// the points would replace it. `used_` keeps the row's computed time for `check`.
  bool add(const Datum& entry, const MeasuredRow& row) {
    const std::optional<std::string> path = path_of(*entry.find("field"), row);
    if (path && at_path(system_.root, *path) != nullptr) {
      diagnostics_.error(at_path(system_.root, *path)->span(), fmt::format("`{}` is stated here, and by `{}`", *path, table_.name()));
      return false;
    }
    const std::optional<double> seconds = path ? table_.predict(row, {}, diagnostics_) : std::nullopt;
    if (!seconds) return false;
    Points& points = points_.try_emplace(*path, Points{&entry, {}, Curve{{}, over_.size(), {}}}).first->second;
    std::vector<Datum> point;
    for (const Coordinate& product : over_) {
      double coordinate = product.constant;
      for (const std::size_t at : product.columns) coordinate *= row.inputs[at];
      if (!(coordinate > 0)) {
        diagnostics_.error({}, fmt::format("{}:{}: the coordinates of `over` must be above 0", table_.file(), row.line));
        return false;
      }
      point.push_back(as_datum(fmt::format("{}", coordinate)));
      points.curve.points.push_back(std::log2(coordinate));
    }
    const double ratio = std::log2(row.seconds / *seconds);
    point.push_back(as_datum(fmt::format("{}", ratio)));
    points.curve.points.push_back(ratio);
    points.listed.push_back(Datum::list(std::move(point), entry.span()));
    used_[&row] = {*path, *seconds};
    added_ = true;
    return true;
  }

  /// Returns the path of the field that a row corrects. Each `{COLUMN}` in the text of `field` is replaced by the
  /// row's value: the word that the cell means, or a number as the cell states it. Returns nothing and reports an
  /// error for an unknown column.
  std::optional<std::string> path_of(const Datum& field, const MeasuredRow& row) {
    std::string out;
    std::string_view rest = field.text();
    for (std::size_t open; (open = rest.find('{')) != std::string_view::npos;) {
      const std::size_t close = rest.find('}', open);
      const std::string column(rest.substr(open + 1, close == std::string_view::npos ? 0 : close - open - 1));
      const std::optional<std::size_t> at = position(column);
      if (!at) {
        unknown(Datum::scalar(column, false, field.span()));
        return std::nullopt;
      }
      const bool number = Datum::scalar(row.words[*at], false, {}).number().has_value();
      out += std::string(rest.substr(0, open)) + (number ? row.cells[*at] : row.words[*at]);
      rest.remove_prefix(close + 1);
    }
    return out + std::string(rest);
  }

  inline static const std::vector<Datum::Entry> kNone;
  MeasuredTable& table_;
  const Document& system_;
  Corrections& points_;
  Diagnostics& diagnostics_;
  std::vector<Coordinate> over_;
  bool added_ = false;
  std::map<const MeasuredRow*, CorrectedRow> used_;
};

}  // namespace

std::optional<Document> corrected(const Document& system, Library& library, Diagnostics& diagnostics) {
  // Each table is read with the system as stated, without corrections, so that ratios do not depend on the order of
  // tables. All corrections are then written into a copy of the system, and every table checks its rows with this
  // copy. A system without `corrections` is returned as an unchanged copy.
  std::vector<std::unique_ptr<MeasuredTable>> tables;
  std::vector<Corrector> correctors;
  Corrections corrections;
  const Datum* named = system.root.find(kCorrections);
  for (const Datum& name : named != nullptr ? named->all() : std::vector<Datum>()) {
    const Document* document = library.load(name.text(), {"measurements"}, diagnostics, name.span(), system.path);
    auto table = document != nullptr ? MeasuredTable::read(*document, "", system.path.string(), false, library, diagnostics) : nullptr;
    if (table == nullptr) return std::nullopt;
    correctors.emplace_back(*tables.emplace_back(std::move(table)), system, corrections, diagnostics);
    if (!correctors.back().read()) return std::nullopt;
  }
  std::optional<Datum> root = with_corrections(system.root, corrections, diagnostics);
  if (!root) return std::nullopt;
  Document out = system;
  out.root = std::move(*root);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (!tables[i]->use_system(out, library, diagnostics) || !correctors[i].check()) return std::nullopt;
  }
  return out;
}

}  // namespace opledger
