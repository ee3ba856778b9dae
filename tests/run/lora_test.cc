#include "tests/support/probe.h"

/// Low-rank adapters: their sites, dropout, magnitudes (DoRA), and modules that are trained whole. Counts and bytes are
/// computed by hand.
namespace opledger::lora {
namespace {

// Llama 3 8B: query and output are 4096 x 4096, key and value 4096 x 1024; gate, up and down 4096 x 14336.
constexpr double kLayers = 32, kHidden = 4096, kKeys = 1024, kFfn = 14336, kVocab = 128256, kTokens = 8192, kRank = 16;
constexpr double kAll = 8030261248;

std::unique_ptr<Run> adapted(const std::string& model, const Settings& settings, const std::string& rules = "megatron, lora") {
  return prepare(model, execution("{dp: 1}", rules), "", settings);
}

Settings rank_16(Settings settings) {
  settings.insert(settings.begin(), {"lora_rank", "16"});
  return settings;
}

/// Returns the bytes that one layer of Llama 3 8B keeps for backward.
double kept(const Settings& settings) { return value(*adapted("llama-3-8b", rank_16(settings)), "layer_activation_bytes"); }

}  // namespace

TEST_CASE("lora: counts of parameters as frameworks print them") {
  struct Line {
    const char* model;
    Settings settings;
    double total, trained;
  };
  const Line lines[] = {
      {"llama-3-8b", {{"lora_rank", "32"}}, 8114147328, 83886080},
      {"llama-3-8b", {{"lora_rank", "16"}}, 8072204288, 41943040},
      {"llama-3-8b", {{"lora_rank", "16"}, {"lora_sites", "[query, key, value, output, gate, up, down]"}}, 8072204288, 41943040},
      {"qwen2.5-7b", {{"lora_rank", "8"}}, 7635801600, 20185088},
      {"llama-3.2-3b", {{"lora_rank", "8"}, {"lora_sites", "[query, value, output, gate, up, down]"}}, 3223989248, 11239424},
  };
  for (const Line& line : lines) {
    CAPTURE(line.model);
    const auto run = adapted(line.model, line.settings);
    CHECK(value(*run, "parameters_total") == line.total);
    CHECK(value(*run, "parameters_trained") == line.trained);
  }
}

TEST_CASE("lora: each site alone") {
  const std::pair<const char*, double> sites[] = {
      {"query", kLayers * (kHidden + kHidden)},  {"key", kLayers * (kHidden + kKeys)}, {"value", kLayers * (kHidden + kKeys)},
      {"output", kLayers * (kHidden + kHidden)}, {"gate", kLayers * (kHidden + kFfn)}, {"up", kLayers * (kHidden + kFfn)},
      {"down", kLayers * (kFfn + kHidden)},      {"head", kHidden + kVocab},           {"embedding", kVocab + kHidden},
  };
  for (const auto& [site, width] : sites) {
    CAPTURE(site);
    const auto run = adapted("llama-3-8b", rank_16({{"lora_sites", site}}));
    CHECK(value(*run, "parameters_trained") == kRank * width);
    CHECK(value(*run, "parameters_total") == kAll + kRank * width);
  }
  // An execution names the sites as `--set` does.
  const auto run =
      prepare("llama-3-8b", execution("{dp: 1}", "megatron, lora", "batch_size: 1\nmicrobatch_size: 1\nlora_rank: 16\nlora_sites: [query, head]\n"));
  CHECK(value(*run, "parameters_trained") == kRank * (kLayers * 2 * kHidden + kHidden + kVocab));
}

TEST_CASE("lora: products of one module share an adapter") {
  const auto trained = [](const char* model, Settings settings) { return value(*adapted(model, rank_16(std::move(settings))), "parameters_trained"); };
  const auto gate_up = [&](Settings settings) {
    settings.emplace_back("lora_sites", "[gate, up]");
    return trained("llama-3-8b", std::move(settings));
  };
  const double fused = kLayers * kRank * (kHidden + 2 * kFfn);
  CHECK(gate_up({}) == fused + kLayers * kRank * kHidden);
  CHECK(gate_up({{"lora_fused", "gate_up"}}) == fused);
  CHECK(gate_up({{"lora_fused", "[qkv, gate_up]"}, {"lora_dropout", "0.1"}}) == fused);
  CHECK(gate_up({{"lora_fused", "gate_up"}, {"dora", "true"}}) == fused + kLayers * 2 * kFfn);
  CHECK(trained("llama-3-8b", {{"lora_fused", "qkv"}, {"lora_sites", "[query, key, value]"}}) == kLayers * kRank * (kHidden + kHidden + 2 * kKeys));
  CHECK(trained("llama-3-8b", {{"lora_fused", "gate_up"}, {"lora_sites", "up"}}) == kLayers * kRank * (kHidden + kFfn));
  const Settings experts = {{"lora_experts", "true"}, {"lora_mlp", "false"}, {"lora_sites", "[gate, up]"}, {"lora_fused", "expert_gate_up"}};
  CHECK(trained("mixtral-8x7b", experts) == 8 * fused);
  // One dropout for both products: a mask and a copy of the input less.
  const Settings dropped = {{"lora_dropout", "0.1"}, {"lora_sites", "[gate, up]"}};
  Settings shared = dropped;
  shared.emplace_back("lora_fused", "gate_up");
  CHECK(kept(dropped) - kept(shared) == kTokens * (3 * kHidden + 2 * kRank));
}

TEST_CASE("lora: an unknown site is an error") {
  said() = {};
  RunRequest request;
  request.model = "llama-3-8b";
  request.execution = execution("{dp: 1}", "megatron, lora");
  request.overrides = rank_16({{"lora_sites", "[query, valu]"}});
  const auto run = Run::prepare(request, shipped(), said());
  CHECK(render(said()).find("lora_sites is [query valu]") != std::string::npos);
}

TEST_CASE("lora: defaults change nothing") {
  // A layer of Llama has 16 nodes. Each adapter adds two products, a scale and a sum.
  const std::vector<std::string> nodes = {"count sum(if segment.repeated then count(over node) else 0 over segment)",
                                          "count sum(count(over node) over segment)"};
  const std::string run = execution("{dp: 1}", "megatron");
  const std::vector<double> plain = probe("llama-3-8b", run, nodes);
  CHECK(plain[0] == 16);
  CHECK(probe("llama-3-8b", run, nodes, "", {{"lora_rank", "16"}}) == std::vector<double>{16 + 7 * 4, plain[1] + 7 * 4});
  const Settings defaults = {{"lora_sites", "all"}, {"lora_dropout", "0"}, {"dora", "false"}, {"lora_experts", "false"}, {"modules_to_save", "none"}};
  CHECK(probe("llama-3-8b", run, nodes, "", defaults) == plain);
  CHECK(kept(defaults) == kept({}));
}

TEST_CASE("lora: dropout keeps a mask and a copy of the input of each adapted product") {
  // Inputs of query, key, value, output, gate and up have `kHidden` elements a token, and that of down `kFfn`: a mask of
  // 1 byte and a copy of 2. Backward no longer reads the results of both norms and the undropped input of down.
  // Attention keeps its own result, the input of output.
  CHECK(kept({{"lora_dropout", "0.1"}}) - kept({}) == kTokens * (3 * (6 * kHidden + kFfn) - 2 * (2 * kHidden + kFfn)));
  // The input of output alone: three more bytes, for attention reads the undropped one too.
  CHECK(kept({{"lora_dropout", "0.1"}, {"lora_sites", "output"}}) - kept({{"lora_sites", "output"}}) == kTokens * 3 * kHidden);
  CHECK(value(*adapted("llama-3-8b", rank_16({{"lora_dropout", "0.1"}})), "parameters_trained") == 41943040);
}

TEST_CASE("lora: DoRA keeps two more results of each adapted product") {
  const double results = 2 * kHidden + 2 * kKeys + 2 * kFfn + kHidden;  // elements of all seven, a token
  const auto run = adapted("llama-3-8b", rank_16({{"dora", "true"}}));
  CHECK(value(*run, "parameters_trained") == 41943040 + kLayers * results);
  CHECK(value(*run, "parameters_total") == kAll + 41943040 + kLayers * results);
  // And a norm for each element of a result, in 2 bytes.
  CHECK(kept({{"dora", "true"}}) - kept({}) == 4 * kTokens * results + 2 * results);
  CHECK(value(*adapted("llama-3-8b", rank_16({{"dora", "true"}, {"lora_sites", "[head, embedding]"}})), "parameters_trained") ==
        2 * kRank * (kHidden + kVocab) + kVocab + kHidden);
}

TEST_CASE("lora: DoRA merges one weight at a time") {
  // With 16 tokens and 512 words the fullest moment of a pass has the merged weight of an MLP's product, 2 bytes an element.
  const Settings small = rank_16({{"dora", "true"}, {"seq", "16"}, {"vocab", "512"}});
  const std::vector<double> merged = probe("llama-3-8b", execution("{dp: 1}", "megatron, lora"),
                                           {"byte max(live_tensor.bytes over live_tensor where live_tensor.name == 'decoder.mlp.down_merged')",
                                            "byte max(max(fullest_moment - layer_kept over segment where segment.repeated) over phase)"},
                                           "", small);
  CHECK(merged[0] == 2 * kHidden * kFfn);
  CHECK(merged[1] >= merged[0]);
  CHECK(merged[1] < 1.1 * merged[0]);
}

TEST_CASE("lora: DoRA gathers no weight twice") {
  const auto gathered = [](const Settings& settings) {
    return probe("llama-3-8b", execution("{dp: {fsdp: 8}}", "megatron, fsdp, lora", "batch_size: 8\nmicrobatch_size: 1\n"),
                 {"byte sum(segment.layers * sum(message.bytes over message where message.weights) over segment)"}, "", rank_16(settings))[0];
  };
  const double magnitudes = kLayers * (3 * kHidden + 2 * kKeys + 2 * kFfn);
  CHECK(gathered({{"dora", "true"}}) - gathered({}) == doctest::Approx(3 * 2 * magnitudes));  // gathered twice, reduced once
}

TEST_CASE("lora: a module trained whole has a frozen copy") {
  const double head = kHidden * kVocab, adapters = 41943040;
  const auto run = adapted("llama-3-8b", rank_16({{"modules_to_save", "head"}}));
  CHECK(value(*run, "parameters_total") == kAll + adapters + head);
  CHECK(value(*run, "parameters_trained") == adapters + head);
  CHECK(value(*run, "weight_bytes_per_rank") == 2 * (kAll + adapters + head));
  CHECK(value(*run, "gradient_bytes_per_rank") == 4 * (adapters + head));
  const auto both = adapted("llama-3-8b", rank_16({{"modules_to_save", "[head, embedding]"}}));
  CHECK(value(*both, "parameters_total") == kAll + adapters + 2 * head);
  CHECK(value(*both, "parameters_trained") == adapters + 2 * head);
  CHECK(value(*both, "parameters_active") == kAll + adapters);
  // A tied head trains the table that it shares.
  const auto tied = adapted("llama-3.2-3b", {{"lora_rank", "8"}, {"modules_to_save", "head"}});
  CHECK(value(*tied, "parameters_trained") == 12156928 + 3072.0 * kVocab);
  CHECK(value(*tied, "parameters_total") == 3212749824 + 12156928 + 3072.0 * kVocab);
}

TEST_CASE("lora: experts have adapters of their own if `lora_experts` says so") {
  // Mixtral 8x7B: 8 experts in each of 32 layers, of the sizes of Llama's MLP.
  const auto trained = [](const Settings& settings) { return value(*adapted("mixtral-8x7b", rank_16(settings)), "parameters_trained"); };
  const double experts = 32 * 8 * 3 * kRank * (4096 + 14336.0);
  CHECK(trained({{"lora_experts", "true"}}) - trained({}) == experts);
  CHECK(trained({{"lora_experts", "true"}, {"lora_sites", "down"}}) == experts / 3);
  CHECK(trained({{"lora_experts", "true"}, {"send_gates", "true"}}) - trained({}) == experts);
}

}  // namespace opledger::lora
