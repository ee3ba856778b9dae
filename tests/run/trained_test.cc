#include <fmt/format.h>

#include "tests/support/probe.h"

/// Weights that rules do not train: computations, storage and transfers that are saved. Computed by hand for adapters
/// of rank 16 on all products of Llama 3 8B, and for weights frozen in other ways.
namespace opledger::trained {
namespace {

constexpr double kTokens = 8192, kHidden = 4096, kFfn = 14336, kLayers = 32;
// Weights of a layer: query and output, key and value; gate, up and down.
constexpr double kAttention = 2 * 4096.0 * 4096 + 2 * 4096.0 * 1024, kMlp = 3 * kHidden * kFfn, kNorms = 2 * kHidden;
constexpr double kHead = 4096 * 128256.0;
constexpr double kAttentionAdapters = 16 * (2 * (4096.0 + 4096) + 2 * (4096.0 + 1024)), kMlpAdapters = 16 * 3 * (kHidden + kFfn);
constexpr double kAdapters = kLayers * (kAttentionAdapters + kMlpAdapters);
constexpr double kAll = kLayers * (kAttention + kMlp + kNorms) + 2 * kHead + kHidden;

const char* const kLora = "lora_rank: 16\nbatch_size: 8\nmicrobatch_size: 1\n";
const char* const kPlain = "batch_size: 8\nmicrobatch_size: 1\n";

/// Writes an execution with additional rules after the listed ones.
std::string with_rules(const std::string& mesh, const std::string& rules, const std::string& own,
                       const std::string& rest = "batch_size: 1\nmicrobatch_size: 1\n") {
  static TemporaryFolder folder;
  static int number = 0;
  const std::string name = fmt::format("own{}", number++);
  folder.write(name + ".yaml", "kind: rules\nname: " + name + "\n" + own);
  return folder.write(name + "_run.yaml", fmt::format("kind: execution\nmesh: {}\nrules: [{}, {}.yaml]\n{}", mesh, rules, name, rest)).string();
}

std::string products(const std::string& phase, const std::string& where = "true") {
  return fmt::format("flop sum(segment.layers * sum(whole.{}.work over node where node.operator == 'linear' and ({})) over segment)", phase, where);
}

std::string per_layer(const std::string& what) { return "byte sum(if segment.repeated then " + what + " else 0 over segment)"; }

}  // namespace

TEST_CASE("trained: adapters are all that is trained") {
  const auto run = prepare("llama-3-8b", execution("{dp: 8}", "megatron, lora", kLora));
  CHECK(kAdapters == 41943040);
  CHECK(value(*run, "parameters_trained") == kAdapters);
  CHECK(value(*run, "parameters_total") == kAll + kAdapters);
  CHECK(value(*run, "weight_bytes_per_rank") == 2 * (kAll + kAdapters));
  CHECK(value(*run, "gradient_bytes_per_rank") == 4 * kAdapters);
  CHECK(value(*run, "optimizer_bytes_per_rank") == 12 * kAdapters);  // Master copy and two moments.
  const auto attention = prepare("llama-3-8b", execution("{dp: 8}", "megatron, lora", std::string(kLora) + "lora_mlp: false\n"));
  CHECK(value(*attention, "parameters_trained") == kLayers * kAttentionAdapters);
  CHECK(value(*prepare("llama-3-8b", execution("{dp: 8}", "megatron", kLora)), "parameters_trained") == kAll + kAdapters);
}

TEST_CASE("trained: no product makes the gradient of a frozen weight") {
  // Forward 2 and input gradients 2 operations for a token and a weight, gradients of weights 2 for the adapters alone. The table of the embedding is none of them.
  const double weights = kLayers * (kAttention + kMlp) + kHead, token = 2 * kTokens;  // one sequence on each of 8 ranks
  const std::vector<std::string> formulas = {products("forward"), products("agrad"), products("wgrad"),
                                             products("wgrad", "component.name != 'attention_adapter' and component.name != 'mlp_adapter'")};
  const std::vector<double> lora = probe("llama-3-8b", execution("{dp: 8}", "megatron, lora", kLora), formulas);
  CHECK(lora == std::vector<double>{8 * token * (weights + kAdapters), 8 * token * (weights + kAdapters), 8 * token * kAdapters, 0});
  const std::vector<double> full = probe("llama-3-8b", execution("{dp: 8}", "megatron", kPlain), formulas);
  CHECK(near((lora[0] + lora[1] + lora[2]) / (full[0] + full[1] + full[2]), 2.0 / 3, 0.01));
  CHECK(probe("llama-3-8b", execution("{dp: 8}", "megatron, lora", kLora),
              {"flop wgrad.(sum(work over node where component.name == 'norm' or component.name == 'embedding'))"}) == std::vector<double>{0});
}

TEST_CASE("trained: what only the gradient of a frozen weight reads is not kept") {
  const auto kept = [](const std::string& rules, const std::string& rest) {
    return value(*prepare("llama-3-8b", execution("{dp: 8}", rules, rest)), "layer_activation_bytes");
  };
  // Saved without adapters in the MLP: the norm before it, and the input of down. The norm before attention is the
  // adapters' input; each of the four keeps its narrow tensor.
  const double narrow = 4 * 2 * kTokens * 16;
  CHECK(kept("megatron", kPlain) - kept("megatron, lora", std::string(kLora) + "lora_mlp: false\n") == 2 * kTokens * kHidden + 2 * kTokens * kFfn - narrow);
  // With adapters in the MLP, only the narrow tensors are added.
  CHECK(kept("megatron, lora", kLora) - kept("megatron", kPlain) == 7 * 2 * kTokens * 16);
}

TEST_CASE("trained: frozen weights that are split are gathered, and never reduced") {
  const auto sent = [](const std::string& rules) {
    const auto bytes = [](const char* phase, const char* kind) {
      return per_layer(fmt::format("{}.{}.(sum(message.bytes over message where message.weights))", phase, kind));
    };
    return probe("llama-3-8b", execution("{dp: {fsdp: 8}}", "megatron, " + rules, kLora),
                 {bytes("forward", "all_gather"), bytes("agrad", "all_gather"), bytes("wgrad", "reduce_scatter"), bytes("optimizer", "all_reduce"),
                  bytes("optimizer", "all_gather")});
  };
  const double adapters = 2 * kAdapters / kLayers, layer = 2 * (kAttention + kMlp + kNorms) + adapters;
  CHECK(sent("fsdp, lora") == std::vector<double>{layer, layer, adapters, 0, 0});
  CHECK(sent("lora") == std::vector<double>{0, 0, 0, adapters, 0});
  CHECK(sent("lora, zero_1") == std::vector<double>{0, 0, 0, 0, adapters});
}

TEST_CASE("trained: nothing runs backward below the first weight that is trained") {
  const std::string first =
      "parts: [{name: frozen, layers: 8}]\nweights:\n  - {match: {component: embedding}, trained: false}\n  - {match: {segment: '*.frozen'}, trained: false}\n";
  const auto work = [](const std::string& phase) {
    return "flop sum(segment.layers * sum(" + phase + ".work over node) over segment where segment.name == 'decoder.frozen')";
  };
  const std::vector<double> done =
      probe("llama-3-8b", with_rules("{dp: 8}", "megatron, recompute_full", first, kPlain),
            {work("agrad"), work("wgrad"), work("recompute"), "byte sum(layer_activations over segment where segment.name == 'decoder.frozen')",
             "count parameters_trained", "count sum(if node.has_agrad then segment.layers else 0 over node where node.label == 'attention.core')"});
  CHECK(done == std::vector<double>{0, 0, 0, 0, (kLayers - 8) * (kAttention + kMlp + kNorms) + kHead + kHidden, kLayers - 8});
  // Frozen layers between trained layers still need gradients of their inputs.
  const std::string among = "parts: [{name: frozen, every: 4}]\nweights:\n  - {match: {segment: '*.frozen'}, trained: false}\n";
  const std::vector<double> all = probe("llama-3-8b", with_rules("{dp: 8}", "megatron", among, kPlain), {work("agrad"), work("forward"), work("wgrad")});
  CHECK(all[0] > all[1]);
  CHECK(all[2] == 0);
}

TEST_CASE("trained: the last rule that speaks of a weight counts, by its name too") {
  const auto trained = [](const std::string& weights) {
    return value(*prepare("gpt2", with_rules("{dp: 1}", "megatron", "weights:\n" + weights)), "parameters_trained");
  };
  const double all = value(*prepare("gpt2", execution("{dp: 1}", "megatron")), "parameters_total");
  const double table = 50257 * 768;
  CHECK(trained("  - {match: {op: embedding}, trained: false}\n") == all - table);  // Shared with the head.
  CHECK(trained("  - {match: {tensor: tokens.table}, trained: false}\n") == all - table);
  CHECK(trained("  - {trained: false}\n  - {match: {tensor: '*.beta'}, trained: true}\n") == 25 * 768);
  CHECK(trained("  - {match: {op: embedding}, trained: false}\n  - {trained: true}\n") == all);
}

TEST_CASE("trained: stages do not sum the gradient of a tied weight that is frozen") {
  const std::string frozen = "weights:\n  - {match: {op: embedding}, trained: false}\n", rest = "batch_size: 8\nmicrobatch_size: 1\n";
  const std::vector<std::string> formulas = {"count optimizer.step.all_reduce.(count(over message where message.axes == 'pp'))",
                                             "byte gradient_bytes_per_rank"};
  const std::vector<double> all = probe("gpt2", execution("{pp: 2, dp: 2}", "megatron", rest), formulas);
  const std::vector<double> some = probe("gpt2", with_rules("{pp: 2, dp: 2}", "megatron", frozen, rest), formulas);
  CHECK(all[0] == 1);
  CHECK(some[0] == 0);
  CHECK(all[1] - some[1] == 4.0 * 50257 * 768);
}

TEST_CASE("trained: optimizers do nothing for frozen weights") {
  for (const std::string optimizer : {"adamw", "adamw_8bit", "adafactor", "muon", "sgd"}) {
    CAPTURE(optimizer);
    const std::string run = execution("{dp: {fsdp: 8}}", "megatron, fsdp, lora", std::string(kLora) + "optimizer: " + optimizer + "\n");
    const std::vector<double> none = probe("llama-3-8b", run,
                                           {"byte sum(segment.layers * sum(optimizer_bytes over weight where not weight.trained) over segment)",
                                            "byte max(sum(stage_weight.layers * update_sent over stage_weight where not weight.trained) over stage)"});
    CHECK(none == std::vector<double>{0, 0});
  }
}

}  // namespace opledger::trained
