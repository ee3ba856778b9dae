#include "tests/support/runs.h"

namespace opledger {

TEST_CASE("flops: Narayanan et al. 2021, equation 3") {
  struct Line {
    const char* model;
    double layers, hidden, batch;
  };
  const double s = 2048, v = 51200;
  for (const auto& [model, l, h, b] :
       {Line{"gpt3-175b", 96, 12288, 16}, Line{"megatron-22b", 48, 6144, 4}, Line{"megatron-530b", 105, 20480, 8}, Line{"megatron-1t", 128, 25600, 2}}) {
    const std::string rest = "batch_size: " + exact(b) + "\nmicrobatch_size: 1\n";
    const auto whole = prepare(model, execution("{dp: 1, tp: 8}", "megatron", rest)),
               again = prepare(model, execution("{dp: 1, tp: 8}", "megatron, recompute_full", rest));
    const double without = 72 * b * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h)), with = 96 * b * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h));
    CHECK_MESSAGE(near(value(*whole, "model_matrix_flops"), without, 1e-3), model);
    CHECK_MESSAGE(near(value(*whole, "hardware_matrix_flops"), without, 1e-3), model);
    CHECK_MESSAGE(near(value(*again, "model_matrix_flops"), without, 1e-3), model);
    CHECK_MESSAGE(near(value(*again, "hardware_matrix_flops"), with, 1e-3), model);
  }
}

TEST_CASE("flops: 6 N T and 12 L s h T for attention") {
  struct Line {
    const char* model;
    double layers, hidden;
  };
  for (const auto& [model, l, h] : {Line{"llama-3-8b", 32, 4096}, Line{"llama-3-70b", 80, 8192}, Line{"llama-2-7b", 32, 4096}}) {
    const auto run = prepare(model);
    const double t = value(*run, "tokens"), s = value(*run, "seq"), n = value(*run, "parameters_active_without_input_embedding");
    CHECK_MESSAGE(near(value(*run, "model_flops_full_attention"), 6 * n * t + 12 * l * s * h * t, 0.01), model);
    CHECK_MESSAGE(near(value(*run, "model_flops"), 6 * n * t + 12 * l * (s + 1) / 2 * h * t, 0.01), model);
    CHECK_MESSAGE(near(value(*run, "flops_per_token") * t, value(*run, "model_flops"), 1e-12), model);
  }
}

/// Checks 6 N T plus attention. N excludes the input embedding unless the head shares it; attention counts three times
/// the two products of every visible pair of query and key.
TEST_CASE("flops: 6 N T and attention, of every kind of layer") {
  struct Line {
    const char* model;
    double tied;   // Elements shared by embedding and head.
    double pairs;  // Visible keys of a token x heads x (key + value elements), over all layers.
  };
  const double s = 4096;
  const Line lines[] = {
      {"falcon-7b", 65024.0 * 4544, 32 * 2048.0 * 71 * 2 * 64},
      {"gpt-neox-20b", 0, 44 * 2048.0 * 6144 * 2},
      {"phi-2", 0, 32 * 2048.0 * 2560 * 2},
      {"gemma-7b", 256000.0 * 3072, 28 * 8192.0 * 16 * 2 * 256},
      {"gemma-2-9b", 256000.0 * 3584, 21 * (s + 8192) * 16 * 2 * 256},
      {"gpt-oss-20b", 0, 12 * (s + 128) * 64 * 2 * 64},
      {"qwen3-8b", 0, 36 * s * 32 * 2 * 128},
      {"qwen2.5-7b", 0, 28 * s * 3584 * 2},
      {"olmo-2-7b", 0, 32 * s * 4096 * 2},
      {"llama-3.1-405b", 0, 126 * 8192.0 * 16384 * 2},
      {"mistral-7b", 0, 32 * 4096.0 * 4096 * 2},
      {"mixtral-8x7b", 0, 32 * s * 4096 * 2},
      {"deepseek-v2-lite", 0, 27 * s * 16 * (192 + 128)},
      {"deepseek-v3", 0, 61 * s * 128 * (192 + 128)},
      {"kimi-k2", 0, 61 * s * 64 * (192 + 128)},
      // The shared head is used one more time than its parameters are counted.
      {"deepseek-v3-mtp", 129280.0 * 7168, 62 * s * 128 * (192 + 128)},
  };
  // The remainder are norms, activations and the softmax of the head. For the experts of Kimi, 85 slots replace 85
  // 1/3 tokens.
  for (const Line& line : lines) {
    const auto run = prepare(line.model, "single", "", {{"attention_flops", "full"}});
    const double n = value(*run, "parameters_active_without_input_embedding") + line.tied;
    CHECK_MESSAGE(near(value(*run, "flops_per_token"), 6 * n + 6 * line.pairs, line.model == std::string("kimi-k2") ? 3e-3 : 6e-4), line.model, " ",
                  value(*run, "flops_per_token"), " ", 6 * n + 6 * line.pairs);
  }
}

