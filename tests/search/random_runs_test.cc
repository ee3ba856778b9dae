#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/text.h"
#include "tests/search/checked_space.h"
#include "tests/search/written_space.h"
#include "tests/support/random_count.h"

namespace opledger {
namespace {

/// Random metrics and constraints over elements of the graph: sets that differ between candidates, memberships, running sums, and
/// iterations under conditions.
class ElementFormulas {
 public:
  explicit ElementFormulas(std::mt19937& random) : random_(random) {}

  std::string accounting() {
    std::string out = "kind: accounting\nname: own\nextends: standard\nmetrics:\n";
    for (const char* name : {"one", "two", "three"}) out += std::string("  ") + name + ": {unit: count, doc: a count, is: \"" + number(2) + "\"}\n";
    out += "constraints:\n  - {require: \"one > 0 or one <= 0\", message: no one}\n";
    for (const char* name : {"two", "three"})
      out += std::string("  - {require: \"") + name + one_of({" % 3 != 1", " % 7 > 1", " <= 1e14", " != one"}) + "\", message: \"{" + name +
             "} is wrong\", reason: by " + name + "}\n";
    return out;
  }

 private:
  struct Elements {
    const char* set;
    std::vector<std::string> counts, truths;
    const char* always = nullptr;  ///< Condition of every aggregate: the number of messages within one rank is undefined.
  };

  std::string one_of(const std::vector<std::string>& all) { return all[random_() % all.size()]; }
  std::string scalar() { return one_of({"tp", "pp", "edp", "microbatch_size", "(zero + 1)", "2", "3", "(if sequence_parallel then tp else 1)"}); }

  std::string number(int depth) {
    static const std::vector<Elements> kSets = {
        {"node", {"forward.flops / 1 flop", "2 * forward.flops / 1 flop", "3"}, {"node.weighted", "node.recomputed", "node.has_wgrad"}},
        {"weight", {"weight.optimizer", "weight.whole", "weight.stored"}, {"weight.trained", "weight.tied"}},
        {"saved", {"saved.bytes / 1 byte", "saved.elements"}, {"saved.recomputed", "saved.once"}},
        {"message", {"message.bytes / 1 byte", "message.ranks"}, {"phase == forward", "cadence == step", "collective == all_reduce"}, "message.ranks > 1"},
        {"transfer", {"transfer.bytes / 1 byte", "transfer.ranks"}, {"phase == agrad", "collective == reduce_scatter"}, "transfer.ranks > 1"},
        {"segment", {"segment.layers", "sum(weight.whole over weight)", "count(over node)"}, {"segment.repeated"}},
        {"communicator", {"communicator.ranks"}, {"communicator.ranks > tp"}},
        {"stage",
         {"stage.position", "stage.count", "sum(layer_group.layers over layer_group)", "sum(stage_weight.layers * weight.stored over stage_weight)"},
         {"stage.position == 0"}},
        {"copy", {"stage_weight.layers", "weight.kept"}, {"weight.tied", "stage_weight.layers > 1"}},
        {"axis", {"axis.degree", "axis.stride"}, {"axis.degree > 1"}}};
    const Elements& of = kSets[random_() % kSets.size()];
    std::string term = one_of(of.counts);
    if (random_() % 2 == 0) term = "(" + term + one_of({" + ", " * ", " % ", " - "}) + scalar() + ")";
    if (depth > 0 && random_() % 3 == 0) term = "(" + term + " + " + number(depth - 1) + ")";
    std::string where;
    if (random_() % 2 == 0) where = random_() % 2 == 0 ? one_of(of.counts) + one_of({" > ", " != ", " <= "}) + scalar() : one_of(of.truths);
    if (of.always != nullptr) where = where.empty() ? of.always : std::string(of.always) + " and " + where;
    if (!where.empty()) where = " where " + where;
    const std::string over = std::string(" over ") + of.set + where + ")";
    switch (random_() % 6) {
      case 0:
        return "count(over " + std::string(of.set) + where + ")";
      case 1:
        return one_of({"max(", "min(", "mean("}) + term + over;
      case 2:
        return "max(running(" + one_of({"weight.optimizer", "weight.stored * tp"}) + " over weight) over weight)";
      case 3:
        return "(if " + one_of({"any(", "all("}) + one_of(of.counts) + " > " + scalar() + over + " then " + scalar() + " else " +
               (depth > 0 ? number(depth - 1) : scalar()) + ")";
      default:
        return "sum(" + term + over;
    }
  }

