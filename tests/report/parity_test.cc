#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/csv.h"
#include "report/report.h"
#include "schemas/document.h"
#include "tests/paths.h"

/// Tables of accountings that stand for external tools, compared with tables of the originals:
/// tests/data/parity/ACCOUNTING/tables/REPORT.csv.gz. The columns are inputs of a run, then `name`, then figures. Rows
/// of a run are adjacent, in the order of the table.
namespace opledger {
namespace {

namespace fs = std::filesystem;

Csv read_table(const fs::path& file) {
  Diagnostics diagnostics;
  const auto source = read_source(file, diagnostics);
  REQUIRE_MESSAGE(source, render(diagnostics));
  const std::optional<Csv> csv = parse_csv(source, diagnostics);
  REQUIRE_MESSAGE(csv, render(diagnostics));
  return *csv;
}

RunRequest request_of(const Csv& csv, const std::vector<std::string>& cells, std::size_t inputs, const std::string& accounting) {
  RunRequest request;
  request.accounting = accounting;
  for (std::size_t c = 0; c < inputs; ++c) {
    if (csv.columns[c] == "model")
      request.model = accounting + "/" + cells[c];
    else if (csv.columns[c] == "system")
      request.system = accounting + "/" + cells[c];
    else
      request.overrides.emplace_back(csv.columns[c], cells[c]);
  }
  return request;
}

bool agrees(const std::string& expected, const Value& found) {
  if (expected.empty() || found.kind == Value::Kind::nothing) return expected.empty() && found.kind == Value::Kind::nothing;
  const double a = std::strtod(expected.c_str(), nullptr);
  return found.is_number() && std::fabs(a - found.scalar.value) <= 1e-9 * std::fabs(a);
}

/// Compares the rows of the run that begins at `row`, and counts agreeing figures. Returns the index after the last
/// row.
std::size_t compare_run(const Csv& csv, std::size_t row, std::size_t inputs, const std::string& report, const std::string& accounting, Library& library,
                        std::size_t& compared) {
  const std::vector<std::string>& first = csv.rows[row].cells;
  Diagnostics diagnostics;
  const auto run = Run::prepare(request_of(csv, first, inputs, accounting), library, diagnostics);
  REQUIRE_MESSAGE(run, render(diagnostics));
  const auto built = build_report(*run, {report}, diagnostics);
  REQUIRE_MESSAGE((built && built->tables.size() == 1), render(diagnostics));
  const ReportTable& table = built->tables[0];
  std::size_t end = row;
  for (; end < csv.rows.size() && std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(inputs), csv.rows[end].cells.begin()); ++end) {
    REQUIRE(end - row < table.rows.size());
    for (std::size_t c = inputs; c < csv.columns.size(); ++c) {
      const auto column = std::find(table.columns.begin(), table.columns.end(), csv.columns[c]);
      REQUIRE_MESSAGE(column != table.columns.end(), csv.columns[c]);
      const Value& found = table.rows[end - row][static_cast<std::size_t>(column - table.columns.begin())];
      const std::string& expected = csv.rows[end].cells[c];
      const bool same = c == inputs ? found.kind == Value::Kind::text && *found.text == expected : agrees(expected, found);
      CHECK_MESSAGE(same, "row ", end, ": ", csv.columns[c], " ", expected);
      ++compared;
    }
  }
  CHECK(end - row == table.rows.size());
  return end;
}

}  // namespace

TEST_CASE("parity: every line of the tables of the tools that accountings stand for") {
  std::size_t compared = 0;
  for (const auto& folder : fs::directory_iterator(fs::path(source_folder()) / "tests/data/parity")) {
    if (!fs::is_directory(folder.path() / "tables")) continue;
    for (const auto& file : fs::directory_iterator(folder.path() / "tables")) {
      const Csv csv = read_table(file.path());
      const std::size_t inputs = static_cast<std::size_t>(std::find(csv.columns.begin(), csv.columns.end(), "name") - csv.columns.begin());
      Library library({folder.path(), source_folder()});
      for (std::size_t row = 0; row < csv.rows.size();)
        row = compare_run(csv, row, inputs, file.path().stem().stem().string(), folder.path().filename().string(), library, compared);
    }
  }
  CHECK(compared > 10'000);
}

}  // namespace opledger
