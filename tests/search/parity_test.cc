#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/csv.h"
#include "schemas/document.h"
#include "search/search.h"
#include "tests/paths.h"

/// Compares spaces with the published searches of other tools: tests/data/parity/*/searches.csv. Columns are the space, the model
/// and the system, then inputs, then kind, name and value of an expected result. Rows of one search are adjacent.
namespace opledger {
namespace {

namespace fs = std::filesystem;

struct Figure {
  std::string kind, name;
  double value;
};

/// One search with its expected results.
struct Expected {
  SearchRequest request;
  std::vector<Figure> figures;
};

std::vector<Expected> read(const fs::path& file) {
  Diagnostics diagnostics;
  const auto source = read_source(file, diagnostics);
  REQUIRE_MESSAGE(source, render(diagnostics));
  const std::optional<Csv> csv = parse_csv(source, diagnostics);
  REQUIRE_MESSAGE(csv, render(diagnostics));
  const std::size_t inputs = csv->columns.size() - 3;
  std::vector<Expected> out;
  std::vector<std::string> last;
  for (const Csv::Row& row : csv->rows) {
    const std::vector<std::string> key(row.cells.begin(), row.cells.begin() + static_cast<std::ptrdiff_t>(inputs));
    if (out.empty() || key != last) {
      Expected& search = out.emplace_back();
      search.request.run.space = key[0];
      search.request.run.model = key[1];
      search.request.run.system = key[2];
      for (std::size_t i = 3; i < inputs; ++i) search.request.run.overrides.emplace_back(csv->columns[i], key[i]);
      last = key;
    }
    out.back().figures.push_back({row.cells[inputs], row.cells[inputs + 1], std::strtod(row.cells[inputs + 2].c_str(), nullptr)});
    if (out.back().figures.back().kind == "sum") out.back().request.sweep.sums.push_back(row.cells[inputs + 1]);
  }
  return out;
}

double found(const SearchAnswer& answer, const Figure& figure) {
  const SweepResult& r = answer.result;
  if (figure.kind == "infeasible") return r.infeasible.count(figure.name) != 0 ? static_cast<double>(r.infeasible.at(figure.name)) : 0;
  if (figure.kind == "count") return static_cast<double>(figure.name == "candidates" ? r.candidates : r.feasible);
  if (figure.kind == "score") return r.best.at(std::strtoul(figure.name.c_str(), nullptr, 10) - 1).score;
  for (std::size_t m = 0; m < answer.sums.size(); ++m) {
    if (answer.sums[m] == figure.name) return r.sums[m].value();
  }
  return NAN;
}

}  // namespace

TEST_CASE("parity: counts, reasons, sums and the best of the searches that spaces stand for") {
  std::size_t searches = 0;
  Library library({source_folder()});
  for (const fs::directory_entry& folder : fs::directory_iterator(fs::path(source_folder()) / "tests/data/parity")) {
    if (!fs::exists(folder.path() / "searches.csv")) continue;
    for (const Expected& expected : read(folder.path() / "searches.csv")) {
      CAPTURE(expected.request.run.model);
      Diagnostics diagnostics;
      const std::optional<SearchAnswer> answer = search(expected.request, library, diagnostics);
      REQUIRE_MESSAGE(answer, render(diagnostics));
      std::size_t reasons = 0;
      for (const Figure& figure : expected.figures) {
        CAPTURE(figure.kind + " " + figure.name);
        const double tolerance = figure.kind == "sum" || figure.kind == "score" ? 1e-9 * std::fabs(figure.value) : 0;
        CHECK(std::fabs(found(*answer, figure) - figure.value) <= tolerance);
        reasons += figure.kind == "infeasible" ? 1 : 0;
      }
      CHECK(answer->result.infeasible.size() == reasons);
      ++searches;
    }
  }
  CHECK(searches >= 3);
}

}  // namespace opledger
