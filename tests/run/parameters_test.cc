#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "tests/paths.h"
#include "tests/run/runs.h"

namespace opledger {
namespace {

/// Fields of a line of comma-separated values, quotes removed.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

}  // namespace

TEST_CASE("parameters: of every shipped model, to the last one") {
  struct Line {
    const char* model;
    double total, active;
  };
  const Line lines[] = {
      {"gpt2", 124439808, 124439808},
      {"gpt3-175b", 174615846912, 174615846912},
      {"megatron-22b", 22074273792, 22074273792},
      {"megatron-530b", 529600819200, 529600819200},
      {"megatron-1t", 1008038758400, 1008038758400},
      {"llama-2-7b", 6738415616, 6738415616},
      {"llama-3-8b", 8030261248, 8030261248},
      {"llama-3-70b", 70553706496, 70553706496},
      {"mistral-7b", 7241732096, 7241732096},
      {"mixtral-8x7b", 46702792704, 12879925248},
      {"deepseek-v2-lite", 15706484224, 2661150208},
      {"mamba-2.8b", 2768345600, 2768345600},
      {"mamba2-2.7b", 2702599680, 2702599680},
      {"jamba-v0.1", 51570323328, 12110311296},
  };
  std::map<std::string, bool> known;
  for (const Line& line : lines) {
    const auto run = prepare(line.model);
    CHECK_MESSAGE(value(*run, "parameters_total") == line.total, line.model);
    CHECK_MESSAGE(value(*run, "parameters_active") == line.active, line.model);
    known[line.model] = true;
  }
  for (const std::string& model : shipped().names("model")) {
    const bool imported = model.find('/') != std::string::npos;  // tests/import has those
    CHECK_MESSAGE((imported || known.count(model) == 1), model, " has no line in this table");
  }
}

TEST_CASE("parameters: of every shipped model that the reference data has") {
  std::ifstream file(source_folder() + "/../shared/reference/models/index.csv");
  if (!file) {
    std::cout << "skipped: there is no reference data\n";
    return;
  }
  const std::vector<std::string> models = shipped().names("model");
  std::string line;
  std::getline(file, line);
  REQUIRE(split(line)[3] == "params_total");
  REQUIRE(split(line)[4] == "params_active");
  int compared = 0;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line);
    if (std::find(models.begin(), models.end(), fields[0]) == models.end()) continue;
    const auto run = prepare(fields[0]);
    CHECK_MESSAGE(value(*run, "parameters_total") == std::stod(fields[3]), fields[0]);
    if (!fields[4].empty()) CHECK_MESSAGE(value(*run, "parameters_active") == std::stod(fields[4]), fields[0]);
    ++compared;
  }
  CHECK(compared >= 7);
}

}  // namespace opledger
