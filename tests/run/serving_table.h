#pragma once
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/paths.h"

namespace opledger {

/// Returns the rows of a table of reference figures, without titles.
inline std::vector<std::vector<std::string>> serving_table(const std::string& name) {
  std::ifstream file(source_folder() + "/tests/data/serving/" + name);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    auto& row = rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
  }
  REQUIRE(rows.size() > 1);
  rows.erase(rows.begin());
  return rows;
}

}  // namespace opledger
