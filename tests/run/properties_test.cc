#include <algorithm>
#include <random>

#include "accounting/graph_engine.h"
#include "accounting/sizes.h"
#include "tests/support/runs.h"

namespace opledger {
namespace {

constexpr const char* kMemory[] = {"memory", "weight_bytes_per_rank", "gradient_bytes_per_rank", "optimizer_bytes_per_rank", "activation_bytes_per_rank"};
const std::string kSequenceParallel = "batch_size: 32\nmicrobatch_size: 1\nsequence_parallel: true\n";

double memory(const std::string& model, const std::string& mesh, const std::string& rules, const std::string& what = "memory") {
  return value(*prepare(model, execution(mesh, rules, kSequenceParallel)), what);
}

}  // namespace

TEST_CASE("properties: the order of the mesh changes neither memory nor operations") {
  const std::vector<std::string> orders[] = {
      {"{pp: 2, dp: 2, cp: 2, tp: 2}", "{tp: 2, cp: 2, dp: 2, pp: 2}", "{dp: 2, pp: 2, tp: 2, cp: 2}"},
      {"{dp: 4, tp: 4}", "{tp: 4, dp: 4}"},
      {"{dp: 8, tp: 2, pp: 4}", "{pp: 4, tp: 2, dp: 8}"},
  };
  for (const auto& meshes : orders) {
    for (const char* rules : {"megatron", "megatron, zero_1", "megatron, zero_3, recompute_full"}) {
      const auto first = prepare("llama-3-8b", execution(meshes[0], rules, kSequenceParallel));
      for (std::size_t i = 1; i < meshes.size(); ++i) {
        const auto other = prepare("llama-3-8b", execution(meshes[i], rules, kSequenceParallel));
        for (const char* metric : kMemory) CHECK_MESSAGE(value(*first, metric) == value(*other, metric), meshes[i], " ", rules, " ", metric);
        for (const char* metric : {"model_flops", "hardware_flops", "forward_flops"})
          CHECK_MESSAGE(value(*first, metric) == value(*other, metric), meshes[i], " ", metric);
      }
    }
  }
}

TEST_CASE("properties: a further stage of ZeRO never keeps more, and needs less memory where no layer outweighs the rest") {
  for (const char* mesh : {"{dp: 2}", "{dp: 8, tp: 2}", "{pp: 4, dp: 4}", "{pp: 2, dp: 2, cp: 2, tp: 2}"}) {
    for (const char* model : {"llama-2-7b", "gpt2"}) {
      auto before = prepare(model, execution(mesh, "megatron", kSequenceParallel));
      for (const char* stage : {"megatron, zero_1", "megatron, zero_2", "megatron, zero_3"}) {
        auto now = prepare(model, execution(mesh, stage, kSequenceParallel));
        for (const char* metric : {"weight_bytes_per_rank", "gradient_bytes_per_rank", "optimizer_bytes_per_rank", "activation_bytes_per_rank"}) {
          CHECK_MESSAGE(value(*now, metric) <= value(*before, metric), model, " ", mesh, " ", stage, " ", metric);
        }
        if (model == std::string("llama-2-7b")) CHECK_MESSAGE(value(*now, "memory") < value(*before, "memory"), mesh, " ", stage);
        before = std::move(now);
      }
    }
  }
}

TEST_CASE("properties: recomputation never keeps more, and more of it never less of the work") {
  for (const char* mesh : {"{dp: 1}", "{tp: 4, dp: 2}", "{pp: 4, dp: 1, tp: 2}"}) {
    double kept = memory("megatron-22b", mesh, "megatron", "activation_bytes_per_rank"), work = memory("megatron-22b", mesh, "megatron", "hardware_flops");
    for (const char* rules : {"megatron, recompute_selective", "megatron, recompute_full"}) {
      const double now = memory("megatron-22b", mesh, rules, "activation_bytes_per_rank"), done = memory("megatron-22b", mesh, rules, "hardware_flops");
      CHECK_MESSAGE(now < kept, mesh, " ", rules);
      CHECK_MESSAGE(done > work, mesh, " ", rules);
      kept = now;
      work = done;
    }
  }
}

TEST_CASE("properties: what the ranks store together is every weight as often as it is repeated") {
  std::mt19937_64 random(11);
  const char* rules[] = {"megatron", "megatron, zero_1", "megatron, zero_2", "megatron, zero_3"};
  for (int i = 0; i < 16; ++i) {
    const auto power = [&](int most) { return std::to_string(1 << random() % static_cast<unsigned>(most)); };
    const std::string mesh = "{pp: " + power(3) + ", dp: " + power(3) + ", cp: " + power(2) + ", tp: " + power(4) + "}";
    const auto run = prepare(i % 2 == 0 ? "llama-3-8b" : "gpt3-175b", execution(mesh, rules[random() % 4], kSequenceParallel));
    const Annotations& notes = run->annotations();
    Inquiry inquiry(run->evaluator());
    Sizes sizes(inquiry, run->graph_run());
    double ranks = value(*run, "ranks") / value(*run, "stages");
    const Elements& weights = run->evaluator().elements(kWeightSet);
    for (std::size_t e = 0; e < weights.names.size(); ++e) {
      const auto& all = run->graph().weights;
      const WeightId w = all.find([&](const Weight& weight) { return weight.name == weights.names[e]; });
      REQUIRE_MESSAGE(w, weights.names[e]);
      const auto repeated = [&](const Placement& p) {
        double n = ranks;
        for (const auto& [_, axes] : p.shard) {
          for (const AxisId a : axes) n /= sizes.degree(a).value;
        }
        return n;
      };
      const auto column = [&](const char* name) { return weights.fields.at(name)[e].scalar.value; };
      CHECK_MESSAGE(column("stored") * ranks == column("whole") * repeated(notes.weights[w].stored), mesh, " ", weights.names[e]);
      CHECK_MESSAGE(column("gradient") * ranks == column("whole") * repeated(notes.weights[w].gradient), mesh, " ", weights.names[e]);
      CHECK_MESSAGE(column("optimizer") * ranks == column("whole") * repeated(notes.weights[w].optimizer), mesh, " ", weights.names[e]);
    }
  }
}

TEST_CASE("properties: work split over ranks is the whole work") {
  for (const char* mesh : {"{dp: 4}", "{pp: 4, dp: 1}", "{dp: 2, tp: 4}", "{cp: 4, dp: 2}"}) {
    const auto run = prepare("llama-3-8b", execution(mesh, "megatron", kSequenceParallel));
    CHECK_MESSAGE(near(value(*run, "hardware_matrix_flops"), value(*run, "model_matrix_flops"), 0.05), mesh);
    CHECK_MESSAGE(value(*run, "hardware_matrix_flops") >= value(*run, "model_matrix_flops") * (1 - 1e-12), mesh);
  }
}

}  // namespace opledger
