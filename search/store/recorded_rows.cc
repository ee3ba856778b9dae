#include "search/store/recorded_rows.h"

#include <fmt/core.h>

#include <filesystem>

#include <cmath>

#include "base/csv.h"
#include "base/limits.h"
#include "base/lists.h"
#include "base/text.h"
#include "base/units.h"
#include "schemas/document.h"
#include "search/store/cell_number.h"
#include "search/store/integrity.h"

namespace opledger {
namespace {

/// Parses a metric such as `+memory`: sets the objective and, with a sign, its direction.
bool choose_objective(const std::string& requested, RecordedSearch& out, Diagnostics& diagnostics) {
  const bool sign = requested[0] == '+' || requested[0] == '-';
  out.objective = requested.substr(sign ? 1 : 0);
  if (sign) out.largest = requested[0] == '+';
  const std::vector<std::string> names = names_of(out.metrics);
  if (contains(names, out.objective)) return true;
  diagnostics.error({}, fmt::format("no metric is called `{}`{}", out.objective, suggestion(out.objective, names)));
  return false;
}

/// The rows of a store. The database stays in one transaction, so that both passes see equal rows.
class StoreRows : public RecordedRows {
 public:
  explicit StoreRows(std::string path) : path_(std::move(path)) {}

  bool open(Diagnostics& diagnostics) {
    if (!database_.open(path_, false) || !database_.run("BEGIN")) return fail(diagnostics);
    const std::string why = integrity_problem(database_);
    if (!why.empty()) diagnostics.error({}, fmt::format("`{}` {}", path_, why));
    return why.empty();
  }

  bool describe(const RecordedRequest& request, RecordedSearch& out, Diagnostics& diagnostics) override {
    if (!read_columns("axes", out.axes) || !read_columns("metrics", out.metrics) || !read_facts(out)) return fail(diagnostics);
    out.largest = out.facts["best"] == "largest";
    if (request.value.empty() || request.value == out.facts["objective"]) return choose_objective(out.facts["objective"], out, diagnostics);
    out.largest = false;  // the default of metrics in a front
    return choose_objective(request.value, out, diagnostics);
  }

  bool visit(const Row& row, Diagnostics& diagnostics) override {
    const auto rows = database_.prepare("SELECT " + join(columns_, ", ") + " FROM candidates ORDER BY rowid");
    if (rows == nullptr) return fail(diagnostics);
    std::vector<RecordedCell> cells(columns_.size());
    while (rows->step()) {
      for (int i = 0; i < rows->columns(); ++i) cells[static_cast<std::size_t>(i)] = cell(*rows, i);
      row(cells);
    }
    return !rows->broken() || fail(diagnostics);
  }

 private:
  static RecordedCell cell(const Database::Statement& rows, int column) {
    using Kind = Database::Statement::Kind;
    const Kind kind = rows.kind(column);
    if (kind == Kind::null) return {};
    if (kind == Kind::text || kind == Kind::bytes) return {rows.text(column), {}};
    const double number = rows.number(column);
    return {exact(number), std::isfinite(number) ? std::optional(number) : std::nullopt};
  }

  bool read_columns(const std::string& table, std::vector<RecordedSearch::Column>& out) {
    const auto rows = database_.prepare("SELECT name, \"column\", unit FROM " + table + " ORDER BY position");
    if (rows == nullptr) return false;
    while (rows->step()) {
      out.push_back({rows->text(0), rows->text(2)});
      columns_.push_back(quoted_name(rows->text(1)));
    }
    return !rows->broken();
  }

  bool read_facts(RecordedSearch& out) {
    const auto rows = database_.prepare("SELECT name, value FROM search");
    if (rows == nullptr) return false;
    while (rows->step()) out.facts[rows->text(0)] = rows->text(1);
    return !rows->broken();
  }

  bool fail(Diagnostics& diagnostics) {
    if (!diagnostics.has_errors()) diagnostics.error({}, fmt::format("can't read `{}`: {}", path_, database_.problem()));
    return false;
  }

  std::string path_;
  Database database_;
  std::vector<std::string> columns_;  ///< Quoted names of columns: axes, then metrics.
};

/// The rows of a CSV file in memory.
class CsvRows : public RecordedRows {
 public:
  explicit CsvRows(Csv csv) : csv_(std::move(csv)) {}

  /// A CSV file doesn't mark its axes: the columns before the objective count as axes.
  bool describe(const RecordedRequest& request, RecordedSearch& out, Diagnostics& diagnostics) override {
    if (request.value.empty()) {
      diagnostics.error(
          {}, fmt::format("`{}` names no objective: give `--value COLUMN`, the first column that is no axis ({})", request.path, join(csv_.columns, ", ")));
      return false;
    }
    for (const std::string& name : csv_.columns) out.metrics.push_back({name, ""});
    if (!choose_objective(request.value, out, diagnostics)) return false;
    while (out.metrics[0].name != out.objective) {
      out.axes.push_back(out.metrics[0]);
      out.metrics.erase(out.metrics.begin());
    }
    return true;
  }

  bool visit(const Row& row, Diagnostics&) override {
    std::vector<RecordedCell> cells(csv_.columns.size());
    for (const Csv::Row& line : csv_.rows) {
      for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = {line.cells[i], cell_number(line.cells[i])};
      row(cells);
    }
    return true;
  }

 private:
  Csv csv_;
};

bool is_csv(const std::string& path) { return path.ends_with(".csv") || path.ends_with(".csv.gz"); }

}  // namespace

std::unique_ptr<RecordedRows> open_recorded(const std::string& path, Diagnostics& diagnostics) {
  if (!is_csv(path)) {
    auto store = std::make_unique<StoreRows>(path);
    return store->open(diagnostics) ? std::move(store) : nullptr;
  }
  const auto source = read_source(path, diagnostics, {}, kMaxTableBytes);
  std::optional<Csv> csv = source != nullptr ? parse_csv(source, diagnostics) : std::nullopt;
  return csv ? std::make_unique<CsvRows>(std::move(*csv)) : nullptr;
}

bool is_recorded(const std::string& path) {
  if (is_csv(path)) return true;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;  // reading a pipe would consume it
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  char head[16] = {};
  return file != nullptr && std::fread(head, 1, sizeof head, file.get()) == sizeof head && std::string_view(head, 15) == "SQLite format 3";
}

}  // namespace opledger