  std::mt19937& random_;
};

/// Returns a space over random axes of every kind: mesh, schedule, model, machine.
std::string random_space(std::mt19937& random, std::vector<std::string> sizes) {
  std::vector<std::string> axes = {"tp: 1, 2, 4",
                                   "pp: 1, 2, 4",
                                   "cp: 1, 2",
                                   "ep: 1, 2",
                                   "edp: 1, 2, 3",
                                   "microbatch_size: 1, 2, 3",
                                   "schedule: schedule",
                                   "chunks: 1, 2, 3",
                                   "sequence_parallel: true, false",
                                   "zero: 0, 1, 2, 3",
                                   "recompute: none, selective, full",
                                   "context_by: gather, ring, ulysses",
                                   "mesh_order: mesh_order",
                                   "offload_states: false, true",
                                   "offload_activations: false, true",
                                   "batch_size: 24, 48",
                                   "hide: true, false",
                                   "system.memory.capacity: 80 GB, 800 GiB",
                                   "system.networks[0].latency: 0 s, 10 us"};
  axes.insert(axes.end(), sizes.begin(), sizes.end());
  std::shuffle(axes.begin() + 1, axes.end(), random);
  axes.resize(4);
  std::shuffle(axes.begin(), axes.end(), random);
  return R"(kind: search
name: space
doc: Random.
accounting: own.yaml
mesh: {pp: 1, dp: {edp: 1, ep: 1}, cp: 1, tp: 1}
mesh_orders:
  pipelines_inside: [dp, pp, cp, tp]
rules:
  - megatron
  - zero_1: zero == 1
  - zero_2: zero == 2
  - zero_3: zero == 3
  - ring: context_by == ring
  - ulysses: context_by == ulysses
  - recompute_selective: recompute == selective
  - recompute_full: recompute == full
  - offload
  - overlap_dp: hide
  - overlap_pp: hide
inputs:
  zero:       {type: integer, min: 0, max: 3, default: 0, doc: stage of ZeRO}
  recompute:  {type: [none, selective, full], default: none, doc: what backward runs again}
  context_by: {type: [gather, ring, ulysses], default: gather, doc: how attention gets at tokens}
  hide:       {type: boolean, default: true, doc: what hides}
maximize: tokens_per_second
axes:
  - )" + join(axes, "\n  - ") +
         "\n";
}

struct Drawn {
  const char *name, *system;
  std::vector<std::string> sizes;
};

}  // namespace

TEST_CASE("a sweep over random axes of runs agrees with single evaluations of every candidate") {
  const Drawn models[] = {{"llama-3-8b", "h100-80g-sxm", {"seq: 1000, 2048", "layers: 4, 6, 7"}},
                          {"mixtral-8x7b", "h100-80g-sxm", {"seq: 512, 1000", "layers: 4, 7", "experts_per_token: 1, 2"}},
                          {"t5-base", "a100-80g-sxm", {"seq: 100, 512"}},
                          {"vit-l-16", "mi300x-192g", {"layers: 3, 8"}},
                          {"jamba-v0.1", "h100-80g-sxm", {"seq: 1000, 2048"}},
                          {"deepseek-v2-lite", "h200-141g-sxm", {"seq: 512, 2048"}},
                          {"gemma-2-9b", "h100-80g-sxm", {"seq: 1000, 8192", "layers: 4, 6"}}};
  const int count = testing::random_count(2, 1);
  std::uint64_t feasible = 0, structures = 0;
  for (int n = 0; n < count; ++n) {
    const Drawn& model = models[static_cast<std::size_t>(n) % std::size(models)];
    std::mt19937 random(static_cast<unsigned>(n));
    const std::string text = random_space(random, model.sizes);
    CAPTURE(n);
    CAPTURE(model.name);
    CAPTURE(text);
    const std::string accounting = ElementFormulas(random).accounting();
    CAPTURE(accounting);
    RunRequest request;
    request.model = model.name;
    request.system = model.system;
    for (const auto& [name, value] :
         {std::pair("batch_size", "24"), std::pair("system.memory.capacity", "20 TB"), std::pair("system.host_memory.capacity", "20 TB")}) {
      if (text.find(std::string("- ") + name + ":") == std::string::npos) request.overrides.emplace_back(name, value);
    }
    WrittenSpace written(text, {"own.yaml", accounting}, request);
    const SweepResult found = check_sweep(*written.space, {"one"}, OneByOne::Sharing::nothing);
    feasible += found.feasible;
    structures += found.traces;
  }
  CHECK(feasible > 0);
  CHECK(structures > static_cast<std::uint64_t>(count));
}

}  // namespace opledger
