#include "tests/support/runs.h"

/// Times of kernels, worked by hand on a machine with round constants (tests/data/operators/round_machine.yaml): 100 multiprocessors, 100 Tflop/s, 1000 GB/s.
namespace opledger::kernels {
namespace {

/// Returns the microseconds of the model's measured nodes in forward.
double microseconds(const std::string& model, const Settings& sizes, const std::string& execution = "alone") {
  Library library({source_folder() + "/tests/data/operators", source_folder()});
  RunRequest request;
  request.model = model;
  request.execution = execution;
  request.system = "round_machine";
  request.overrides = sizes;
  Diagnostics diagnostics;
  const auto run = Run::prepare(request, library, diagnostics);
  REQUIRE_MESSAGE(run, render(diagnostics));
  return 1e6 * value(*run, "forward_seconds");
}

constexpr double kDigits = 1e-6;  // Precision of the written figures.

}  // namespace

TEST_CASE("kernels: a product is a wave of tiles, or splits its depth") {
  // 10 x 10 tiles of 128 x 128: one wave. A step down the depth is 2 x 128 x 128 x 100 flop / 100 Tflop/s = 0.032768 us; 1024 of them and the wave, 34.554432 us. Memory:
  // 2 (1280 + 1280) 1024 + 2 x 1280 x 1280 = 8,519,680 bytes, 8.51968 us; together (34.554432^3 + 8.51968^3)^(1/3) = 34.726216 us. Tiles of 64 are four waves of
  // 8.388608 + 1 us, two parts of the depth two waves of 16.777216 + 1 us. And 5 us of launch.
  CHECK(near(microseconds("product", {{"rows", "1280"}, {"outer_size", "1280"}, {"inner_size", "1024"}}), 39.726216, kDigits));
  // 2 x 2 tiles of 64 x 64, in 16 parts of 256: one wave of 64, 256 x 0.008192 + 1 = 3.097152 us. Memory: 2 (128 + 128) 4096 + 2 x 128 x 128 bytes, 2.12992 us; together
  // 3.401945 us, 3 us for the sums, 5 us of launch. Unsplit it would be 4096 x 0.008192 + 1 = 34.6 us.
  CHECK(near(microseconds("product", {{"rows", "128"}, {"outer_size", "128"}, {"inner_size", "4096"}}), 11.401945, kDigits));
}

TEST_CASE("kernels: attention is tiles of scores, and the longest row of them") {
  // A score: 400 flop at 100 Tflop/s, and one of 0.25 x 10^12 in a second, 8 ps. Ten heads of ten rows of 5.5 tiles on average, 100 x 100 each: 5,500,000 scores, 44 us;
  // 100 rows of tiles on 100 multiprocessors, 1 us; half of the longest row, 10 tiles x 10,000 x 8 ps x 100 multiprocessors, 40 us, and its 1 us; launch 3 us.
  const Settings sizes = {{"rows", "1000"}, {"keys", "1000"}, {"query_heads", "10"}, {"key_heads", "10"}, {"head_size", "100"}};
  CHECK(near(microseconds("attention", sizes), 89, kDigits));
}

TEST_CASE("kernels: a pass over memory is its bytes and a launch") {
  CHECK(near(microseconds("pass", {{"rows", "1000"}, {"inner_size", "1000"}}), 3e6 / 500e3 + 2, kDigits));  // 3 bytes an element at 500 GB/s
}

TEST_CASE("kernels: one query for each sequence reads its keys") {
  // 200 heads of keys on 100 multiprocessors: a second part each, 12 us. 192 keys and values of 100 elements, 2 bytes, and query and result: 80,000 (192 + 1) bytes at
  // 965 GB/s, 16 us; bent with sharpness 2, 20 us. log2(1 + 192/64) = 2 doublings of 1 us; launch 10 us.
  Settings sizes = {{"batch_size", "50"}, {"microbatch_size", "50"}, {"keys", "192"}, {"query_heads", "4"}, {"key_heads", "4"}, {"head_size", "100"}};
  CHECK(near(microseconds("attention", sizes), 32, kDigits));
  // Two heads to a head of keys: other constants; 80,000 (192 + 2) bytes at 970 GB/s are 16 us again.
  sizes[3].second = "8";
  CHECK(near(microseconds("attention", sizes), 42, kDigits));
}

TEST_CASE("kernels: the experts of a layer in one kernel") {
  // Dispatch of 100 tokens to 2 of 4 experts: 50 rows each. Two products of the dispatched rows, 512 columns of 512:
  // 4 groups x 4 x 4 tiles of 16 x 128, one wave; 512 steps of 0.004096 us and 1 us, 3.097152 us. Memory 2 x 4 x 512 x
  // 512 + 2 x 200 (512 + 512) bytes, 2.506752 us; together 3.568996 us. Back, 512 columns of 256: 2.048576 us and 2 x
  // 4 x 512 x 256 + 2 x 200 (256 + 512) bytes, 1.355776 us; together 2.229980 us. Dispatch: 20 us, 100 x 5 ns, and 4
  // x 2 x 200 x 512 bytes, 0.8192 us.
  const Settings sizes = {{"rows", "100"}, {"hidden_size", "512"}, {"expert_size", "256"}, {"choices", "2"}, {"experts", "4"}};
  CHECK(near(microseconds("layer_of_experts", sizes, "experts_alone"), 3.568996 + 2.229980 + 21.3192, kDigits));
  // One token: two experts do nothing. Memory 2 x 2 x 512 x 512 + 2 x 2 x 1024 bytes, 1.052672 us, and 2 x 2 x 512 x 256 + 2 x 2 x 768 bytes, 0.52736 us; the
  // waves are as long.
  Settings few = sizes;
  few[0].second = "1";
  CHECK(near(microseconds("layer_of_experts", few, "experts_alone"), 3.137168 + 2.060160 + 20 + 0.005 + 0.008192, kDigits));
}

TEST_CASE("kernels: the sum of weight gradients is hidden in part") {
  // One processor, 8 microbatches; Llama 3 8B has 224 products with weights in its layers, and the head. With `sums` 2
  // and sharpness 1, each weight gradient takes its bytes twice longer than with sums of 1e-9, whatever the product.
  const auto seconds = [](const char* sums, const char* batch) {
    const auto run = prepare("llama-3-8b", "single", "h100-80g-sxm",
                             {{"batch_size", batch},
                              {"system.memory.capacity", "4 TiB"},
                              {"system.kernels.product.bf16.sums", sums},
                              {"system.kernels.product.bf16.sum_sharpness", "1"}});
    return value(*run, "backward_time");
  };
  const double products = 32 * (2 * 4096.0 * 4096 + 2 * 4096.0 * 1024 + 3 * 4096.0 * 14336) + 128256.0 * 4096;
  const double sums = 2 * 2 * 4 * products / (0.8263 * 3350e9);
  CHECK((seconds("2", "8") - seconds("1e-9", "8")) / 8 == doctest::Approx(sums).epsilon(1e-6));
  CHECK(seconds("2", "1") == doctest::Approx(seconds("1e-9", "1")));  // One microbatch adds nothing.
}

TEST_CASE("kernels: a limit of power slows products, and says if it has no effect") {
  const auto run = [](const char* system, const char* watts) { return prepare("llama-3-8b", "single", system, {{"system.power_limit", watts}}); };
  const auto seconds = [&](const char* watts) { return value(*run("h100-80g-sxm", watts), "iteration_time"); };
  CHECK(seconds("350") > seconds("500"));
  CHECK(seconds("500") > seconds("0"));
  CHECK(seconds("700") == seconds("0"));
  CHECK(seconds("800") == seconds("0"));
  CHECK(run("h100-80g-sxm", "350")->remarks(said()).empty());
  CHECK(run("mi355x-288g", "350")->remarks(said()).size() == 1);
}

TEST_CASE("kernels: a faster processor never makes a layer slower that the host bounds") {
  const auto seconds = [](const char* peak) {
    const Settings settings = {{"stack", "megatron-bridge"}, {"seq", "2048"}, {"batch_size", "256"}, {"system.processors.matrix.peak.bf16", peak}};
    return value(*prepare("mixtral-8x7b", "mixtral-8x7b-64xh100", "gb300-nvl72", settings), "iteration_time");
  };
  CHECK(seconds("9000 Tflop/s") <= seconds("2500 Tflop/s"));
  CHECK(seconds("2500 Tflop/s") <= seconds("1250 Tflop/s"));
}

TEST_CASE("kernels: an attention library without constants counts as the fused kernels, and a remark says so") {
  const auto run = [](const char* library) {
    return prepare("llama-3-8b", execution("{dp: 8}", "megatron, zero_1", kBatchOf16), "b200-180g-sxm", {{"attention_library", library}});
  };
  CHECK(value(*run("flash_1"), "iteration_time") == value(*run("fused"), "iteration_time"));
  CHECK(value(*run("flash_2"), "iteration_time") > value(*run("fused"), "iteration_time"));
  CHECK(run("flash_1")->remarks(said()).size() == 1);
  CHECK(run("flash_2")->remarks(said()).empty());
}

}  // namespace opledger::kernels
