#include "tests/support/probe.h"

/// Recipes of products in 8 and 4 bits: bytes moved to convert operands, kernels and scales, and NVFP4. Sizes of
/// llama-2-7b, one sequence of 4096 tokens.
namespace opledger::recipes {
namespace {

constexpr double kTokens = 4096, kHidden = 4096, kFfn = 11008;

std::string run(const std::string& rules, const std::string& rest) {
  return execution("{dp: 1}", "megatron, " + rules, "batch_size: 1\nmicrobatch_size: 1\n" + rest);
}

std::string of_down(const std::string& phase, const std::string& what) {
  return fmt::format("byte sum(if segment.repeated then {}.(sum({} over node where node.label == 'mlp.down')) else 0 over segment)", phase, what);
}

/// Bytes per element of an input, a gradient and a weight; kernels; bytes of scales.
struct Facts {
  const char* recipe;
  double input, gradient, weight, kernels, scale;
};

constexpr Facts kFacts[] = {{"uncast", 0, 0, 0, 1, 0},
                            {"delayed", 2, 4, 0, 1, 0},                    // every second input: 2 read, 1 + 1 written
                            {"current", 4, 6, 0, 2, 0},                    // 2 more read for all inputs
                            {"tensorwise", 6, 6, 4, 1, 0},                 //
                            {"rowwise", 6, 6, 3, 2, 0},                    //
                            {"blockwise", 4.0625, 4.0625, 0, 1, 0.03125},  // 2 + 2 (1 + 4/128)
                            {"mxfp8", 4.0625, 4.0625, 0, 1, 0.03125},      // 2 + 2 (1 + 1/32)
                            {"nvfp4", 5.125, 5.125, 0, 2, 0.0625}};        // 2 + 2 + 2 (1/2 + 1/16)

}  // namespace

TEST_CASE("recipes: what making operands moves") {
  for (const Facts& facts : kFacts) {
    CAPTURE(facts.recipe);
    const std::string said = fmt::format("compute: fp8\nrecipe: {}\n", facts.recipe);
    const std::vector<double> found = probe("llama-2-7b", run("fp8_hidden", said),
                                            {of_down("forward", "cast_size"), of_down("agrad", "cast_size"), of_down("wgrad", "cast_size"),
                                             of_down("forward", "weight_cast_size"), "ratio recipe_kernels", "byte scale_width"},
                                            "b200-180g-sxm");
    const std::vector<double> expected = {
        facts.input * kTokens * kFfn, facts.gradient * kTokens * kHidden, 0, facts.weight * kFfn * kHidden, facts.kernels, facts.scale};
    CHECK(found == expected);
  }
}

TEST_CASE("recipes: scales are read with the operands, and a pass for the maximum is a kernel") {
  const auto facts_of = [](const std::string& recipe) {
    return probe("llama-2-7b", run("fp8_hidden", "compute: fp8\nrecipe: " + recipe + "\n"),
                 {of_down("forward", "product_bytes"),
                  "s sum(if segment.repeated then forward.(sum(cast_time over node where node.label == 'mlp.down')) else 0 over segment)"},
                 "h100-80g-sxm");
  };
  const double operands = kTokens * kFfn + kFfn * kHidden, result = 2 * kTokens * kHidden;
  const std::vector<double> delayed = facts_of("delayed"), current = facts_of("current"), blocks = facts_of("blockwise");
  CHECK(delayed[0] == operands + result);
  CHECK(blocks[0] == operands * (1 + 4.0 / 128) + result);
  // 2 bytes more an element, and a second launch
  const std::vector<double> pass = probe("llama-2-7b", run("fp8_hidden", "compute: fp8\n"),
                                         {"s system.kernels.pass.launch", "byte/s system.kernels.pass.bandwidth * system.memory.bandwidth"}, "h100-80g-sxm");
  CHECK(near(current[1] - delayed[1], pass[0] + 2 * kTokens * kFfn / pass[1], 1e-9));
}

TEST_CASE("recipes: stacks have theirs, and runs may say otherwise") {
  const auto cast = [](const std::string& rest) {
    return probe("llama-2-7b", run("fp8_hidden", "compute: fp8\n" + rest), {"byte cast_bytes", "byte gradient_cast_bytes", "byte weight_cast_bytes"});
  };
  using Bytes = std::vector<double>;
  CHECK(cast("stack: nemo\n") == Bytes{2, 4, 0});
  CHECK(cast("stack: megatron-bridge\n") == Bytes{4, 6, 0});
  CHECK(cast("stack: torchtitan\n") == Bytes{6, 6, 4});
  CHECK(cast("stack: llm-foundry\n") == Bytes{4, 4, 0});
  CHECK(cast("stack: nemo\nrecipe: mxfp8\n") == Bytes{4.0625, 4.0625, 0});
  CHECK(cast("stack: nemo\ncast_bytes: 3\n") == Bytes{3, 4, 0});
}

TEST_CASE("recipes: one of one's own is a document") {
  TemporaryFolder folder;
  folder.write("mine.yaml",
               "kind: ops\nname: mine\nuses: [recipes]\nops:\n  mine:\n    doc: Mine.\n    extends: blockwise\n    recipe_gradient_cast: inherited + 1 byte\n");
  const std::string own =
      folder.write("run.yaml", "kind: execution\nuses: [mine.yaml]\nmesh: {dp: 1}\nrules: [megatron, fp8_hidden]\nbatch_size: 1\ncompute: fp8\nrecipe: mine\n")
          .string();
  CHECK(probe("llama-2-7b", own, {"byte cast_bytes", "byte gradient_cast_bytes"}) == std::vector<double>{4.0625, 5.0625});
}

TEST_CASE("recipes: four bits") {
  const std::string said = "compute: nvfp4\nrecipe: nvfp4\n";
  const auto facts_of = [&](const std::string& rest) {
    return probe("llama-2-7b", run("nvfp4_between", said + rest),
                 {"flop sum(segment.layers * sum(forward.work over node where arithmetic == nvfp4) over segment)",
                  "flop sum(segment.layers * sum(agrad.work over node where agrad.computes_in == nvfp4) over segment)",
                  "byte sum(if segment.name == 'decoder.rest' then forward.(sum(product_bytes over node where node.label == 'mlp.down')) else 0 over segment)",
                  "byte sum(if segment.name == 'decoder.rest' then sum(stored_bytes over weight where node.label == 'mlp.down') else 0 over segment)",
                  "byte sum(if segment.name == 'decoder.rest' then sum(saved.bytes over saved where node.label == 'mlp.product') else 0 over segment)"},
                 "b200-180g-sxm");
  };
  const double weight = kFfn * kHidden, layer = 3 * weight + 4 * kHidden * kHidden, operands = kTokens * kFfn + weight;
  // 27 of 32 layers; operands of 1/2 byte and 1/16 of a scale; a weight of 2 bytes and two copies; the operand kept
  // by down
  const std::vector<double> expected = {27 * 2 * kTokens * layer, 27 * 2 * kTokens * layer, 0.5625 * operands + 2 * kTokens * kHidden,
                                        (2 + 2 * 0.5625) * weight, 0.5625 * kTokens * kFfn};
  CHECK(facts_of("") == expected);
  const std::vector<double> wide = facts_of("wide_backward: true\n");
  CHECK(wide == std::vector<double>{expected[0], 0, expected[2], expected[3], 2 * kTokens * kFfn});
  CHECK(facts_of("layers_at_start: 0\nlayers_at_end: 32\n")[0] == 0);
}

TEST_CASE("recipes: utilisation in four bits is of their peak") {
  const auto b200 = prepare("llama-3-8b", "llama-3-8b-nvfp4-8xb200", "b200-180g-sxm"), b300 = prepare("llama-3-8b", "llama-3-8b-nvfp4-8xb200", "b300-270g-sxm");
  CHECK(near(value(*b200, "mfu") * 9000e12, value(*b200, "model_flops_per_second_per_rank"), 1e-9));
  CHECK(near(value(*b300, "mfu") * 14000e12, value(*b300, "model_flops_per_second_per_rank"), 1e-9));
}

}  // namespace opledger::recipes
