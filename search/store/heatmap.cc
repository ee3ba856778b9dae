#include "search/store/heatmap.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/csv.h"
#include "base/limits.h"
#include "base/text.h"
#include "schemas/document.h"
#include "search/store/cell_number.h"
#include "search/store/integrity.h"

namespace opledger {
namespace {

constexpr std::size_t kMostPlaces = 200;  // values of an axis that a picture can show

/// The distinct values of an axis in order of appearance, and after `sort` the position of each.
class Scale {
 public:
  explicit Scale(Dimension unit) : unit_(unit) {}
  void add(const std::string& value) { first_seen_.emplace(value, first_seen_.size()); }
  std::size_t size() const { return first_seen_.size(); }
  std::size_t at(const std::string& value) const { return place_.at(value); }

  std::vector<std::string> sort() {
    // Numbers are sorted ascending if every value is a number; otherwise the order of appearance remains. Returns the
    // labels, with units for numbers. `place_` then has the position of each value as written in the file.
    std::vector<std::string> values(first_seen_.size());
    for (const auto& [value, place] : first_seen_) values[place] = value;
    if (std::all_of(values.begin(), values.end(), [](const std::string& v) { return cell_number(v).has_value(); }))
      std::sort(values.begin(), values.end(), [](const std::string& a, const std::string& b) { return *cell_number(a) < *cell_number(b); });
    for (std::string& value : values) {
      place_.emplace(value, place_.size());
      if (const auto number = cell_number(value); number && !unit_.plain()) value = human(*number, unit_);
    }
    return values;
  }

 private:
  Dimension unit_;
  std::map<std::string, std::size_t> first_seen_, place_;
};

/// One value for a pair of axis values; `best` is empty for an infeasible pair.
struct Entry {
  std::string x, y;
  std::optional<double> best;
};

/// Puts entries into the cells of a map. An entry has the values of both axes as texts, and a metric; without a metric
/// the pair is infeasible. The first pass collects and sorts the values of each axis, which gives labels and positions.
/// The second pass fills the cells: the best metric of the feasible entries wins, and an infeasible entry marks only
/// cells without an entry. Returns nothing, with errors, if an axis has more than kMostPlaces values.
std::optional<Heatmap> arrange(Heatmap map, const std::vector<Entry>& entries, Dimension x_unit, Dimension y_unit, Diagnostics& diagnostics) {
  Scale x(x_unit), y(y_unit);
  for (const Entry& e : entries) {
    x.add(e.x);
    y.add(e.y);
  }
  for (const auto& [scale, axis] : {std::pair{&x, &map.x}, {&y, &map.y}}) {
    if (scale->size() > kMostPlaces) diagnostics.error({}, fmt::format("`{}` has {} values: a map shows at most {}", axis->name, scale->size(), kMostPlaces));
    axis->labels = scale->sort();
  }
  if (diagnostics.has_errors()) return std::nullopt;
  map.cells.assign(y.size(), std::vector<Heatmap::Cell>(x.size()));
  for (const Entry& e : entries) {
    Heatmap::Cell& cell = map.cells[y.at(e.y)][x.at(e.x)];
    if (!e.best) {
      if (cell.kind == Heatmap::Kind::none) cell.kind = Heatmap::Kind::infeasible;
    } else if (cell.kind != Heatmap::Kind::feasible || (map.largest ? *e.best > cell.best : *e.best < cell.best)) {
      cell = {Heatmap::Kind::feasible, *e.best};
    }
  }
  return map;
}

/// Returns the name if the file has it. Returns null otherwise, with an error that suggests the nearest name.
const std::string* find_name(const std::vector<std::string>& names, const std::string& name, const std::string& kind, Diagnostics& diagnostics) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return &*found;
  const std::string suggested = suggestion(name, names);
  diagnostics.error({}, fmt::format("no {} is called `{}`{}", kind, name, suggested.empty() ? ": there are " + join(names, ", ") : suggested));
  return nullptr;
}

/// A metric with an optional direction.
struct SignedMetric {
  std::string name;
  std::optional<bool> largest;  ///< True if the sign requests the largest value; empty without a sign.
};

SignedMetric parse_metric(const std::string& text) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return {text, {}};
  return {text.substr(1), text[0] == '+'};
}