TEST_CASE("flops: of a causal query only the keys before it") {
  const auto full = prepare("llama-3-8b", "single", "", {{"attention_flops", "full"}}),
             causal = prepare("llama-3-8b", "single", "", {{"attention_flops", "causal"}});
  const double s = 8192, attention = 12 * 32 * s * 4096 * s;
  CHECK(near(value(*full, "model_matrix_flops") - value(*causal, "model_matrix_flops"), attention * (1 - (s + 1) / (2 * s)), 0.01));
}

// The pairs that kernels of causal attention compute count, so FLOPs and seconds are of the same attention. A window leaves w (w + 1) / 2 pairs to the first w queries.
TEST_CASE("flops: attention counts as its kernels compute, defect newcomer D2") {
  const auto pairs = [](const std::string& model, const Settings& settings) {
    const auto run = prepare(model, "single", "", settings);
    return value(*run, "model_flops_full_attention") - value(*run, "model_flops");
  };
  const double s = 8192, unit = 12.0 * 128 * 32 * 32;  // forward and backward of one pair of query and key: 12 d of each head and layer
  CHECK(near(pairs("llama-3-8b", {}), unit * s * (s - 1) / 2, 1e-12));
  CHECK(near(pairs("mistral-7b", {{"seq", "8192"}}), unit * (s * 4096 - (4096.0 * 4097 / 2 + (s - 4096) * 4096)), 1e-12));
  for (const char* counted : {"attention_flops", "masked_tiles"})
    CHECK_MESSAGE(pairs("llama-3-8b", {{counted, counted == std::string("masked_tiles") ? "computed" : "full"}}) == 0, counted);
  CHECK(pairs("gpt2", {}) == 0);       // unfused products compute all pairs
  CHECK(pairs("bert-base", {}) == 0);  // every query reads every key
  const auto seconds = [](const char* counted) {
    return value(*prepare("llama-3-8b", "single", "h100-80g-sxm", {{"attention_flops", counted}}), "iteration_time");
  };
  CHECK(seconds("kernel") == seconds("full"));
  CHECK(seconds("kernel") == seconds("causal"));
}

// A packed sequence has pairs inside its documents only: squares of the lengths, or those under the causal mask.
TEST_CASE("flops: attention of packed documents, defect field 08") {
  const std::vector<double> lengths = {4096, 2048, 1024, 1024};
  const std::string listed = "[4096, 2048, 1024, 1024]";
  double squares = 0, causal = 0, windows = 0;
  for (const double s : lengths) {
    const double w = std::min(s, 1024.0);
    squares += s * s, causal += s * (s + 1) / 2, windows += w * (w + 1) / 2 + (s - w) * w;
  }
  const double s = 8192, unit = 12.0 * 128 * 32 * 32;  // forward and backward of one pair of query and key: 12 d of each head and layer
  const auto flops = [](const char* model, Settings settings, const char* counted) {
    settings.emplace_back("attention_flops", counted);
    return value(*prepare(model, "single", "", settings), "model_flops");
  };
  const auto change = [&](const char* model, const Settings& settings, const char* counted) {
    return flops(model, {{"seq", "8192"}}, counted) - flops(model, settings, counted);
  };
  CHECK(near(change("llama-3-8b", {{"documents", listed}}, "full"), unit * (s * s - squares), 1e-9));
  CHECK(near(change("llama-3-8b", {{"documents", listed}}, "kernel"), unit * (s * (s + 1) / 2 - causal), 1e-9));
  CHECK(near(change("llama-3-8b", {{"mean_document", "2048"}}, "causal"), unit * (s * (s + 1) / 2 - 4 * 2048.0 * 2049 / 2), 1e-9));
  CHECK(near(change("mistral-7b", {{"seq", "8192"}, {"attention_window", "1024"}, {"documents", listed}}, "causal"),
             unit * (4096.0 * 4097 / 2 + (s - 4096) * 4096 - windows), 1e-9));
  CHECK(change("llama-3-8b", {{"mean_document", "8192"}}, "full") == 0);
  CHECK(change("llama-3-8b", {{"documents", "[8192]"}}, "causal") == 0);
  const auto full = prepare("llama-3-8b", "single", "", {{"documents", listed}});
  CHECK(near(value(*full, "model_flops_full_attention"), flops("llama-3-8b", {{"documents", listed}}, "full"), 1e-12));
}

