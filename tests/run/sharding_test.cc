#include "tests/run/runs.h"

namespace opledger {
namespace {

/// Bytes of weights, gradients and optimizer states of one rank, as multiples of the parameters.
std::vector<double> per_parameter(const std::string& model, const std::string& mesh, const std::string& rules) {
  const auto run = prepare(model, execution(mesh, rules, "batch_size: 16\nmicrobatch_size: 1\n"));
  const double n = value(*run, "parameters_total");
  return {value(*run, "weight_bytes_per_rank") / n, value(*run, "gradient_bytes_per_rank") / n, value(*run, "optimizer_bytes_per_rank") / n};
}

}  // namespace

TEST_CASE("sharding: 2, 4 and 12 bytes of a parameter, by the stage of ZeRO") {
  struct Line {
    const char* mesh;
    const char* rules;
    double weights, gradients, optimizer;  ///< divided by
  };
  const Line lines[] = {
      {"{dp: 1}", "megatron", 1, 1, 1},
      {"{dp: 8}", "megatron", 1, 1, 1},
      {"{dp: 8}", "megatron, zero_1", 1, 1, 8},
      {"{dp: 8}", "megatron, zero_2", 1, 8, 8},
      {"{dp: 8}", "megatron, zero_3", 8, 8, 8},
      {"{dp: 4, cp: 2}", "megatron, zero_1", 1, 1, 8},
      {"{dp: 4, cp: 2}", "megatron, zero_3", 8, 8, 8},
      {"{dp: {fsdp: 16}}", "megatron, fsdp", 16, 16, 16},
      {"{dp: {rep: 2, fsdp: 8}}", "megatron, hsdp", 8, 8, 8},
      {"{dp: {rep: 2, fsdp: 8}}", "megatron, fsdp", 8, 8, 8},
      {"{dp: {rep: 4, fsdp: 2}}", "megatron, hsdp", 2, 2, 2},
      {"{dp: {inter: 2, intra: 4}}", "megatron, hpz", 8, 8, 8},
  };
  for (const char* model : {"gpt3-175b", "llama-3-8b", "gpt2"}) {
    for (const Line& line : lines) {
      const std::vector<double> found = per_parameter(model, line.mesh, line.rules), expected = {2 / line.weights, 4 / line.gradients, 12 / line.optimizer};
      for (std::size_t i = 0; i < 3; ++i) CHECK_MESSAGE(near(found[i], expected[i], 1e-12), model, " ", line.mesh, " ", line.rules, " ", i);
    }
  }
}

TEST_CASE("sharding: what optimizers and precisions keep") {
  struct Line {
    const char* key;
    const char* word;
    double weights, gradients, optimizer;
  };
  const Line lines[] = {
      {"optimizer", "sgd", 2, 4, 4},   {"optimizer", "sgd_momentum", 2, 4, 8}, {"optimizer", "adam", 2, 4, 12},
      {"parameters", "fp32", 4, 4, 8}, {"gradients", "bf16", 2, 2, 12},
  };
  for (const Line& line : lines) {
    const auto run = prepare("gpt2", "single", "", {{line.key, line.word}});
    const double n = value(*run, "parameters_total");
    CHECK_MESSAGE(value(*run, "weight_bytes_per_rank") == line.weights * n, line.word);
    CHECK_MESSAGE(value(*run, "gradient_bytes_per_rank") == line.gradients * n, line.word);
    CHECK_MESSAGE(value(*run, "optimizer_bytes_per_rank") == line.optimizer * n, line.word);
  }
}

TEST_CASE("sharding: a tied table is stored on the first stage and on the last") {
  const double table = 51200.0 * 12288;
  const auto run = prepare("gpt3-175b", execution("{pp: 8}", "megatron"));
  Evaluator& e = run->evaluator();
  const Name* weights = run->program().find("weight_memory");
  REQUIRE(weights != nullptr);
  double sum = 0;
  const Elements& stages = e.elements(kStageSet);
  for (std::size_t i = 0; i < stages.names.size(); ++i) {
    const Value v = e.evaluate(*weights, e.choose(nowhere(), kStageSet, static_cast<WordId>(i)));
    sum += stages.fields.at("count")[i].scalar.value * v.scalar.value;
  }
  CHECK(sum == 2 * (value(*run, "parameters_total") + table));
}

}  // namespace opledger
