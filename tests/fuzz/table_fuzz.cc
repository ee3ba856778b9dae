/// Tables of runs: mutated CSV text, and mutated columns and rows. Each ends with a message, or every row has figures
/// or a reason. Figures equal those of a run of the row alone.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "questions/table.h"
#include "schemas/document.h"
#include "schemas/yaml_text.h"
#include "tests/fuzz/bundle.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/tree.h"

namespace opledger::fuzz {
namespace {

constexpr std::size_t kMostRows = 4, kMostAlone = 2;

/// `{columns: [a, b], rows: [[1, 2]]}`, or `{csv: TEXT}`.
std::string csv_of(const Datum& table) {
  const Datum* const written = table.find("csv");
  if (written != nullptr) return written->text();
  Csv csv;
  const auto cells = [](const Datum& list) {
    std::vector<std::string> out;
    for (const Datum& item : list.items()) out.push_back(item.is_scalar() ? item.text() : item.is_null() ? "" : yaml_flow(item));
    return out;
  };
  if (const Datum* const columns = table.find("columns")) csv.columns = cells(*columns);
  const Datum* const rows = table.find("rows");
  for (const Datum& row : rows != nullptr ? rows->items() : std::vector<Datum>{}) {
    if (csv.rows.size() < kMostRows) csv.rows.push_back({cells(row), 0});
  }
  return csv_lines(csv);
}

/// Checks that the written CSV reads back.
void check_text(const Csv& csv, const std::string& text) {
  Diagnostics diagnostics;
  const std::string lines = csv_lines(csv);
  const auto again = parse_csv(std::make_shared<const SourceFile>(SourceFile{"again.csv", lines}), diagnostics);
  require(again && again->columns == csv.columns && again->rows.size() == csv.rows.size(), "CSV doesn't read back", lines + text);
  for (std::size_t r = 0; again && r < csv.rows.size(); ++r) require(again->rows[r].cells == csv.rows[r].cells, "a row doesn't read back", lines + text);
}

/// Converts truths from the spelling of spreadsheets.
std::string as_yaml(const std::string& cell) {
  if (cell == "True" || cell == "TRUE") return "true";
  return cell == "False" || cell == "FALSE" ? "false" : cell;
}

/// Returns the request of one row, as `--table` would set its inputs.
RunRequest alone_request(const Csv& csv, const Csv::Row& row, const std::vector<EvaluatedTable::Metric>& metrics,
                         const std::shared_ptr<const SourceFile>& source, RunRequest request) {
  for (std::size_t c = 0; c < csv.columns.size(); ++c) {
    const std::string& cell = row.cells[c];
    const auto is_column = [&](const EvaluatedTable::Metric& metric) { return metric.name == csv.columns[c]; };
    if (cell.empty() || csv.columns[c] == "outcome" || std::any_of(metrics.begin(), metrics.end(), is_column)) continue;
    if (csv.columns[c] == "model")
      request.model = cell;
    else if (csv.columns[c] == "system")
      request.system = cell;
    else
      request.fields.push_back({csv.columns[c], Datum::scalar(as_yaml(cell), false, {source, row.line, 1}), {source, row.line, 1}, false});
  }
  return request;
}

void check_row(const EvaluatedTable& table, std::size_t row, const RunRequest& request, Library& library, const std::string& text) {
  Diagnostics diagnostics;
  const std::unique_ptr<Run> run = Run::prepare(request, library, diagnostics);
  require(run != nullptr, "a row has figures, its run alone has errors", render(diagnostics) + text);
  require(run->violations(diagnostics).empty(), "a row has figures, its run alone is infeasible", text);
  for (std::size_t m = 0; m < table.metrics.size(); ++m) {
    const Value& found = table.figures[row][m];
    if (!found.is_number()) continue;
    Diagnostics ignored;
    const std::optional<Value> alone = run->value(table.metrics[m].name, ignored);
    const double expected = alone ? alone->scalar.value : std::nan("");
    const std::string what = table.metrics[m].name + ": " + exact(found.scalar.value) + " alone " + exact(expected) + "\n";
    require(std::isfinite(found.scalar.value), "no finite figure", what + text);
    require(std::bit_cast<std::uint64_t>(found.scalar.value) == std::bit_cast<std::uint64_t>(expected), "another figure", what + text);
  }
}

/// Splits documents into the table and all others.
std::string taken_out(const std::string& text, std::string& csv) {
  std::vector<std::string> rest;
  for (const std::string& part : parts_of(text)) {
    Diagnostics ignored;
    const auto root = parse_document(std::make_shared<const SourceFile>(SourceFile{"table.yaml", part}), ignored);
    const bool table = root && (root->find("csv") != nullptr || root->find("columns") != nullptr);
    if (table)
      csv = csv_of(*root);
    else
      rest.push_back(part);
  }
  return joined(rest);
}

void check(const std::string& text) {
  std::string lines;
  Bundle bundle(taken_out(text, lines));
  Diagnostics& diagnostics = bundle.diagnostics;
  const auto source = std::make_shared<const SourceFile>(SourceFile{"fuzz.csv", lines});
  const std::optional<Csv> csv = parse_csv(source, diagnostics);
  if (!csv) return require_message(diagnostics, text);
  check_text(*csv, text);
  if (diagnostics.has_errors()) return require_message(diagnostics, text);
  if (csv->rows.size() > kMostRows) return count("too many rows");
  const std::optional<EvaluatedTable> table = evaluate_table(*csv, source, bundle.request, bundle.library, diagnostics);
  if (!table) return require_message(diagnostics, text);
  require(table->rows.rows.size() == csv->rows.size() && table->figures.size() == csv->rows.size(), "rows are missing", text);
  check_text(table->rows, text);
  std::size_t alone = 0;
  for (std::size_t r = 0; r < csv->rows.size(); ++r) {
    count(table->figures[r].empty() ? "a row without figures" : "a row of figures");
    if (table->figures[r].empty() || ++alone > kMostAlone) continue;
    check_row(*table, r, alone_request(*csv, csv->rows[r], table->metrics, source, bundle.request), bundle.library, text);
  }
}

}  // namespace
}  // namespace opledger::fuzz

OPLEDGER_MUTATES_DOCUMENTS

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  opledger::fuzz::check(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
