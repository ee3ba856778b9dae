#include "search/sweep/partitioner.h"

#include <doctest/doctest.h>

#include <pthread.h>

#include "search/space/combinations.h"
#include "search/space/space_reader.h"
#include "search/sweep/sweep.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/search/checked_space.h"

namespace opledger {
namespace {

/// An accounting with two causes of guards: a name without a value for some candidates, and an item of a list. Each position of
/// the list needs a trace of its own.
const char* const kCounted = R"(
kind: accounting
name: counted
inputs:
  a: {type: integer, min: 1, default: 1, doc: a size}
  b: {type: integer, min: 1, default: 1, doc: a size}
  steps: {type: {list: {type: integer}}, default: [STEPS], doc: by a}
metrics:
  area: {unit: count, doc: of both, is: a * b}
  wide: {unit: count, doc: of large ones only, is: if a * b >= 3000 then a + b else null}
  step: {unit: count, doc: "of a, one by one", is: "steps[a - 1]"}
)";

std::string space_of(const TemporaryFolder& folder, const std::string& axes, const std::string& more, const std::string& steps = "0") {
  std::string counted = kCounted;
  folder.write("counted.yaml", counted.replace(counted.find("STEPS"), 5, steps));
  return folder.write("space.yaml", "kind: search\nname: space\ndoc: Two sizes.\naccounting: counted.yaml\n" + more + "\naxes:\n" + axes).string();
}

SweepResult swept(const std::string& file, const std::string& model = "", const std::string& system = "") {
  Library library({source_folder()});
  Diagnostics diagnostics;
  RunRequest request;
  request.space = file;
  request.model = model;
  request.system = system;
  std::optional<Space> space = read_space(request, library, diagnostics);
  REQUIRE_MESSAGE(space, render(diagnostics));
  SweepRequest request_of_sweep;
  request_of_sweep.jobs = 1;
  const std::optional<SweepResult> out = sweep(*space, request_of_sweep, diagnostics);
  REQUIRE_MESSAGE(out, render(diagnostics));
  return *out;
}

/// Runs `work` on a thread with a stack of 256 KiB.
template <class Work>
void with_small_stack(const Work& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstacksize(&attributes, std::size_t{256} << 10) == 0);
  pthread_t thread;
  const auto run = [](void* of) -> void* {
    (*static_cast<const Work*>(of))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, run, const_cast<Work*>(&work)) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace

TEST_CASE("combinations: an axis with too many values has none, at every request") {
  const TemporaryFolder folder;
  Library library({source_folder()});
  Diagnostics diagnostics;
  RunRequest request;
  request.space = space_of(folder, "  - b: range(1, 60000)\n  - a: range(1, 3)\n", "minimize: area");
  std::optional<Space> space = read_space(request, library, diagnostics);
  REQUIRE_MESSAGE(space, render(diagnostics));
  Combinations combinations(*space);
  for (int i = 0; i < 2; ++i) {
    CHECK(combinations.values(*space, 0) == nullptr);
    const std::vector<double>* few = combinations.values(*space, 1);
    REQUIRE(few != nullptr);
    CHECK(*few == std::vector<double>{1, 2, 3});
  }
}

TEST_CASE("partitioner: axes with too many combinations for a filter are enumerated only as far as needed") {
  const TemporaryFolder folder;
  const std::string objective = "minimize: area\nconstraints:\n  - {require: wide > 0, message: too small}";
  const std::string file = space_of(folder, "  - b: range(1, 300)\n  - a: range(1, 300)\n", objective);
  const SweepResult found = swept(file);
  CHECK(found.candidates == 90'000);
  CHECK(found.traces == 2);
  CHECK(found.groups <= 600);  // two groups for each value of b
  check_space({file.c_str(), "", "", {}, {"area"}});
}

TEST_CASE("partitioner: as many traces as candidates need no more stack than one trace") {
  const TemporaryFolder folder;
  std::string steps;
  for (int i = 0; i < 1000; ++i) steps += (i == 0 ? "" : ", ") + std::to_string(1000 - i);
  const std::string file = space_of(folder, "  - a: range(1, 1000)\n", "minimize: step", steps);
  with_small_stack([&] {
    const SweepResult found = swept(file);
    CHECK(found.traces == 1000);
    REQUIRE(!found.best.empty());
    CHECK(found.best[0].score == 1);
  });
}

TEST_CASE("partitioner: a deployment with latent attention on wide axes has few traces and groups") {
  const TemporaryFolder folder;
  const std::string axes = "axes:\n  - tp: 1, 2\n  - decoding: range(1, 256)\n  - step: range(1, 128)\n  - budget: 300 * step\n";
  const std::string space =
      "kind: search\nname: space\ndoc: Wide.\naccounting: serving\nmesh: {tp: 1}\nrules: [serve, megatron]\n"
      "inputs: {step: {type: integer, min: 1, default: 1, doc: of the budget}}\n";
  const SweepResult found =
      swept(folder.write("space.yaml", space + axes + "maximize: output_tokens_per_second_per_rank\n").string(), "deepseek-v2-lite", "h200-141g-sxm");
  CHECK(found.candidates == 65'536);
  CHECK(found.traces <= 6);
  CHECK(found.groups <= 12);
}

}  // namespace opledger
