#include <fmt/format.h>

#include "tests/support/probe.h"

/// Nodes that rules fuse into one kernel: bytes at its border, saved tensors, and products with a common input.
namespace opledger {
namespace {

constexpr double kFusedTokens = 4096, kFusedWidth = 11008, kFusedHidden = 4096;  // Sizes of llama-2-7b, one sequence.

/// Returns metrics of nodes by name, summed over a layer.
std::vector<double> of_nodes(const std::string& rules, const std::vector<std::string>& formulas, const std::string& system = "") {
  std::vector<std::string> summed;
  for (const std::string& formula : formulas) {
    const std::size_t blank = formula.find(' ');
    summed.push_back(fmt::format("{} sum(if segment.repeated then {} else 0 over segment)", formula.substr(0, blank), formula.substr(blank + 1)));
  }
  return probe("llama-2-7b", execution("{dp: 1}", rules), summed, system);
}

std::string bytes_of(const std::string& phase, const std::string& nodes) { return "byte " + phase + ".(sum(moved_bytes over node where " + nodes + "))"; }

const std::string kGate = "node.label == 'mlp.silu' or node.label == 'mlp.product'";

}  // namespace

TEST_CASE("fused: a gate moves the bytes of its border") {
  // Separate kernels: silu reads the gate and writes its result; the product reads this result and up, and writes: 5
  // tensors of tokens x width in 2 bytes. One kernel: gate, up, result. Backward with separate kernels: silu reads dy
  // and gate, writes dgate (3); the product reads dy, both operands, and writes two gradients (5). One kernel: dy,
  // gate, up, two gradients.
  const std::vector<std::string> formulas = {bytes_of("forward", kGate), bytes_of("agrad", kGate)};
  const double tensor = 2 * kFusedTokens * kFusedWidth;
  CHECK(of_nodes("megatron", formulas) == std::vector<double>{5 * tensor, 8 * tensor});
  CHECK(of_nodes("megatron, fuse_elements", formulas) == std::vector<double>{3 * tensor, 5 * tensor});
}

TEST_CASE("fused: what stays inside a kernel is not kept") {
  const auto kept = [](const std::string& rules) { return value(*prepare("llama-2-7b", execution("{dp: 1}", rules)), "layer_activation_bytes"); };
  CHECK(kept("megatron") - kept("megatron, fuse_elements") == 2 * kFusedTokens * kFusedWidth);  // The result of silu is recomputed from the gate.
}

TEST_CASE("fused: kernels, and what each node belongs to") {
  const auto counts = of_nodes("megatron, fuse_elements, fuse_products",
                               {"1 count(over kernel)", "1 count(over node)", "1 count(over node where node.leads)",
                                "1 sum(count(over node per kernel where node.operator == 'linear') over node where node.label == 'attention.key')"});
  CHECK(counts[1] - counts[0] == 4);  // silu and product; query, key and value; gate and up
  CHECK(counts[2] == counts[0]);
  CHECK(counts[3] == 3);
}

TEST_CASE("fused: products of one input are one product, whose time its nodes share by their work") {
  const std::string key = "node.label == 'attention.key'",
                    all = "node.label == 'attention.key' or node.label == 'attention.query' or node.label == 'attention.value'";
  const std::vector<std::string> formulas = {"s forward.(sum(time over node where " + key + "))", "s forward.(sum(time over node where " + all + "))",
                                             "1 forward.(max(joint_columns over node where " + key + "))",
                                             "1 agrad.(max(joint_depth over node where " + key + "))"};
  const auto separate = of_nodes("megatron", formulas, "h100-80g-sxm"), together = of_nodes("megatron, fuse_products", formulas, "h100-80g-sxm");
  CHECK(near(together[0], together[1] / 3, 1e-12));  // Equal sizes: every head has its own key and value.
  CHECK(near(together[1], separate[1], 0.02));
  CHECK(separate[2] == kFusedHidden);
  CHECK(together[2] == 3 * kFusedHidden);
  CHECK(together[3] == 3 * kFusedHidden);
}

TEST_CASE("fused: a message between two nodes prevents fusion") {
  const auto kernels = [](const std::string& mesh, const std::string& rest) {
    const auto run = prepare("gpt2", execution(mesh, "megatron, fuse_elements", "batch_size: 2\nmicrobatch_size: 1\n" + rest));
    return value(*run, "layer_activation_bytes");
  };
  CHECK(kernels("{tp: 2}", "") > 0);  // The result of a product is a partial sum, so dropout and residual remain one kernel after the reduction.
}

}  // namespace opledger
