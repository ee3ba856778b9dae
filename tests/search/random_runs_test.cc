#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/text.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/search/checked_space.h"
#include "tests/support/random_count.h"

namespace opledger {
namespace {

/// A space over some axes of every kind: of the mesh, of the schedule, of the model, of the machine.
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
                                   "batch_size: 8, 12",
                                   "hide: true, false",
                                   "system.memory.capacity: 8 GB, 80 GiB",
                                   "system.networks[0].latency: 0 s, 10 us"};
  axes.insert(axes.end(), sizes.begin(), sizes.end());
  std::shuffle(axes.begin(), axes.end(), random);
  axes.resize(4);
  return R"(kind: search
name: space
doc: Random.
accounting: standard
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
maximise: tokens_per_second
axes:
  - )" + join(axes, "\n  - ") +
         "\n";
}

struct Drawn {
  const char *name, *system;
  std::vector<std::string> sizes;
};

}  // namespace

TEST_CASE("a sweep over random axes of runs finds what evaluating every candidate without others finds") {
  const Drawn models[] = {{"llama-3-8b", "h100-80g-sxm", {"seq: 1000, 2048", "layers: 4, 6, 7"}},
                          {"mixtral-8x7b", "h100-80g-sxm", {"seq: 512, 1000", "layers: 4, 7", "experts_per_token: 1, 2"}},
                          {"t5-base", "a100-80g-sxm", {"seq: 100, 512"}},
                          {"vit-l-16", "mi300x-192g", {"layers: 3, 8"}},
                          {"jamba-v0.1", "h100-80g-sxm", {"seq: 1000, 2048"}},
                          {"deepseek-v2-lite", "h200-141g-sxm", {"seq: 512, 2048"}},
                          {"gemma-2-9b", "h100-80g-sxm", {"seq: 1000, 8192", "layers: 4, 6"}}};
  const int count = testing::random_count(3, 1);
  std::mt19937 random(21);
  for (int n = 0; n < count; ++n) {
    const Drawn& model = models[static_cast<std::size_t>(n) % std::size(models)];
    const std::string text = random_space(random, model.sizes);
    CAPTURE(n);
    CAPTURE(model.name);
    CAPTURE(text);
    const TemporaryFolder folder;
    RunRequest request;
    request.space = folder.write("space.yaml", text).string();
    request.model = model.name;
    request.system = model.system;
    request.overrides = {{"batch_size", "8"}};
    if (text.find("batch_size:") != std::string::npos) request.overrides.clear();
    static Library library({source_folder()});
    Diagnostics diagnostics;
    std::optional<Space> space = read_space(request, library, diagnostics);
    REQUIRE_MESSAGE(space, render(diagnostics));
    check_sweep(*space, {"memory"}, OneByOne::Sharing::nothing);
  }
}

}  // namespace opledger
