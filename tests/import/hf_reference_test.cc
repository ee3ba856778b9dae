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

const fs::path kReference = fs::path(source_folder()).parent_path() / "shared" / "reference" / "models";  // other people's: not in this tree

Csv table(const char* name) {
  std::ifstream file(kReference / name, std::ios::binary);
  const auto source = std::make_shared<const SourceFile>(name, std::string(std::istreambuf_iterator<char>(file), {}));
  Diagnostics diagnostics;
  auto csv = parse_csv(source, diagnostics);
  REQUIRE_MESSAGE(csv, render(diagnostics));
  return *csv;
}

/// By model: tensors, and how many parameters they hold in all layers and experts.
std::map<std::string, std::map<std::string, double>> published_tensors() {
  const Csv csv = table("tensors.csv");
  REQUIRE(csv.columns == std::vector<std::string>{"model", "tensor", "shape", "copies", "params", "kind"});
  std::map<std::string, std::map<std::string, double>> out;
  for (const Csv::Row& row : csv.rows) {
    std::string tensor = row.cells[1];
    const std::size_t note = tensor.find("(dense)");  // of layers without experts: no part of the name
    if (note != std::string::npos) tensor.erase(note, 7);
    out[row.cells[0]][tensor] = std::stod(row.cells[4]);
  }
  return out;
}

}  // namespace

TEST_CASE("hf: every config of the reference counts as published, tensor by tensor") {
  if (!fs::exists(kReference)) {
    std::cout << "skipped: there is no reference data\n";
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
    ImportedConfig made(kReference / "configs" / (model + ".config.json"));
    if (!made.run) continue;
    const double total = std::stod(row.cells[3]);
    CHECK(value(*made.run, "parameters_total") == total);
    CHECK(value(*made.run, "parameters_active") == (row.cells[4].empty() ? total : std::stod(row.cells[4])));
    ++compared;
    const auto listed = tensors.find(model);  // of some only the totals are known
    if (listed == tensors.end()) continue;
    CHECK(made.checkpoint() == listed->second);
    ++by_tensor;
  }
  CHECK(compared >= index.rows.size() / static_cast<std::size_t>(testing::one_of(10)));
  if (testing::one_of(10) == 1) CHECK(by_tensor == tensors.size());
}

}  // namespace opledger
