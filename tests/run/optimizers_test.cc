#include "accounting/graph_engine.h"
#include "tests/run/llama_sizes.h"
#include "tests/support/runs.h"

/// Optimizers by hand for Llama 2 7B: 32 layers of four 4096 x 4096 and three 4096 x 11008 matrices, two tables of
/// 32000 x 4096, 65 vectors of 4096.
namespace opledger {
namespace {

constexpr double kTables = 2 * kVocab * kHidden, kVectors = (2 * kLayers + 1) * kHidden;
constexpr double kAll = kMatrices + kTables + kVectors;

/// Returns a value of a weight on its first stage.
double of_weight(Run& run, const std::string& name, const std::string& weight) {
  const Name* n = run.program().find(name);
  REQUIRE_MESSAGE(n != nullptr, name);
  const auto& names = run.evaluator().elements(kWeightSet).names;
  const auto found = std::find(names.begin(), names.end(), weight);
  REQUIRE_MESSAGE(found != names.end(), weight);
  return run.evaluator().ask(*n, run.evaluator().choose(nowhere(), kWeightSet, static_cast<WordId>(found - names.begin()))).value.scalar.value;
}

double field(Run& run, const std::string& name, const std::string& weight) {
  const Elements& weights = run.evaluator().elements(kWeightSet);
  const auto found = std::find(weights.names.begin(), weights.names.end(), weight);
  REQUIRE_MESSAGE(found != weights.names.end(), weight);
  return weights.fields.at(name)[static_cast<std::size_t>(found - weights.names.begin())].scalar.value;
}

/// Returns the operations of five iterations of 2 n m^2, 2 m^3 and 2 n m^2, where m is the shorter side.
double newton_schulz(double n, double m) { return 5 * (4 * n * m * m + 2 * m * m * m); }

const double kWholeModel = kLayers * (4 * newton_schulz(kHidden, kHidden) + 3 * newton_schulz(kFfn, kHidden));

}  // namespace

TEST_CASE("optimizers: bytes of states in addition to 4 bytes of master weights") {
  struct Line {
    const char* optimizer;
    double states;
  };
  const double factored = kLayers * (4 * (kHidden + kHidden) + 3 * (kHidden + kFfn)) + 2 * (kVocab + kHidden);
  const Line lines[] = {
      {"sgd", 0},
      {"sgd_momentum", 4 * kAll},
      {"adam", 8 * kAll},
      {"adamw", 8 * kAll},
      {"lion", 4 * kAll},
      {"adamw_8bit", 2 * kAll + 2 * 4 * kAll / 256},  // Every tensor is a multiple of a block, and none is small.
      {"adafactor", 4 * (factored + kVectors)},
      {"muon", 4 * kMatrices + 8 * (kTables + kVectors)},
      {"muon_blockwise", 4 * kMatrices + 8 * (kTables + kVectors)},
  };
  for (const Line& line : lines) {
    const auto run = prepare("llama-2-7b", "single", "", {{"optimizer", line.optimizer}});
    REQUIRE(value(*run, "parameters_total") == kAll);
    CHECK_MESSAGE(value(*run, "optimizer_bytes_per_rank") == 4 * kAll + line.states, line.optimizer);
    const double bytes = value(*run, "weight_bytes_per_rank") + value(*run, "gradient_bytes_per_rank") + value(*run, "optimizer_bytes_per_rank");
    CHECK_MESSAGE(bytes == (2 + 4 + 4) * kAll + line.states, line.optimizer);  // Bytes per parameter; 18 for AdamW.
  }
}

TEST_CASE("optimizers: one matrix of 4096 x 11008") {
  const std::string gate = "decoder.mlp.gate.w", n = "decoder.mlp_norm.gamma";
  const double size = kHidden * kFfn;
  auto run = prepare("llama-2-7b", "single", "", {{"optimizer", "adafactor"}});
  CHECK(field(*run, "rows", gate) == kHidden);
  CHECK(field(*run, "columns", gate) == kFfn);
  CHECK(field(*run, "matrices", gate) == 1);
  CHECK(field(*run, "rows", n) == 1);
  CHECK(field(*run, "columns", n) == kHidden);
  CHECK(of_weight(*run, "state_bytes", gate) == 4 * (kHidden + kFfn));
  CHECK(of_weight(*run, "state_bytes", n) == 4 * kHidden);
  CHECK(of_weight(*run, "step_flops", gate) == 15 * size);
  CHECK(of_weight(*run, "step_flops", n) == 14 * kHidden);
  run = prepare("llama-2-7b", "single", "", {{"optimizer", "muon"}});
  CHECK(of_weight(*run, "state_bytes", gate) == 4 * size);
  CHECK(of_weight(*run, "step_matrix_flops", gate) == 5 * (4 * kFfn * kHidden * kHidden + 2 * kHidden * kHidden * kHidden));
  CHECK(of_weight(*run, "step_matrix_flops", n) == 0);
  CHECK(of_weight(*run, "step_matrix_flops", "embedding.tokens.table") == 0);  // AdamW updates the table and the head.
  CHECK(of_weight(*run, "step_matrix_flops", "head.logits.w") == 0);
  CHECK(of_weight(*run, "state_bytes", "head.logits.w") == 8 * kVocab * kHidden);
  CHECK(value(*run, "optimizer_matrix_flops") == kWholeModel);
}

TEST_CASE("optimizers: a small tensor keeps its moments whole in AdamW of 8 bits") {
  const auto run = prepare("gpt2", "single", "", {{"optimizer", "adamw_8bit"}});
  CHECK(of_weight(*run, "state_bytes", "decoder.attention_norm.gamma") == 8 * 768);
  CHECK(of_weight(*run, "state_bytes", "decoder.mlp.up.w") == 2 * (768 * 3072 + 4 * 768 * 3072 / 256));
}

TEST_CASE("optimizers: states in bf16") {
  const auto run = prepare("llama-2-7b", "single", "", {{"states", "bf16"}});
  CHECK(value(*run, "optimizer_bytes_per_rank") == (4 + 2 * 2) * kAll);
}

TEST_CASE("optimizers: Muon needs matrices whole, whatever they are spread over") {
  const std::string step = "batch_size: 8\nmicrobatch_size: 1\noptimizer: muon";
  // ZeRO 1: a rank updates a quarter of the elements, so it orthogonalises a quarter of the matrices; they meet and part in two all-to-alls of 2-byte numbers.
  auto run = prepare("llama-2-7b", execution("{dp: 4}", "megatron, zero_1", step));
  CHECK(value(*run, "optimizer_matrix_flops") == kWholeModel / 4);
  CHECK(value(*run, "optimizer_communication_bytes") == 2 * (2 * kMatrices / 4) * 3 / 4);
  // Tensor parallelism: both ranks gather every matrix and orthogonalise it.
  run = prepare("llama-2-7b", execution("{tp: 2}", "megatron", step));
  CHECK(field(*run, "local_columns", "decoder.mlp.gate.w") == kFfn / 2);
  CHECK(field(*run, "local_rows", "decoder.mlp.down.w") == kFfn / 2);
  CHECK(value(*run, "optimizer_matrix_flops") == kWholeModel);
  CHECK(value(*run, "optimizer_communication_bytes") == 2 * kMatrices / 2);
  // Block by block: [4096, 2048] and [2048, 4096], [4096, 5504] and [5504, 4096].
  run = prepare("llama-2-7b", execution("{tp: 2}", "megatron", step + "_blockwise"));
  CHECK(value(*run, "optimizer_matrix_flops") == kLayers * (4 * newton_schulz(4096, 2048) + 3 * newton_schulz(5504, 4096)));
  CHECK(value(*run, "optimizer_communication_bytes") == 0);
  // Every stage has its own layers; more ranks than matrices of one kind do not make a matrix smaller.
  run = prepare("llama-2-7b", execution("{pp: 2}", "megatron", step));
  CHECK(value(*run, "optimizer_matrix_flops") == kWholeModel / 2);
  run = prepare("llama-2-7b", execution("{dp: 512}", "megatron, zero_1", "batch_size: 512\noptimizer: muon"));
  CHECK(value(*run, "optimizer_matrix_flops") == newton_schulz(kFfn, kHidden));
}

TEST_CASE("optimizers: an expert is a matrix of its own, and moves whole between ranks") {
  const std::string gate = "decoder.moe.gate.w", step = "batch_size: 8\nmicrobatch_size: 1\n";
  auto run = prepare("mixtral-8x7b", execution("{dp: {edp: 1, ep: 8}}", "megatron", step + "optimizer: muon"));
  CHECK(field(*run, "matrices", gate) == 8);
  CHECK(field(*run, "local_matrices", gate) == 1);
  CHECK(field(*run, "rows", gate) == 4096);
  CHECK(field(*run, "columns", gate) == 14336);
  CHECK(of_weight(*run, "step_matrix_flops", gate) == newton_schulz(14336, 4096));
  CHECK(value(*run, "optimizer_communication_bytes") == 0);
  run = prepare("mixtral-8x7b", "single", "", {{"optimizer", "adafactor"}});
  CHECK(of_weight(*run, "state_bytes", gate) == 4.0 * 8 * (4096 + 14336));
}

TEST_CASE("optimizers: where elements of a matrix are spread, each rank has the sums of its rows and of all columns") {
  const auto run = prepare("llama-2-7b", execution("{dp: 4}", "megatron, zero_1", "batch_size: 8\noptimizer: adafactor"));
  CHECK(of_weight(*run, "state_bytes", "decoder.mlp.gate.w") == 4 * (kHidden / 4 + kFfn));
  CHECK(of_weight(*run, "state_bytes", "decoder.mlp_norm.gamma") == 4 * kHidden / 4);
}

}  // namespace opledger
