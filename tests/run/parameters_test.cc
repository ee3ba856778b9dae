#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "tests/paths.h"
#include "tests/support/runs.h"

namespace opledger {
namespace {

/// Splits a line of comma-separated values and removes quotes.
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
      {"llama-2-13b", 13015864320, 13015864320},
      {"llama-3-8b", 8030261248, 8030261248},
      {"llama-3-70b", 70553706496, 70553706496},
      {"mistral-7b", 7241732096, 7241732096},
      {"mixtral-8x7b", 46702792704, 12879925248},
      {"deepseek-v2-lite", 15706484224, 2661150208},
      {"mamba-2.8b", 2768345600, 2768345600},
      {"mamba2-2.7b", 2702599680, 2702599680},
      {"jamba-v0.1", 51570323328, 12110311296},
      {"deepseek-v3", 671026419200, 37552297472},
      {"deepseek-v3-mtp", 671026419200 + 11610068224, 37552297472 + 11610068224 - 248.0 * 3 * 2048 * 7168},
      {"kimi-k2", 1026408232448, 32861500928},
      {"gpt-oss-20b", 20914757184, 4187440704},
      {"falcon-7b", 6921720704, 6921720704},
      {"gpt-neox-20b", 20554567680, 20554567680},
      {"phi-2", 2779683840, 2779683840},
      {"gemma-7b", 8537680896, 8537680896},
      {"gemma-2-9b", 9241705984, 9241705984},
      {"qwen2.5-7b", 7615616512, 7615616512},
      {"qwen3-8b", 8190735360, 8190735360},
      {"olmo-2-7b", 7298617344, 7298617344},
      {"llama-3.1-405b", 405853388800, 405853388800},
      {"llama-3.2-3b", 3212749824, 3212749824},
      {"llama-2-70b", 68976648192, 68976648192},
      {"qwen3-32b", 32762123264, 32762123264},
      {"gpt-oss-120b", 116829156672, 5711982912},
      {"gpt-j-6b", 6050882784, 6050882784},
      {"falcon-180b", 179522565120, 179522565120},
      {"bert-base", 109482240, 109482240},
      {"vit-l-16", 304326632, 304326632},
      {"t5-base", 222903552, 222903552},
  };
  std::map<std::string, bool> known;
  for (const Line& line : lines) {
    const auto run = prepare(line.model);
    CHECK_MESSAGE(value(*run, "parameters_total") == line.total, line.model);
    CHECK_MESSAGE(value(*run, "parameters_active") == line.active, line.model);
    known[line.model] = true;
  }
  for (const std::string& model : shipped().names("model")) {
    const bool imported = model.find('/') != std::string::npos;  // covered by tests/import
    CHECK_MESSAGE((imported || known.count(model) == 1), model, " has no line in this table");
  }
}

/// The checkpoint of DeepSeek-V3 has 13,463,426,304 elements of this module, including copies of embedding and head
/// that the model shares.
TEST_CASE("parameters: of the module that predicts one token further") {
  const double copies = 2.0 * 129280 * 7168, with = value(*prepare("deepseek-v3-mtp"), "parameters_total"),
               without = value(*prepare("deepseek-v3"), "parameters_total");
  CHECK(with - without + copies == 13463426304);
}

TEST_CASE("parameters: active ones without the input embedding, as publishers count them") {
  for (const auto& [model, active] : {std::pair{"gpt-oss-20b", 3608307264.0}, {"deepseek-v3", 36625618432.0}, {"kimi-k2", 31687095808.0}})
    CHECK_MESSAGE(value(*prepare(model), "parameters_active_without_input_embedding") == active, model);
}

TEST_CASE("parameters: of every shipped model that the reference data has") {
  std::ifstream file(source_folder() + "/../shared/reference/models/index.csv");
  if (!file) {
    std::cout << "skipped: there is no reference data; it belongs in ../shared/reference\n";
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
  CHECK(compared >= 18);
}

}  // namespace opledger
