#include <iostream>
#include <iterator>
#include <set>

#include "base/csv.h"
#include "tests/import/written_checkpoint.h"
#include "tests/support/random_count.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// The published models have other owners and are not part of this tree.
const fs::path kModels = fs::path(source_folder()).parent_path() / "shared" / "reference" / "models";

/// Shapes of the published tensors by name, one entry for each tensor: `model.layers.*.mlp.up_proj.weight 8192x2048`.
using PublishedShapes = std::map<std::string, std::multiset<std::string>>;

std::map<std::string, PublishedShapes> published() {
  std::ifstream file(kModels / "tensors.csv", std::ios::binary);
  const auto source = std::make_shared<const SourceFile>("tensors.csv", std::string(std::istreambuf_iterator<char>(file), {}));
  Diagnostics diagnostics;
  const auto csv = parse_csv(source, diagnostics);
  REQUIRE_MESSAGE(csv, render(diagnostics));
  std::map<std::string, PublishedShapes> out;
  for (const Csv::Row& row : csv->rows) {
    std::string tensor = row.cells[1];
    const std::size_t note = tensor.find("(dense)");  // The note `(dense)` marks layers without experts and is no part of the name.
    if (note != std::string::npos) tensor.erase(note, 7);
    for (int copy = 0; copy < std::stoi(row.cells[3]); ++copy) out[row.cells[0]][tensor].insert(row.cells[2]);
  }
  return out;
}

PublishedShapes expected(const TensorNames& names) {
  PublishedShapes out;
  std::set<std::size_t> expected_groups;
  for (const TensorNames::NamedWeight& weight : names.weights) expected_groups.insert(weight.groups.begin(), weight.groups.end());
  for (const std::size_t g : expected_groups) {
    const TensorGroup& group = names.groups[g];
    std::string shape;
    for (const std::uint64_t size : group.shape) shape += (shape.empty() ? "" : "x") + std::to_string(size);
    for (std::size_t i = 0; i < group.layers.size() * group.matrices; ++i) out[names.entries[group.entry].name].insert(shape);
  }
  return out;
}

}  // namespace

TEST_CASE("checkpoint: tensors of every config of the reference are as many as published, and of the published shapes") {
  if (!fs::exists(kModels)) {
    std::cout << "skipped: there is no reference data; it belongs in ../shared/reference\n";
    return;
  }
  std::size_t compared = 0;
  for (const auto& [model, tensors] : testing::some_of(published(), 10)) {
    CAPTURE(model);
    const fs::path config = kModels / "configs" / (model + ".config.json");
    if (!fs::exists(config)) continue;
    ImportedConfig imported(config);
    REQUIRE(imported.run);
    const TensorNames names = names_of(*imported.run, shipped_names(mapping_in(imported.text)));
    const PublishedShapes mine = expected(names);
    std::set<std::string> spread;  // The graph does not determine the axes of spread tensors; the next test compares them.
    for (const TensorEntry& entry : names.entries) {
      if (entry.spread) spread.insert(entry.name);
    }
    for (const auto& [tensor, shapes] : tensors) {
      CAPTURE(tensor);
      const auto found = mine.find(tensor);
      CHECK(found != mine.end());
      if (found == mine.end()) continue;
      CHECK(found->second.size() == shapes.size());
      if (spread.count(tensor) == 0) CHECK(std::set(found->second.begin(), found->second.end()) == std::set(shapes.begin(), shapes.end()));
    }
    ++compared;
  }
  CHECK(compared >= (testing::one_of(10) == 1 ? 60 : 5));
}

}  // namespace opledger