/// Reads a map from a store. The whole read is one transaction, so that a search that is still writing can't change
/// it midway.
class StoreReader {
 public:
  StoreReader(const HeatmapRequest& request, Diagnostics& diagnostics) : request_(request), diagnostics_(diagnostics) {}

  /// Verifies the file, then resolves the names of both axes and of the metric. Without a requested metric the
  /// objective of the stored search is shown. Without a sign the largest value is best only if the metric is an
  /// objective to maximize. Every known pair of values is read as infeasible first (`read_cells`), then the best value
  /// of each feasible pair (`read_best`).
  std::optional<Heatmap> read() {
    if (!database_.open(request_.runs, false)) return fail();
    if (!database_.run("BEGIN")) return fail();
    if (const std::string why = integrity_problem(database_); !why.empty()) {
      diagnostics_.error({}, fmt::format("`{}` {}", request_.runs, why));
      return std::nullopt;
    }
    if (!read_names("axes") || !read_names("metrics") || !read_facts()) return fail();
    const SignedMetric value = parse_metric(request_.value.empty() ? facts_["objective"] : request_.value);
    const std::string* x = find_name(names_["axes"], request_.x, "axis", diagnostics_);
    const std::string* y = find_name(names_["axes"], request_.y, "axis", diagnostics_);
    const std::string* metric = find_name(names_["metrics"], value.name, "metric", diagnostics_);
    if (x == nullptr || y == nullptr || metric == nullptr) return std::nullopt;
    Heatmap map;
    map.x.name = *x;
    map.y.name = *y;
    map.value = *metric;
    map.unit = unit("metrics", *metric);
    map.largest = value.largest.value_or(*metric == facts_["objective"] && facts_["best"] == "largest");
    map.knows_infeasible = true;
    map.about = join({facts_["model"], facts_["system"], facts_["space"]}, " · ");
    return read_cells(map) && read_best(map) ? arrange(std::move(map), entries_, unit("axes", *x), unit("axes", *y), diagnostics_) : fail();
  }

 private:
  std::nullopt_t fail() {
    if (!diagnostics_.has_errors()) diagnostics_.error({}, fmt::format("can't read `{}`: {}", request_.runs, database_.problem()));
    return std::nullopt;
  }

  bool read_names(const std::string& table) {
    const auto rows = database_.prepare("SELECT name, \"column\", unit FROM " + table + " ORDER BY position");
    if (rows == nullptr) return false;
    while (rows->step()) {
      names_[table].push_back(rows->text(0));
      columns_[table + " " + rows->text(0)] = rows->text(1);
      units_[table + " " + rows->text(0)] = rows->text(2);
    }
    return !rows->broken();
  }

  bool read_facts() {
    const auto rows = database_.prepare("SELECT name, value FROM search");
    if (rows == nullptr) return false;
    while (rows->step()) facts_[rows->text(0)] = rows->text(1);
    return !rows->broken();
  }

  Dimension unit(const std::string& table, const std::string& name) {
    const std::optional<Unit> known = parse_unit(units_[table + " " + name]);
    return known ? known->dimension : Dimension{};
  }

  /// Adds every pair of values that a candidate has, as infeasible. `read_best` then adds the feasible pairs. Table
  /// `cells` has each pair of axes once, the outer axis first; the second SELECT covers a map with the inner axis on x.
  bool read_cells(const Heatmap& map) {
    const auto rows = database_.prepare(
        "SELECT outer_value, inner_value, 1 FROM cells WHERE outer_axis = ?1 AND inner_axis = ?2 UNION ALL "
        "SELECT inner_value, outer_value, 0 FROM cells WHERE outer_axis = ?2 AND inner_axis = ?1");
    if (rows == nullptr) return false;
    rows->bind(1, std::string_view(map.x.name));
    rows->bind(2, std::string_view(map.y.name));
    while (rows->step()) entries_.push_back({rows->text(0), rows->text(1), {}});
    return !rows->broken();
  }

