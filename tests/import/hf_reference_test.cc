#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/csv.h"
#include "tests/import/imported_config.h"
#include "tests/support/random_count.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// The published models have other owners and are not part of this tree.
const fs::path kReference = fs::path(source_folder()).parent_path() / "shared" / "reference" / "models";

Csv table(const char* name) {
  std::ifstream file(kReference / name, std::ios::binary);
  const auto source = std::make_shared<const SourceFile>(name, std::string(std::istreambuf_iterator<char>(file), {}));
  Diagnostics diagnostics;
  auto csv = parse_csv(source, diagnostics);
  REQUIRE_MESSAGE(csv, render(diagnostics));
  return *csv;
}

/// Published tensors of each model, with the parameters in all layers and experts.
std::map<std::string, std::map<std::string, double>> published_tensors() {
  const Csv csv = table("tensors.csv");
  REQUIRE(csv.columns == std::vector<std::string>{"model", "tensor", "shape", "copies", "params", "kind"});
  std::map<std::string, std::map<std::string, double>> out;
  for (const Csv::Row& row : csv.rows) {
    std::string tensor = row.cells[1];
    const std::size_t note = tensor.find("(dense)");  // The note `(dense)` marks layers without experts and is no part of the name.
    if (note != std::string::npos) tensor.erase(note, 7);
    out[row.cells[0]][tensor] = std::stod(row.cells[4]);
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

}  // namespace opledger
