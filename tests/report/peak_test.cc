#include <algorithm>

#include "accounting/liveness.h"
#include "report/report.h"
#include "tests/support/runs.h"

/// Peak memory: lifetimes of tensors, parts of a peak, and measured bytes.
namespace opledger {
namespace {

/// Llama 3 with few layers and a step of four microbatches, as in published measurements.
struct Sizes {
  const char* model;
  const char* mesh;
  std::vector<std::pair<std::string, std::string>> values;
};

double gib(const Sizes& s, const std::string& rules, const std::string& metric = "memory") {
  std::vector<std::pair<std::string, std::string>> set = s.values;
  set.insert(set.end(), {{"stack", "megatron-core"}, {"fused_loss", "true"}, {"reduction", "fp32"}, {"system.memory.capacity", "4096 GiB"}});
  const auto run = prepare(s.model, execution(s.mesh, rules, "batch_size: 32\nmicrobatch_size: 1\n"), "b200-180g-sxm", set);
  return value(*run, metric) / (1 << 30);
}

const std::vector<std::pair<std::string, std::string>> k70b = {{"layers", "12"}, {"seq", "4096"}},
                                                       k405b = {{"layers", "4"}, {"seq", "4096"}, {"kv_heads", "16"}};

std::vector<std::pair<std::string, std::string>> with(std::vector<std::pair<std::string, std::string>> list, const char* key, const char* value) {
  list.emplace_back(key, value);
  return list;
}

}  // namespace

TEST_CASE("memory: allocated bytes as others measured them, from facts of the stack alone") {
  // Source: MooreThreads/SimuMax, docs/b200: max_memory_allocated of the fullest rank, in GiB.
  const auto sequence = [](const auto& list) { return with(list, "sequence_parallel", "true"); };
  CHECK(gib({"llama-3-70b", "{pp: 2, dp: 4}", k70b}, "megatron, zero_1") == doctest::Approx(66.55).epsilon(0.003));
  CHECK(gib({"llama-3-70b", "{dp: 4, tp: 2}", sequence(k70b)}, "megatron, zero_1") == doctest::Approx(60.68).epsilon(0.003));
  CHECK(gib({"llama-3-70b", "{dp: 2, tp: 4}", sequence(k70b)}, "megatron, zero_1") == doctest::Approx(39.07).epsilon(0.003));
  CHECK(gib({"llama-3-70b", "{tp: 8}", sequence(k70b)}, "megatron") == doctest::Approx(28.29).epsilon(0.003));
  CHECK(gib({"llama-3.1-405b", "{dp: 4, tp: 2}", sequence(k405b)}, "megatron, zero_1") == doctest::Approx(81.59).epsilon(0.003));
  CHECK(gib({"llama-3.1-405b", "{pp: 2, dp: 4}", k405b}, "megatron, zero_1") == doctest::Approx(87.08).epsilon(0.003));
  CHECK(gib({"deepseek-v3", "{dp: {edp: 1, ep: 8}}", {{"layers", "4"}, {"dense_layers", "1"}, {"seq", "4096"}}}, "megatron, zero_1") ==
        doctest::Approx(104.30).epsilon(0.005));
}

TEST_CASE("memory: a layer by hand") {
  // Two ranks of tensor parallelism with sequence parallelism: t tokens, u of them outside matrix products. In backward
  // of the gate, the gate, the up projection and their product are stored, with the gradients of all three. The layer
  // also stores x, two norms, query, key, value, the result of attention, the residual with its statistics, and the
  // incoming gradient.
  const double t = 4096, u = t / 2, h = 8192, f = 28672 / 2.0, q = h / 2, kv = 1024 / 2.0;
  const double layer = 2 * (4 * u * h + t * (q + 2 * kv + q) + 3 * t * f) + 4 * t * 32;
  const double down = layer + 2 * (u * h + t * h + t * f);                      // The gathered gradient, and the gradient of the product.
  const double elements = layer - 2 * t * f + 2 * (u * h + t * f + 2 * t * f);  // The product is freed.
  const Sizes s = {"llama-3-70b", "{dp: 4, tp: 2}", with(k70b, "sequence_parallel", "true")};
  const auto run = prepare(s.model, execution(s.mesh, "megatron, zero_1", "batch_size: 32\nmicrobatch_size: 1\n"), "b200-180g-sxm",
                           with(s.values, "stack", "megatron-core"));
  const auto report = build_report(*run, {"memory_over_time"}, said());
  REQUIRE_MESSAGE(report, render(said()));
  const ReportTable& moments = report->tables.at(0);
  const auto at = [&](const std::string& name) {
    for (const auto& row : moments.rows) {
      if (*row[0].text == name) return row[1].scalar.value;
    }
    FAIL(name);
    return 0.0;
  };
  CHECK(at("backward of decoder.mlp.down") == down);
  CHECK(at("backward of decoder.mlp.silu") == elements);
}

TEST_CASE("memory: parts of the peak add up to it, and no moment holds more") {
  for_shipped([](Run& run) {
    const auto report = build_report(run, {"memory_at_peak", "memory_over_time"}, said());
    REQUIRE_MESSAGE(report, render(said()));
    double parts = 0, most = 0;
    for (const ReportTable& table : report->tables) {
      for (const auto& row : table.rows) {
        if (table.name == "parts") parts += row[1].scalar.value;
        if (table.name == "moments") most = std::max(most, row[2].scalar.value);
      }
    }
    const double memory = value(run, "memory");
    CHECK(near(parts, memory, 1e-9));
    CHECK(most <= memory * (1 + 1e-9));
    CHECK(most > 0.3 * memory);
  });
}

TEST_CASE("memory: each node's results live, and moments that are left out have nothing that others lack") {
  for_shipped([](Run& run) {
    const Graph& graph = run.graph();
    const Annotations& notes = run.annotations();
    const LivenessIndex index(graph, notes);
    for (const SegmentId s : graph.segments.ids()) {
      const Liveness live = find_liveness(index, s);
      const auto lives = [&](TensorId t) {
        return std::any_of(live.tensors.begin(), live.tensors.end(), [t](const LiveTensor& l) { return l.tensor && l.tensor == t; });
      };
      for (const NodeId n : graph.segments[s].nodes()) {
        for (const TensorId t : graph.nodes[n].outputs) CHECK_MESSAGE((lives(t) || notes.inner[t] != 0), graph.tensors[t].name);
      }
      for (const LiveTensor& l : live.tensors) {
        CHECK(0 <= l.from);
        CHECK(l.from <= l.to);
        CHECK(l.to < static_cast<std::int32_t>(live.points.size()));
      }
      const auto alive = [&](std::size_t i, std::int32_t m) { return live.tensors[i].from <= m && m <= live.tensors[i].to; };
      for (std::int32_t m = 0; m < static_cast<std::int32_t>(live.points.size()); ++m) {
        const bool covered = std::any_of(live.fullest.begin(), live.fullest.end(), [&](std::int32_t f) {
          for (std::size_t i = 0; i < live.tensors.size(); ++i) {
            if (alive(i, m) && !alive(i, f)) return false;
          }
          return true;
        });
        CHECK_MESSAGE(covered, m);
      }
    }
  });
}

TEST_CASE("memory: of which kind its bytes are") {
  const Sizes s = {"llama-3-70b", "{dp: 4, tp: 2}", k70b};
  const auto kind = [&](const char* word) { return gib({s.model, s.mesh, with(s.values, "memory_kind", word)}, "megatron, zero_1"); };
  const double allocated = kind("allocated");
  CHECK(near(kind("reserved"), allocated * 1.045, 1e-12));
  CHECK(near(kind("device"), allocated * 1.045 + 0.5 + 2 * 0.4, 1e-12));  // Factors of dp and tp.
  CHECK(near(gib(s, "megatron, zero_1", "memory_reserved"), allocated * 1.045, 1e-12));
}

}  // namespace opledger
