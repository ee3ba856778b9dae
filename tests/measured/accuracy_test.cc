#include <doctest/doctest.h>

#include <fmt/core.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "measured/accuracy.h"
#include "schemas/document.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

namespace opledger {
namespace {

/// Returns the part of measured/accuracy.yaml, or of a table of docs/accuracy.md, that must stand there if a row of
/// README.md's table of errors is true; nothing for other lines.
std::string evidence(const std::string& line) {
  static const std::regex kRow(R"(\| \[.*\]\(docs/accuracy\.md[^|]*\| `(\S+)`, `(\S+)`(?:, ([^|]*))? \| (\d+) \| ([\d.]+) % \| ([\d.]+) % \|)");
  std::smatch row;
  if (!std::regex_match(line, row, kRow)) return "";
  if (row[3].matched)
    return fmt::format("{{stack: {}, system: {}, kind: \"{}\", rows: {}, median: {:.3f}, worst: {:.3f}}}", row[1].str(), row[2].str(), row[3].str(),
                       row[4].str(), std::stod(row[5]) / 100, std::stod(row[6]) / 100);
  return fmt::format(R"(\| {} \| {} \| standard \| {} \| \S+ % \| \S+ % \| {} % \| {} % \|)", row[1].str(), row[2].str(), row[4].str(), row[5].str(),
                     row[6].str());
}

}  // namespace

TEST_CASE("measured/accuracy.yaml has the errors of all rows to which no constant was fitted") {
  Diagnostics diagnostics;
  Library library({source_folder() + "/tests/data/serving/scored", source_folder()});
  std::vector<const Document*> documents;
  for (const std::string& name : library.names("validation")) {
    if (name.starts_with("measured_")) documents.push_back(library.load(name, {"validation"}, diagnostics));
  }
  documents.push_back(library.load(source_folder() + "/tests/data/serving/scored/left_out.yaml", {"validation"}, diagnostics));
  REQUIRE(std::find(documents.begin(), documents.end(), nullptr) == documents.end());
  const auto groups = measured_accuracy(documents, library, diagnostics);
  REQUIRE_MESSAGE(groups, render(diagnostics));
  CHECK(accuracy_document(*groups) == read_unchecked(source_folder() + "/measured/accuracy.yaml", diagnostics)->text);
}

TEST_CASE("README.md states errors that were measured") {
  const std::string groups = text_of(source_folder() + "/measured/accuracy.yaml"), tables = text_of(source_folder() + "/docs/accuracy.md");
  std::istringstream lines(text_of(source_folder() + "/README.md"));
  int stated = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string expected = evidence(line);
    if (expected.empty()) continue;
    ++stated;
    CHECK_MESSAGE((expected[0] == '{' ? groups.find(expected) != std::string::npos : std::regex_search(tables, std::regex(expected))), expected);
  }
  CHECK(stated == 3);
}

TEST_CASE("an expected error needs five measured runs of the same stack, machine and kind") {
  Diagnostics diagnostics;
  Library library({source_folder()});
  const auto error = [&](const char* stack, const char* system, const char* kind) { return expected_error(stack, system, kind, library, diagnostics); };
  CHECK(error("nemo", "h100-80g-sxm", "dense") == "error 1.0 % in 7 measured runs");
  CHECK(error("nemo", "h100-80g-sxm", "experts, 8 bits") == "no measured error for this kind");  // Four rows.
  CHECK(error("nemo", "a100-80g-sxm", "dense") == "no measured error for this kind");
  CHECK(!diagnostics.has_errors());
}

}  // namespace opledger
