#include "accounting/graph_engine.h"
#include "tests/support/runs.h"

/// Effects of capacity, imbalance and product sizes of experts.
namespace opledger {
namespace {

const std::string kMesh = "{dp: {ep: 8}}", kBatchOf64 = "batch_size: 64\nmicrobatch_size: 1\n";

std::unique_ptr<Run> mixtral(const Settings& settings, const std::string& rules = "megatron", const std::string& rest = kBatchOf64) {
  return prepare("mixtral-8x7b", execution(kMesh, rules, rest), "h100-80g-sxm", settings);
}

/// Returns a quantity of the decoder's node in forward.
double forward(Run& run, const std::string& node, const std::string& quantity) {
  Evaluator& e = run.evaluator();
  const Elements& nodes = e.elements(kNodeSet);
  const auto at = std::find(nodes.names.begin(), nodes.names.end(), "decoder." + node);
  REQUIRE_MESSAGE(at != nodes.names.end(), node);
  const Point phase = e.choose(nowhere(), kPhaseSet, static_cast<WordId>(Phase::forward));
  const Name* name = run.program().find(quantity);
  REQUIRE_MESSAGE(name != nullptr, quantity);
  return e.ask(*name, e.choose(phase, kNodeSet, static_cast<WordId>(at - nodes.names.begin()))).value.scalar.value;
}

/// Operations of the three products of the experts in all 32 layers of a step, forward and backward: 64 sequences of
/// 4096 tokens, two experts per token.
constexpr double kProducts = 3.0 * 3 * 2 * 64 * 4096 * 2 * 4096 * 14336 * 32;

}  // namespace

TEST_CASE("experts: capacity above one pads, which the model's own operations do not know of, and below one drops tokens") {
  const auto even = mixtral({}), padded = mixtral({{"capacity", "1.25"}}), dropping = mixtral({{"capacity", "0.75"}});
  CHECK(value(*padded, "model_flops") == value(*even, "model_flops"));
  CHECK(near(value(*even, "model_matrix_flops") - value(*dropping, "model_matrix_flops"), 0.25 * kProducts, 1e-12));
  const double base = value(*even, "hardware_matrix_flops");
  CHECK(near(value(*padded, "hardware_matrix_flops") - base, 0.25 * kProducts, 1e-12));
  CHECK(near(base - value(*dropping, "hardware_matrix_flops"), 0.25 * kProducts, 1e-12));
  CHECK(value(*padded, "memory") > value(*even, "memory"));
  CHECK(value(*padded, "iteration_time") > value(*even, "iteration_time"));
}

TEST_CASE("experts: the busiest rank decides time, memory and messages, and all ranks together do no more than without imbalance") {
  const auto even = mixtral({}), uneven = mixtral({{"imbalance", "1.5"}});
  for (const char* metric : {"model_flops", "hardware_flops", "hardware_matrix_flops", "parameters_total"})
    CHECK_MESSAGE(near(value(*uneven, metric), value(*even, metric), 1e-12), metric);
  for (const char* metric : {"memory", "activation_bytes_per_rank", "iteration_time", "communication_bytes"})
    CHECK_MESSAGE(value(*uneven, metric) > value(*even, metric), metric);
  for (const char* node : {"moe.gate", "moe.down"}) CHECK(forward(*uneven, node, "work") == 1.5 * forward(*even, node, "work"));
  CHECK(forward(*uneven, "moe.router", "work") == forward(*even, "moe.router", "work"));
  CHECK(forward(*uneven, "attention.query", "work") == forward(*even, "attention.query", "work"));
}

TEST_CASE("experts: slots round up") {
  const auto run = mixtral({{"imbalance", "1.0001"}, {"seq", "1024"}});
  // 8 sequences of 1024 tokens take 2048 slots of each of 8 experts; 2048.2048 are 2049
  CHECK(forward(*run, "moe.gate", "work") == 2.0 * 2049 * 4096 * 14336);
}

TEST_CASE("experts: a grouped product is as efficient as one expert's") {
  // All eight experts on one rank: 16 Gflop of each expert reach 0.9 of the peak, the 128 Gflop of all would reach 0.95 (systems/h100-80g-sxm.yaml).
  const auto run = prepare("mixtral-8x7b", execution("{dp: 1}", "megatron", kBatchOf64), "h100-80g-sxm", {{"seq", "1024"}});
  const double work = forward(*run, "moe.gate", "work");
  CHECK(work == 2.0 * 1024 * 2 * 4096 * 14336);
  CHECK(work > 128e9);
  CHECK(near(forward(*run, "moe.gate", "work_time"), work / (989.4e12 * 0.9), 1e-12));
  CHECK(near(forward(*run, "attention.query", "work_time"), 2.0 * 1024 * 4096 * 4096 / (989.4e12 * 0.9), 1e-12));  // A single product.
}

TEST_CASE("experts: gates that travel with tokens cost 4 bytes a slot, and one more product on them") {
  const auto plain = mixtral({}), sent = mixtral({{"send_gates", "true"}});
  const auto exchanged = [](Run& run) {
    double bytes = 0;
    const Elements& all = run.evaluator().elements(kTransferSet);
    for (std::size_t i = 0; i < all.names.size(); ++i) {
      const Transfer& t = run.annotations().transfers[i];
      if (t.phase == Phase::forward && t.kind == Collective::all_to_all) bytes += all.fields.at("bytes")[i].scalar.value;
    }
    return bytes;
  };
  const double slots = 4096 * 2;  // Slots for the sequence of one rank.
  CHECK(exchanged(*plain) == 2 * slots * 4096 * 2);
  CHECK(exchanged(*sent) == exchanged(*plain) + slots * 4);
  CHECK(value(*plain, "parameters_total") == value(*sent, "parameters_total"));
  CHECK(value(*plain, "hardware_matrix_flops") == value(*sent, "hardware_matrix_flops"));
}

TEST_CASE("experts: ranks that hold the same experts reduce their gradients") {
  const auto run = prepare("mixtral-8x7b", execution("{dp: {edp: 4, ep: 2}}", "megatron, zero_1", kBatchOf64));
  const auto& weights = run->graph().weights;
  for (const WeightId w : weights.ids()) {
    const bool expert = weights[w].name.find("moe.gate") != std::string::npos;
    if (!expert && weights[w].name.find("router") == std::string::npos) continue;
    const AxisList* spread = run->annotations().weights[w].optimizer.axes(kElements);
    REQUIRE(spread != nullptr);
    CHECK(run->annotations().mesh.describe(*spread) == (expert ? "edp" : "dp"));
  }
}

}  // namespace opledger
