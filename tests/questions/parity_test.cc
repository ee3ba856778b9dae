#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "questions/table.h"
#include "schemas/document.h"
#include "tests/paths.h"

/// Accountings that model other tools, compared with figures of the originals. Every folder of tests/data/parity has
/// the name of an accounting and contains tables of runs. Columns are inputs of the accounting, `outcome`, and metrics
/// as computed by the tool (`None`: no value). Models and systems are in subfolders.
namespace opledger {
namespace {

namespace fs = std::filesystem;

const fs::path& parity() {
  static const fs::path kFolder = fs::path(source_folder()) / "tests/data/parity";
  return kFolder;
}

Csv read(const std::shared_ptr<const SourceFile>& source) {
  Diagnostics diagnostics;
  const std::optional<Csv> csv = parse_csv(source, diagnostics);
  REQUIRE_MESSAGE(csv, render(diagnostics));
  return *csv;
}

std::size_t column(const Csv& csv, const std::string& name) {
  const auto found = std::find(csv.columns.begin(), csv.columns.end(), name);
  REQUIRE_MESSAGE(found != csv.columns.end(), name);
  return static_cast<std::size_t>(found - csv.columns.begin());
}

/// Returns the input columns, with documents from the accounting's folder.
Csv inputs_of(Csv csv, const std::string& accounting) {
  csv.columns.resize(column(csv, "outcome"));
  for (Csv::Row& row : csv.rows) {
    row.cells.resize(csv.columns.size());
    for (std::size_t c = 0; c < csv.columns.size(); ++c) {
      if (csv.columns[c] == "model" || csv.columns[c] == "system") row.cells[c] = accounting + "/" + row.cells[c];
    }
  }
  return csv;
}

bool same(const std::string& expected, const std::string& found) {
  if (expected == "None") return found.empty();
  char* end = nullptr;
  const double a = std::strtod(expected.c_str(), &end), b = std::strtod(found.c_str(), nullptr);
  return *end == 0 && !found.empty() && std::fabs(a - b) <= 1e-9 * std::fabs(a);
}

/// Returns the number of compared figures.
std::size_t compare(const Csv& expected, const Csv& found) {
  const std::size_t outcome = column(expected, "outcome"), our_outcome = column(found, "outcome");
  std::vector<std::pair<std::size_t, std::size_t>> figures;
  for (std::size_t c = outcome + 1; c < expected.columns.size(); ++c) figures.emplace_back(c, column(found, expected.columns[c]));
  REQUIRE(expected.rows.size() == found.rows.size());
  std::set<std::string> reasons;  // A run refused without a reason fails before any metric is computed.
  for (const Csv::Row& row : expected.rows) {
    if (row.cells[outcome].rfind("error:", 0) == 0) reasons.insert(row.cells[outcome]);
  }
  std::size_t compared = 0;
  for (std::size_t r = 0; r < expected.rows.size(); ++r) {
    const std::vector<std::string>&theirs = expected.rows[r].cells, &ours = found.rows[r].cells;
    if (theirs[outcome] != "ok") {
      const bool is_refused = theirs[outcome].rfind("error:", 0) == 0;
      std::string reason = ours[our_outcome];
      if (reason.rfind("infeasible:", 0) == 0) reason.replace(0, std::string("infeasible").size(), "error");  // the tools' word
      CHECK_MESSAGE((is_refused ? reason == theirs[outcome] : reason != "ok" && reasons.count(reason) == 0), "row ", r, ": ", theirs[outcome], " | ", reason);
      continue;
    }
    CHECK_MESSAGE(ours[our_outcome] == "ok", "row ", r, ": ", ours[our_outcome]);
    for (const auto& [a, b] : figures) {
      const bool agrees = same(theirs[a], ours[b]);
      if (!agrees) CHECK_MESSAGE(agrees, "row ", r, ": ", expected.columns[a], " ", theirs[a], " | ", ours[b]);
      ++compared;
    }
  }
  return compared;
}

}  // namespace

TEST_CASE("parity: every figure and every refusal of the tools that accountings stand for") {
  std::size_t compared = 0;
  for (const auto& folder : fs::directory_iterator(parity())) {
    const std::string accounting = folder.path().filename().string();
    for (const auto& file : fs::directory_iterator(folder.path())) {
      if (file.path().extension() != ".gz") continue;
      Diagnostics diagnostics;
      const auto source = read_source(file.path(), diagnostics);
      REQUIRE_MESSAGE(source, render(diagnostics));
      const Csv expected = read(source);
      RunRequest request;
      request.accounting = accounting;
      Library library({folder.path(), source_folder()});
      const auto result = evaluate_table(inputs_of(expected, accounting), source, request, library, diagnostics);
      REQUIRE_MESSAGE(result, render(diagnostics));
      const std::size_t figures = compare(expected, result->rows);
      CHECK_MESSAGE(figures > 500, file.path().string());
      compared += figures;
    }
  }
  MESSAGE("figures compared: ", compared);
  CHECK(compared > 100'000);
}

}  // namespace opledger