// Contiguous parts of a packed sequence wait for the part with the most pairs. Of documents of 4, 2, 1 and 1 kilotokens over four ranks, the
// second rank has the later half of the first document.
TEST_CASE("flops: the slowest part of a packed sequence, defect field 08") {
  const auto seconds = [](const std::string& rules, const std::string& documents) {
    const std::string rest = "batch_size: 1\nmicrobatch_size: 1\nattention_flops: causal\nseq: 8192\n" + documents;
    return value(*prepare("llama-3-8b", execution("{dp: 1, cp: 4, tp: 1}", rules, rest), "a100-80g-sxm"), "iteration_time");
  };
  const auto attention = [&](const std::string& documents) { return seconds("megatron, cp_contiguous", documents) - seconds("megatron", documents); };
  CHECK(attention("mean_document: 2048\n") == 0);
  CHECK(attention("documents: [2048, 2048, 2048, 2048]\n") == 0);
  CHECK(attention("documents: [1024, 1024, 2048, 4096]\n") == doctest::Approx(attention("documents: [4096, 2048, 1024, 1024]\n")));
  CHECK(attention("documents: [4096, 2048, 1024, 1024]\n") > 0);
}

// A kernel that nobody measured takes the seconds of the pairs that FLOPs count: on MI300X, 0.75 of 1307.4 Tflop/s for the 14 d operations of each hidden pair.
TEST_CASE("flops: seconds and FLOPs count the same attention on every machine, defect newcomer D2") {
  std::size_t machines = 0;
  for (const std::string& system : shipped().names("system")) {
    if (system.find('/') != std::string::npos) continue;  // inputs of another accounting
    const auto seconds = [&](const char* counted, const char* tiles) {
      return value(*prepare("llama-3-8b", "single", system, in_precision_of(system, {{"attention_flops", counted}, {"masked_tiles", tiles}})),
                   "iteration_time");
    };
    const double skipped = seconds("kernel", "skipped"), computed = seconds("kernel", "computed"), s = 8192;
    CHECK_MESSAGE(skipped == seconds("causal", "skipped"), system);
    CHECK_MESSAGE(computed == seconds("full", "computed"), system);
    CHECK_MESSAGE(skipped < computed, system);
    if (system == "mi355x-288g") CHECK(near(computed - skipped, 14.0 * 128 * 32 * 32 * s * (s - 1) / 2 / (0.75 * 2516.6e12), 1e-9));
    ++machines;
  }
  MESSAGE(machines, " machines");
  CHECK(machines >= 16);
}

TEST_CASE("flops: long sequences stay below the peak of the machine, defect newcomer D2") {
  for (const char* system : {"h100-80g-sxm", "b200-180g-sxm", "h20-96g-sxm", "mi300x-192g"}) {
    for (const char* model : {"llama-3-8b", "deepseek-v2-lite", "mamba2-2.7b"}) {
      const auto run = prepare(model, "single", system, {{"seq", "131072"}});
      CHECK_MESSAGE(value(*run, "hfu") < 1, model, " ", system);
      CHECK_MESSAGE(value(*run, "mfu") <= value(*run, "hfu"), model, " ", system);
      CHECK_MESSAGE(value(*run, "mfu") <= value(*run, "mfu_full_attention"), model, " ", system);
    }
  }
}

TEST_CASE("flops: the model's do not depend on how it is split") {
  const std::string rest = "batch_size: 16\nmicrobatch_size: 1\n";
  const double alone = value(*prepare("megatron-22b", execution("{dp: 1}", "megatron", rest)), "model_flops");
  for (const char* mesh : {"{dp: 4}", "{tp: 8, dp: 1}", "{pp: 4, dp: 2, tp: 2}", "{cp: 2, dp: 1, tp: 2}", "{pp: 3, dp: 1}"}) {
    for (const char* rules : {"megatron", "megatron, zero_3", "megatron, recompute_selective"}) {
      CHECK_MESSAGE(near(value(*prepare("megatron-22b", execution(mesh, rules, rest)), "model_flops"), alone, 1e-12), mesh, " ", rules);
    }
  }
}

}  // namespace opledger
