#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

#include "base/csv.h"
#include "tests/import/imported_config.h"
#include "tests/support/random_count.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// The published models have other owners and are not part of this tree.
const fs::path kReference = fs::path(source_folder()).parent_path() / "shared" / "reference" / "models";

Csv table(const fs::path& name) {
  std::ifstream file(kReference / name, std::ios::binary);
  const auto source = std::make_shared<const SourceFile>(name.string(), std::string(std::istreambuf_iterator<char>(file), {}));
  Diagnostics diagnostics;
  auto csv = parse_csv(source, diagnostics);
  REQUIRE_MESSAGE(csv, render(diagnostics));
  return *csv;
}

/// Published tensors of each model, with the parameters in all layers and experts.
std::map<std::string, std::map<std::string, double>> published_tensors(const fs::path& folder = "") {
  const Csv csv = table(folder / "tensors.csv");
  REQUIRE(csv.columns == std::vector<std::string>{"model", "tensor", "shape", "copies", "params", "kind"});
  std::map<std::string, std::map<std::string, double>> out;
  for (const Csv::Row& row : csv.rows) {
    std::string tensor = row.cells[1];
    const std::size_t note = tensor.find("(dense)");  // The note `(dense)` marks layers without experts and is no part of the name.
    if (note != std::string::npos) tensor.erase(note, 7);
    out[row.cells[0]][tensor] += std::stod(row.cells[4]);
  }
  return out;
}

}  // namespace

TEST_CASE("hf: every config of the reference counts as published, tensor by tensor") {
  if (!fs::exists(kReference)) {
    std::cout << "skipped: there is no reference data; it belongs in ../shared/reference\n";
    return;
  }
  const auto tensors = published_tensors();
  const Csv index = table("index.csv");
  REQUIRE(index.columns[3] == "params_total");
  REQUIRE(index.columns[4] == "params_active");
  std::size_t compared = 0, by_tensor = 0;
  for (const Csv::Row& row : testing::some_of(index.rows, 10)) {
    const std::string& model = row.cells[0];
    CAPTURE(model);
    ImportedConfig imported(kReference / "configs" / (model + ".config.json"));
    if (!imported.run) continue;
    const double total = std::stod(row.cells[3]);
    CHECK(value(*imported.run, "parameters_total") == total);
    CHECK(value(*imported.run, "parameters_active") == (row.cells[4].empty() ? total : std::stod(row.cells[4])));
    ++compared;
    const auto listed = tensors.find(model);  // Some models have only published totals.
    if (listed == tensors.end()) continue;
    CHECK(imported.checkpoint() == listed->second);
    ++by_tensor;
  }
  CHECK(compared >= index.rows.size() / static_cast<std::size_t>(testing::one_of(10)));
  if (testing::one_of(10) == 1) CHECK(by_tensor == tensors.size());
}

// Names of some tensors in the tables are those in memory, which differ from those in files: of each config, tensors
// with equal names must have equal elements, and the totals must agree, so the remaining tensors agree in sum.
TEST_CASE("hf: every config of further families counts as the constructors do") {
  if (!fs::exists(kReference)) {
    std::cout << "skipped: there is no reference data; it belongs in ../shared/reference\n";
    return;
  }
  // Mappings with two names for some weights, of which `checkpoint` takes the first.
  const std::set<std::string> with_two_names = {"own-minimax_m3_vl_text", "own-olmo_hybrid"};
  for (const char* folder : {"families", "families2026"}) {
    CAPTURE(folder);
    const bool has_tensors = fs::exists(kReference / folder / "tensors.csv");
    const auto tensors = has_tensors ? published_tensors(folder) : std::map<std::string, std::map<std::string, double>>();
    const Csv index = table(fs::path(folder) / "index.csv");
    REQUIRE(index.columns[2] == "params_total");
    REQUIRE(index.columns[3] == "params_active");
    std::size_t compared = 0, rows = 0, by_name = 0;
    for (const Csv::Row& row : testing::some_of(index.rows, 10)) {
      const std::string& model = row.cells[0];
      CAPTURE(model);
      ImportedConfig imported(kReference / folder / (model + ".json"));
      if (!imported.run) continue;
      CHECK(value(*imported.run, "parameters_total") == std::stod(row.cells[2]));
      if (!row.cells[3].empty()) CHECK(value(*imported.run, "parameters_active") == std::stod(row.cells[3]));
      ++compared;
      const auto listed = tensors.find(model);
      if (listed == tensors.end() || with_two_names.contains(model)) continue;
      // A mapping may name the tensors of single layers, which the tables add to those of all layers.
      std::map<std::string, double> by_tensor;
      for (const auto& [tensor, elements] : imported.checkpoint()) {
        std::vector<std::string> parts = split(tensor, '.');
        for (std::string& part : parts) {
          if (!part.empty() && part.find_first_not_of("0123456789") == std::string::npos) part = "*";
        }
        by_tensor[join(parts, ".")] += elements;
      }
      for (const auto& [tensor, elements] : by_tensor) {
        const auto same = listed->second.find(tensor);
        ++rows;
        if (same == listed->second.end()) continue;
        ++by_name;
        CHECK_MESSAGE(elements == same->second, tensor);
      }
    }
    CHECK(compared >= index.rows.size() / static_cast<std::size_t>(testing::one_of(10)));
    if (has_tensors) CHECK(by_name * 10 > rows * 6);
  }
}

}  // namespace opledger
