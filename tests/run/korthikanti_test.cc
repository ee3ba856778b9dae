#include "tests/support/runs.h"

/// Korthikanti et al. 2022 (arXiv 2205.05198): activation memory, and measured times.
namespace opledger {
namespace {

const std::string kNoRules = "megatron", kSelective = "megatron, recompute_selective", kFull = "megatron, recompute_full";

/// Returns the saved bytes of a layer for one microbatch of these shapes.
double layer(double s, double b, double h, double a, int t, const std::string& rules, bool sequence_parallel) {
  const std::string path = execution("{dp: 1, tp: " + std::to_string(t) + "}", rules, "batch_size: " + exact(b) + "\nmicrobatch_size: " + exact(b) + "\n");
  const Settings settings = {{"seq", exact(s)},   {"positions", exact(s)}, {"hidden", exact(h)},
                             {"heads", exact(a)}, {"layers", "2"},         {"sequence_parallel", sequence_parallel ? "true" : "false"}};
  return value(*prepare("gpt3-175b", path, "", settings), "layer_activation_bytes");
}

struct Setting {
  const char* model;
  const char* mesh;
  int batch, microbatch, chunks;
};
constexpr Setting kModels[] = {
    {"megatron-22b", "{pp: 1, dp: 1, tp: 8}", 4, 4, 1},
    {"gpt3-175b", "{pp: 8, dp: 1, tp: 8}", 64, 1, 3},
    {"megatron-530b", "{pp: 35, dp: 1, tp: 8}", 280, 1, 3},
    {"megatron-1t", "{pp: 64, dp: 1, tp: 8}", 512, 1, 1},
};

std::unique_ptr<Run> run(const Setting& s, const std::string& rules, bool sequence_parallel, const std::string& system = "") {
  const std::string rest = "batch_size: " + std::to_string(s.batch) + "\nmicrobatch_size: " + std::to_string(s.microbatch) +
                           "\nchunks: " + std::to_string(s.chunks) + "\nsequence_parallel: " + (sequence_parallel ? "true" : "false") + "\n";
  return prepare(s.model, execution(s.mesh, rules, rest), system);
}

double activations(const Setting& s, const std::string& rules, bool sequence_parallel) {
  return value(*run(s, rules, sequence_parallel), "layer_activation_bytes_in_flight");
}

constexpr double kGiB = 1073741824.0;

}  // namespace

TEST_CASE("korthikanti: activations of a layer, table 2") {
  struct Shape {
    double s, b, h, a;
    int t;
  };
  const Shape shapes[] = {{2048, 1, 12288, 96, 8}, {2048, 4, 6144, 64, 8}, {4096, 2, 1024, 16, 2}, {512, 3, 2048, 16, 4}, {1024, 1, 768, 12, 1}};
  for (const auto& [s, b, h, a, t] : shapes) {
    const double sbh = s * b * h, square = 5 * a * s / h;
    CHECK(near(layer(s, b, h, a, 1, kNoRules, false), sbh * (34 + square), 1e-12));                 // equation 1
    CHECK(near(layer(s, b, h, a, t, kNoRules, false), sbh * (10 + 24.0 / t + square / t), 1e-12));  // equation 2
    CHECK(near(layer(s, b, h, a, t, kNoRules, true), sbh / t * (34 + square), 1e-12));              // equation 4
    CHECK(near(layer(s, b, h, a, t, kSelective, false), sbh * (10 + 24.0 / t), 1e-12));
    CHECK(near(layer(s, b, h, a, t, kSelective, true), sbh / t * 34, 1e-12));  // equation 6
    CHECK(near(layer(s, b, h, a, t, kFull, false), 2 * sbh, 1e-12));
  }
}

TEST_CASE("korthikanti: figure 1, weights and optimizer, and activations of the baseline and of the present work") {
  const double states[] = {45.5625, 45.5625, 31.640625, 32.958984375};  // GiB
  const double activation[][2] = {{59.25, 9.5625}, {66.84375, 12.3515625}, {114.0234375, 23.076171875}, {131.25, 26.5625}};
  for (std::size_t i = 0; i < 4; ++i) {
    const Setting& s = kModels[i];
    CHECK_MESSAGE(near(value(*run(s, kNoRules, false), "matrix_state_bytes"), states[i] * kGiB, 1e-3), s.model);
    CHECK_MESSAGE(near(activations(s, kNoRules, false), activation[i][0] * kGiB, 1e-3), s.model);
    CHECK_MESSAGE(near(activations(s, kSelective, true), activation[i][1] * kGiB, 1e-3), s.model);
  }
}

TEST_CASE("korthikanti: figure 7, activations in percent of those with tensor parallelism alone") {
  const double percent[][4] = {{66.84, 49.42, 16.18, 7.64}, {62.04, 56.53, 18.49, 8.71}, {58.31, 62.04, 20.27, 9.42}, {58.31, 62.04, 20.27, 9.42}};
  for (std::size_t i = 0; i < 4; ++i) {
    const Setting& s = kModels[i];
    const double whole = activations(s, kNoRules, false) / 100;
    const double found[] = {activations(s, kNoRules, true) / whole, activations(s, kSelective, false) / whole, activations(s, kSelective, true) / whole,
                            activations(s, kFull, false) / whole};
    for (std::size_t mode = 0; mode < 4; ++mode) CHECK_MESSAGE(std::abs(found[mode] - percent[i][mode]) < 0.2, s.model, " ", mode);
  }
}

TEST_CASE("korthikanti: table 5, seconds of one step on A100 within 10 percent") {
  const double full[] = {1.42, 18.13, 49.05, 94.42}, present[] = {1.10, 13.75, 37.83, 71.49};
  for (std::size_t i = 0; i < 4; ++i) {
    const Setting& s = kModels[i];
    CHECK_MESSAGE(near(value(*run(s, kFull, false, "a100-80g-sxm"), "iteration_time"), full[i], 0.1), s.model);
    CHECK_MESSAGE(near(value(*run(s, kSelective, true, "a100-80g-sxm"), "iteration_time"), present[i], 0.1), s.model);
  }
}

}  // namespace opledger
