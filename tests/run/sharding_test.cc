#include "accounting/graph_engine.h"
#include "tests/support/runs.h"

namespace opledger {
namespace {

/// Returns bytes of weights, gradients and optimizer states of one rank, per parameter.
std::vector<double> per_parameter(const std::string& model, const std::string& mesh, const std::string& rules) {
  const auto run = prepare(model, execution(mesh, rules, "batch_size: 16\nmicrobatch_size: 1\n"));
  const double n = value(*run, "parameters_total");
  return {value(*run, "weight_bytes_per_rank") / n, value(*run, "gradient_bytes_per_rank") / n, value(*run, "optimizer_bytes_per_rank") / n};
}

/// Writes an execution and its rules to a folder.
std::string with_rules(const TemporaryFolder& folder, const std::string& name, const std::string& mesh, const std::string& sections) {
  folder.write(name + ".yaml", "kind: rules\nname: " + name + sections);
  return folder.write(name + "-run.yaml", "kind: execution\nmesh: " + mesh + "\nbatch_size: 8\nrules: [" + name + "]\n").string();
}

const std::vector<std::string> kUneven = {"error", "replicate", "part", "skip", "pad"};

/// Checks that `uneven` has no effect if all sizes divide: bytes and seconds are equal for each word in place of `~` in
/// the rules.
void check_equal(const std::string& model, const std::string& mesh, const std::string& rules, const std::vector<std::string>& words,
                 const Settings& settings = {}) {
  const TemporaryFolder folder;
  std::vector<double> bytes, seconds;
  for (const std::string& uneven : words) {
    std::string shard = "\nshard:" + rules;
    for (std::size_t at = shard.find('~'); at != std::string::npos; at = shard.find('~')) shard.replace(at, 1, uneven);
    const auto run = prepare(model, with_rules(folder, uneven, mesh, shard), "h100-80g-sxm", settings);
    bytes.push_back(value(*run, "communication_bytes"));
    seconds.push_back(value(*run, "iteration_time"));
  }
  CHECK(bytes == std::vector<double>(words.size(), bytes[0]));
  CHECK(seconds == std::vector<double>(words.size(), seconds[0]));
}

}  // namespace

TEST_CASE("sharding: 2, 4 and 12 bytes of a parameter, by the stage of ZeRO") {
  struct Line {
    const char* mesh;
    const char* rules;
    double weights, gradients, optimizer;  ///< Divisors.
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
    const Value v = e.ask(*weights, e.choose(nowhere(), kStageSet, static_cast<WordId>(i))).value;
    sum += stages.fields.at("count")[i].scalar.value * v.scalar.value;
  }
  CHECK(sum == 2 * (value(*run, "parameters_total") + table));
}

TEST_CASE("sharding: what happens where a size does not divide makes no difference where it does") {
  check_equal("llama-3-8b", "{tp: 4}", "\n- heads: {axis: tp, uneven: ~}\n- kv_heads: {axis: tp, uneven: replicate}\n- ffn, vocab: tp\n", kUneven);
}

TEST_CASE("sharding: two rules on one dimension share it where it divides") {
  check_equal("llama-3-8b", "{c: 8, a: 2}", "\n- batch: a\n- batch: {axis: c, uneven: ~}\n", kUneven, {{"batch_size", "16"}, {"microbatch_size", "16"}});
}

// Each split doubles the number of parts, so evaluations must not visit all ancestors of a part repeatedly.
TEST_CASE("sharding: six dimensions that may fill one axis in part") {
  const std::string rules = "\n- heads, kv_heads, expert_ffn, vocab: {axis: tp, uneven: ~}\n- seq, slot: {axis: tp, uneven: ~}\n";
  check_equal("mixtral-8x7b", "{tp: 8}", rules, {"error", "replicate"});
}

TEST_CASE("sharding: gradients of biases and norms are sent with those of other weights, in whatever parts the axis is") {
  const std::string rules = "\n- heads, ffn: {axis: tp, uneven: ~}\n- vocab: {axis: tp, uneven: pad}\n- seq: {axis: tp, uneven: ~}\n";
  check_equal("megatron-22b", "{tp: 8}", rules, {"error", "replicate", "part"});
}

TEST_CASE("sharding: parts of an axis that was cut for one dimension count once for another") {
  const TemporaryFolder folder;
  const std::string shard = "\nshard:\n- ffn: tp\n- ffn: {axis: [a, c], uneven: skip}\n- heads: tp\n- kv_heads: {axis: tp, uneven: replicate}\n";
  const std::string run_of_ffn = with_rules(folder, "cut", "{a: 2, c: 2, tp: 4}", shard);
  for (const auto& [ffn, ranks] : std::vector<std::pair<std::string, double>>{{"16", 16}, {"32", 16}, {"8", 8}, {"4", 4}}) {
    const auto run = prepare("llama-3-8b", run_of_ffn, "", {{"ffn", ffn}});
    const double mlp = 3 * 4096 * std::stod(ffn) * 32 * 2;  // Bytes of gate, up and down.
    const double rest = value(*prepare("llama-3-8b", run_of_ffn, "", {{"ffn", "64"}}), "weight_bytes_per_rank") - 3 * 4096 * 4 * 32 * 2;
    CHECK_MESSAGE(value(*run, "weight_bytes_per_rank") == rest + mlp / ranks, ffn);
  }
}

TEST_CASE("sharding: a product between grouped dimensions places each by its own rules") {
  const TemporaryFolder folder;
  const std::string model = folder
                                .write("mixed.yaml", R"(
kind: model
name: mixed
uses: [embeddings, heads]
parameters: {layers: 2, hidden: 64, heads: 8, kv_heads: 8, head_dim: 8, vocab: 320, seq: 16}
grouped: {heads: kv_heads}
blocks:
  mixed_layer:
    inputs: {x: [batch, seq, hidden]}
    nodes:
      - {name: a, op: linear, in: x, out: [batch, seq, heads, head_dim]}
      - {name: b, op: linear, in: a, out: [batch, seq, kv_heads, head_dim]}
      - {name: c, op: linear, in: b, out: [batch, seq, hidden]}
      - {name: r, op: add, in: [x, c]}
graph:
  - {name: embedding, block: token_embedding}
  - {name: d, block: mixed_layer, repeat: layers}
  - {name: head, block: rmsnorm_head}
)")
                                .string();
  const auto one = prepare(model), two = prepare(model, execution("{tp: 2}", "megatron"));
  // b takes tp for heads, and its kv_heads stay whole; so every weight but the norm's is halved.
  CHECK(value(*two, "weight_bytes_per_rank") == (value(*one, "weight_bytes_per_rank") + 2 * 64) / 2);
}

}  // namespace opledger