  /// Adds the best feasible value of each pair; SQLite aggregates.
  bool read_best(const Heatmap& map) {
    const auto column = [&](const char* table, const std::string& name) { return quoted_name(columns_[std::string(table) + " " + name]); };
    const std::string value = column("metrics", map.value);
    const auto rows = database_.prepare(fmt::format("SELECT {0}, {1}, {2}({3}) FROM candidates WHERE {3} IS NOT NULL GROUP BY 1, 2", column("axes", map.x.name),
                                                    column("axes", map.y.name), map.largest ? "max" : "min", value));
    if (rows == nullptr) return false;
    while (rows->step()) {
      if (std::isfinite(rows->number(2))) entries_.push_back({rows->text(0), rows->text(1), rows->number(2)});
    }
    return !rows->broken();
  }

  const HeatmapRequest& request_;
  Diagnostics& diagnostics_;
  Database database_;
  std::map<std::string, std::vector<std::string>> names_;
  std::map<std::string, std::string> columns_, units_, facts_;
  std::vector<Entry> entries_;
};

/// Reads a map from a CSV file: one entry for each row with a number in the metric's column. `at` has the positions of
/// three columns: x, y and the metric. A row with an empty cell of the metric is skipped; a word there is an error.
/// Without a sign the largest value is the best. The file has no units and no infeasible pairs.
std::optional<Heatmap> read_csv(const HeatmapRequest& request, Diagnostics& diagnostics) {
  const auto source = read_source(request.runs, diagnostics, {}, kMaxTableBytes);
  const std::optional<Csv> csv = source != nullptr ? parse_csv(source, diagnostics) : std::nullopt;
  if (!csv) return std::nullopt;
  const SignedMetric value = parse_metric(request.value);
  if (value.name.empty()) diagnostics.error({}, "`heatmap` needs `--value COLUMN` of a CSV file");
  std::vector<std::size_t> at;
  for (const std::string& name : {request.x, request.y, value.name}) {
    const std::string* found = name.empty() ? nullptr : find_name(csv->columns, name, "column", diagnostics);
    if (found != nullptr) at.push_back(static_cast<std::size_t>(found - csv->columns.data()));
  }
  if (diagnostics.has_errors()) return std::nullopt;
  std::vector<Entry> entries;
  for (const Csv::Row& row : csv->rows) {
    const std::string& text = row.cells[at[2]];
    const std::optional<double> number = cell_number(text);
    if (!number && !text.empty()) {
      diagnostics.error({source, row.line, 1}, fmt::format("`{}` of column `{}` is no number", text, value.name));
      return std::nullopt;
    }
    if (number) entries.push_back({row.cells[at[0]], row.cells[at[1]], number});
  }
  Heatmap map;
  map.x.name = request.x;
  map.y.name = request.y;
  map.value = value.name;
  map.largest = value.largest.value_or(true);
  return arrange(std::move(map), entries, {}, {}, diagnostics);
}

}  // namespace

std::optional<Heatmap> read_heatmap(const HeatmapRequest& request, Diagnostics& diagnostics) {
  if (request.x.empty() || request.y.empty()) diagnostics.error({}, "`heatmap` needs `--x AXIS` and `--y AXIS`");
  if (!request.x.empty() && request.x == request.y) diagnostics.error({}, fmt::format("`{}` can't be on both axes of a map", request.x));
  if (diagnostics.has_errors()) return std::nullopt;
  const bool csv = request.runs.ends_with(".csv") || request.runs.ends_with(".csv.gz");
  std::optional<Heatmap> map = csv ? read_csv(request, diagnostics) : StoreReader(request, diagnostics).read();
  const auto has_feasible = [](const auto& row) {
    return std::any_of(row.begin(), row.end(), [](const Heatmap::Cell& cell) { return cell.kind == Heatmap::Kind::feasible; });
  };
  if (map && std::none_of(map->cells.begin(), map->cells.end(), has_feasible)) {
    diagnostics.error({}, fmt::format("`{}` has no candidates to show: none of those that were tried is feasible", request.runs));
    return std::nullopt;
  }
  return map;
}

}  // namespace opledger
