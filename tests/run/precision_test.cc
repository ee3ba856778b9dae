#include "accounting/graph_engine.h"
#include "tests/run/llama_sizes.h"
#include "tests/support/runs.h"

/// Separate precisions by hand for Llama 2 7B: a layer saves s x h and s x f elements for its products.
namespace opledger {
namespace {

constexpr double kSeq = 4096;

double work_time(Run& run, const std::string& node) {
  const Name* n = run.program().find("work_time");
  REQUIRE(n != nullptr);
  const auto& names = run.evaluator().elements(kNodeSet).names;
  const auto found = std::find(names.begin(), names.end(), node);
  REQUIRE_MESSAGE(found != names.end(), node);
  Point p = run.evaluator().choose(nowhere(), kNodeSet, static_cast<WordId>(found - names.begin()));
  return run.evaluator().ask(*n, run.evaluator().choose(p, kPhaseSet, 0)).value.scalar.value;
}

/// Prepares one rank with these rules and additional fields of the execution, one per line.
std::unique_ptr<Run> ruled(const std::string& model, const std::string& rules, const std::string& fields = "", const Settings& settings = {}) {
  return prepare(model, execution("{dp: 1}", rules, "batch_size: 1\nmicrobatch_size: 1\n" + fields), "h100-80g-sxm", settings);
}

}  // namespace

TEST_CASE("precision: what weights, gradients, master copy and states take") {
  struct Line {
    Settings settings;
    double weights, gradients, optimizer;  ///< Bytes per parameter.
  };
  const Line lines[] = {
      {{}, 2, 4, 12},
      {{{"gradients", "bf16"}}, 2, 2, 12},  // 16 bytes
      {{{"states", "bf16"}}, 2, 4, 8},      // DeepSeek-V3: bf16 moments with an fp32 master copy.
      {{{"master_width", "0"}, {"states", "bf16"}}, 2, 4, 4},
      {{{"parameters", "fp32"}}, 4, 4, 8},  // The weights are their own master copy.
      {{{"parameters", "fp8"}}, 1, 4, 12},
      {{{"compute", "fp8"}}, 2, 4, 12},
  };
  for (const Line& line : lines) {
    const auto run = prepare("llama-2-7b", "single", "", line.settings);
    const double n = value(*run, "parameters_total");
    CHECK(value(*run, "weight_bytes_per_rank") == line.weights * n);
    CHECK(value(*run, "gradient_bytes_per_rank") == line.gradients * n);
    CHECK(value(*run, "optimizer_bytes_per_rank") == line.optimizer * n);
  }
}

TEST_CASE("precision: products of hidden layers in 8 bits, everything else in bf16") {
  const auto bf16 = ruled("mixtral-8x7b", ""), fp8 = ruled("mixtral-8x7b", "fp8_hidden"), named = ruled("mixtral-8x7b", "fp8_hidden", "compute: fp8\n");
  for (const char* node : {"decoder.attention.query", "decoder.moe.gate", "decoder.moe.down"})
    CHECK_MESSAGE(near(work_time(*fp8, node), work_time(*bf16, node) / 2, 0.01), node);
  for (const char* node : {"head.logits", "decoder.moe.router", "decoder.attention.core", "decoder.attention_norm"})
    CHECK_MESSAGE(work_time(*fp8, node) == work_time(*bf16, node), node);
  CHECK(value(*fp8, "layer_activation_bytes") == value(*bf16, "layer_activation_bytes"));
  // Utilization is relative to the peak of 8 bits, independent of `compute` of the other nodes.
  CHECK(value(*named, "iteration_time") == value(*fp8, "iteration_time"));
  CHECK(value(*named, "mfu") == value(*fp8, "mfu"));
}

TEST_CASE("precision: operands of 8-bit products kept in 8 bits, and their weights as copies") {
  const auto at = [](const Settings& more) { return ruled("llama-2-7b", "fp8_hidden", "", more); };
  // Only products read both norms' results and the gated product. The result of attention is also read by its own
  // gradients.
  const double operands = 2 * kSeq * kHidden + kSeq * kFfn;
  const auto wide = at({}), narrow = at({{"operand_width", "1"}}), scaled = at({{"operand_width", "1.03125"}});  // 4 bytes per 128 elements.
  CHECK(value(*wide, "layer_activation_bytes") - value(*narrow, "layer_activation_bytes") == operands);
  CHECK(value(*scaled, "layer_activation_bytes") - value(*narrow, "layer_activation_bytes") == operands / 32);
  // Transformer Engine keeps an 8-bit weight and its transpose in addition to the bf16 weight.
  CHECK(value(*at({{"weight_casts", "2"}}), "weight_bytes_per_rank") == 2 * value(*wide, "parameters_total") + 2 * kMatrices);
}

TEST_CASE("precision: copies of autocast are freed before the optimizer's step") {
  // Weights, gradients, both states and the optimizer's copy, each of four bytes; copies of products in two.
  const auto at = [](const char* rules, const Settings& more) {
    Settings settings{{"parameters", "fp32"}, {"gradients", "fp32"}, {"master_width", "0 byte"}, {"microbatch_size", "1"}};
    settings.insert(settings.end(), more.begin(), more.end());
    return ruled("llama-2-7b", rules, "", settings);
  };
  const auto step = at("autocast_copies, recompute_full", {{"foreach", "true"}}), pass = at("autocast_copies, recompute_full", {}),
             plain = at("recompute_full", {});
  const double parameters = value(*plain, "parameters_total");
  CHECK(value(*step, "peak_activation_bytes") == 0);  // The peak is the step.
  CHECK(value(*step, "memory") == 20 * parameters);
  CHECK(value(*step, "weight_bytes_per_rank") == 4 * parameters);
  const double copies = value(*pass, "weight_bytes_per_rank") - 4 * parameters;
  CHECK(copies > 2 * kMatrices);
  CHECK(value(*pass, "memory") - value(*plain, "memory") == copies);
}

TEST_CASE("precision: the first and the last layers in bf16, the others in 8 bits") {
  // One of 32 layers at the start and two at the end: 29 are left.
  const auto at = [](const Settings& more) {
    Settings settings{{"layers_at_end", "2"}};
    settings.insert(settings.end(), more.begin(), more.end());
    return ruled("llama-2-7b", "fp8_between", "", settings);
  };
  const auto bf16 = ruled("llama-2-7b", ""), mixed = at({}), narrow = at({{"operand_width", "1"}}), cast = at({{"weight_casts", "1"}});
  for (const char* node : {"decoder.start.attention.query", "decoder.end.mlp.down", "head.logits"}) {
    std::string plain = node;  // The same node without separate layers.
    for (const char* part : {".start", ".end"}) {
      if (const std::size_t found = plain.find(part); found != std::string::npos) plain.erase(found, std::string(part).size());
    }
    CHECK_MESSAGE(work_time(*mixed, node) == work_time(*bf16, plain), node);
  }
  CHECK(near(work_time(*mixed, "decoder.rest.mlp.down"), work_time(*bf16, "decoder.mlp.down") / 2, 1e-3));
  const double operands = 2 * kSeq * kHidden + kSeq * kFfn;  // Operands of one layer, as above.
  CHECK(value(*mixed, "activation_bytes_per_rank") - value(*narrow, "activation_bytes_per_rank") == 29 * operands);
  CHECK(value(*cast, "weight_bytes_per_rank") - value(*mixed, "weight_bytes_per_rank") == kMatrices * 29 / 32);
  // Seven products of a layer, 2 s x (their weights) operations, at 0.95 of 989.4 Tflop/s, in half the time on 29 layers; memory traffic is the same.
  double saved = 0;
  for (const char* node : {"attention.query", "attention.key", "attention.value", "attention.output", "mlp.gate", "mlp.up", "mlp.down"})
    saved += 29 * (work_time(*bf16, std::string("decoder.") + node) - work_time(*mixed, std::string("decoder.rest.") + node));
  CHECK(near(saved, 29 * 2 * kSeq * (kMatrices / kLayers) / (0.95 * 989.4e12) / 2, 1e-3));
}

TEST_CASE("precision: a rule of one's own for single nodes") {
  const TemporaryFolder folder;
  folder.write("router_fp32.yaml", R"(kind: rules
name: router_fp32
options: {router_precision: {type: precision, default: fp32, doc: what routers compute in}}
mark:
  - {match: {op: linear, component: router}, node: {arithmetic: router_precision, operand_width: 4}}
)");
  const auto with = [&](const std::string& name, const std::string& rules, const Settings& settings) {
    const std::string text = "kind: execution\nmesh: {dp: 1}\nbatch_size: 1\nrules: [" + rules + "]\n";
    return prepare("mixtral-8x7b", folder.write(name, text).string(), "h100-80g-sxm", settings);
  };
  const auto bf16 = ruled("mixtral-8x7b", ""), own = with("own.yaml", "fp8_hidden, router_fp32.yaml", {}),
             tf32 = with("tf32.yaml", "router_fp32.yaml", {{"router_precision", "tf32"}});
  const double fp32_peak = 67e12, tf32_peak = 494.7e12, bf16_peak = 989.4e12;
  const double once = work_time(*bf16, "decoder.moe.router");
  CHECK(near(work_time(*own, "decoder.moe.router"), once * bf16_peak / fp32_peak, 1e-3));
  CHECK(near(work_time(*tf32, "decoder.moe.router"), once * bf16_peak / tf32_peak, 1e-3));
  CHECK(near(work_time(*own, "decoder.moe.gate"), work_time(*bf16, "decoder.moe.gate") / 2, 0.01));
  // The router's input, which is the experts' input of every token, is then kept in 4 bytes.
  CHECK(value(*tf32, "layer_activation_bytes") - value(*bf16, "layer_activation_bytes") == 2 * 4096.0 * value(*bf16, "tokens"));
}

TEST_CASE("precision: FSDP stores fp32 and gathers bf16") {
  const auto at = [](const std::string& more) {
    return prepare("llama-2-7b", execution("{dp: {fsdp: 8}}", "megatron, fsdp", "batch_size: 8\nmicrobatch_size: 1\n" + more));
  };
  const auto mixed = at("parameters: fp32\nweight_message_width: 2\n"), bf16 = at("parameters: bf16\n"), fp32 = at("parameters: fp32\n");
  const double n = value(*mixed, "parameters_total");
  CHECK(near(value(*mixed, "weight_bytes_per_rank"), 4 * n / 8, 1e-12));
  CHECK(near(value(*mixed, "optimizer_bytes_per_rank"), 8 * n / 8, 1e-12));
  CHECK(value(*mixed, "communication_bytes") == value(*bf16, "communication_bytes"));
  CHECK(value(*fp32, "communication_bytes") > value(*bf16, "communication_bytes"));
}

TEST_CASE("precision: the norm of the gradients reads them once more") {
  const auto at = [](const char* norm) { return value(*prepare("llama-2-7b", "single", "h100-80g-sxm", {{"gradient_norm", norm}}), "gradient_time"); };
  const auto run = prepare("llama-2-7b", "single", "h100-80g-sxm");
  CHECK(at("false") == 0);
  const double bandwidth = 3.35e12 * 0.9;  // The bandwidth of systems/h100-80g-sxm.yaml for large transfers.
  CHECK(near(at("true"), 4 * value(*run, "parameters_total") / bandwidth, 1e-12));
}

}  // namespace opledger
