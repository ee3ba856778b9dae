#include <fmt/format.h>

#include <random>

#include "play/step_simulation.h"
#include "tests/support/random_count.h"
#include "tests/support/runs.h"

/// Runs with simulated steps, compared with the formulas of their schedules.
namespace opledger {
namespace {

// The standard accounting with stated seconds of a stage, divided among its chunks by their repeated layers.
constexpr const char* kStatedSeconds = R"(kind: accounting
name: given_seconds
extends: standard
inputs:
  forward_seconds: {type: s, default: 1, doc: of a stage}
  input_seconds:   {type: s, default: 1, doc: of its input gradients}
  weight_seconds:  {type: s, default: 1, doc: of its weight gradients}
play:
  schedule: schedule
  stages: stages
  microbatches: microbatches
  chunks: pass_chunks
  work: {forward: forward_pass, input: input_pass, weight: weight_pass}
  hop: {forward: 0 s, input: 0 s}
  layer: {forward: if segment.repeated then 1 else 0, input: if segment.repeated then 1 else 0, weight: if segment.repeated then 1 else 0}
  concurrent_share: played_together
  gives: {step: played_step, in_flight: played_in_flight, in_flight_of_chunk: played_in_flight_of_piece}
let:
  forward_pass: forward_seconds
  input_pass: input_seconds
  weight_pass: weight_seconds
  pass_time: forward_pass + input_pass + weight_pass
  end_time: 0 s
metrics:
  most_in_flight: {unit: count, doc: microbatches in flight, is: max(stage_in_flight over stage)}
  first_in_flight: {unit: count, doc: of the embedding, is: max(kept_in_flight over layer_group where not segment.repeated and layer_group.piece == 0)}
  last_in_flight: {unit: count, doc: of the head, is: max(kept_in_flight over layer_group where not segment.repeated and layer_group.piece > 0)}
)";

struct Shape {
  const char* schedule;
  int stages, chunks, microbatches;
};

std::unique_ptr<Run> run_of(const Shape& s, const std::string& seconds, bool played) {
  static TemporaryFolder folder;
  static const std::string accounting = folder.write("given_seconds.yaml", kStatedSeconds).string();
  RunRequest request;
  request.model = "gpt2";
  request.system = "a100-80g-sxm";
  request.accounting = accounting;
  request.execution = execution(fmt::format("{{pp: {}, dp: 1}}", s.stages), "megatron",
                                fmt::format("batch_size: {}\nschedule: {}\nchunks: {}\nplay: {}\n{}", s.microbatches, s.schedule, s.chunks, played, seconds));
  request.overrides = {{"layers", std::to_string(2 * s.stages * s.chunks)}, {"hidden", "12"}, {"heads", "1"}};
  said() = {};
  auto run = Run::prepare(request, shipped(), said());
  REQUIRE_MESSAGE(run, render(said()));
  return run;
}

}  // namespace

TEST_CASE("played: equal stages take as long as the formulas of all schedules say, and keep as many microbatches") {
  const std::string times[] = {"", "input_seconds: 2\n", "forward_seconds: 1.3\ninput_seconds: 1.1\nweight_seconds: 0.7\n"};
  const std::vector<std::pair<const char*, int>> schedules = {
      {"gpipe", 1}, {"breadth_first", 2},           {"1f1b", 1}, {"1f1b", 3},     {"interleaved_groups", 2}, {"zb_h1", 1},
      {"zb_h2", 1}, {"interleaved_zero_bubble", 2}, {"zb_v", 2}, {"dualpipe", 1}, {"dualpipe_v", 2}};
  for (const auto& [schedule, chunks] : schedules) {
    for (const int stages : testing::some_of(std::vector{4, 2, 3}, 3)) {
      const bool two_ways = schedule == std::string("dualpipe");
      if (two_ways && stages % 2 == 1) continue;
      for (const int rounds : {2, 3, 4}) {
        const int microbatches = rounds * stages;
        if (two_ways && microbatches % 2 == 1) continue;
        const std::string& seconds =
            times[(stages + rounds) % 3];  // Each meets every schedule; without assertions and except for dualpipe, also every number of stages and of rounds.
        CAPTURE(schedule);
        CAPTURE(stages);
        CAPTURE(microbatches);
        CAPTURE(seconds);
        const Shape s = {schedule, stages, chunks, microbatches};
        const auto played = run_of(s, seconds, true), formula = run_of(s, seconds, false);
        CHECK(near(value(*played, "iteration_time"), value(*formula, "iteration_time"), 1e-12));
        CHECK(near(value(*played, "most_in_flight"), value(*formula, "most_in_flight"), 1e-12));
      }
    }
  }
}

TEST_CASE("defect imports 2: embedding and head are kept as often by formula as the played step keeps them") {
  struct Case {
    Shape shape;
    int group;
  };
  std::vector<Case> cases;
  for (const int stages : {2, 3, 4}) {
    for (const int microbatches : {stages, 2 * stages - 1, 2 * stages, 2 * stages + 1, 10, 13}) {
      for (const int chunks : {2, 3}) {
        cases.push_back({{"1f1b", stages, chunks, microbatches}, 0});
        if (microbatches % std::max(1, microbatches / stages) == 0) cases.push_back({{"interleaved_zero_bubble", stages, chunks, microbatches}, 0});
        for (const int group : {stages, stages + 1, 5}) {
          const int left = microbatches % group;
          if (group >= stages && group <= microbatches && (left == 0 || left >= stages))
            cases.push_back({{"interleaved_groups", stages, chunks, microbatches}, group});
        }
      }
      cases.push_back({{"breadth_first", stages, 2, microbatches}, 0});
      if (microbatches >= 2 * stages) cases.push_back({{"zb_v", stages, 2, microbatches}, 0}), cases.push_back({{"dualpipe_v", stages, 2, microbatches}, 0});
    }
  }
  // the case of `groups_of_5.yaml`: the stage keeps the logits of one microbatch, and six were counted
  cases.push_back({{"interleaved_groups", 4, 3, 10}, 5});
  for (const Case& c : testing::some_of(cases, 60)) {
    CAPTURE(c.shape.schedule);
    CAPTURE(c.shape.stages);
    CAPTURE(c.shape.chunks);
    CAPTURE(c.shape.microbatches);
    CAPTURE(c.group);
    const std::string group = fmt::format("microbatch_group: {}\n", c.group);
    const auto played = run_of(c.shape, group, true), formula = run_of(c.shape, group, false);
    for (const char* name : {"most_in_flight", "first_in_flight", "last_in_flight"}) {
      CAPTURE(name);
      CHECK(value(*played, name) == doctest::Approx(value(*formula, name)));
    }
  }
  CHECK(value(*run_of({"interleaved_groups", 4, 3, 10}, "microbatch_group: 5\n", false), "last_in_flight") == 1);
  MESSAGE("in flight by formula and as played: ", cases.size(), " shapes");
}

TEST_CASE("played: an accounting with other stages than the pipeline is refused") {
  TemporaryFolder folder;
  for (const char* stages : {"1", "8"}) {
    std::string text = kStatedSeconds;
    text.replace(text.find("stages: stages"), 14, std::string("stages: ") + stages);
    text.replace(text.find("name: given_seconds"), 19, std::string("name: stages_") + stages);
    RunRequest request;
    request.model = "gpt2";
    request.system = "a100-80g-sxm";
    request.accounting = folder.write(std::string("stages_") + stages + ".yaml", text).string();
    request.execution = execution("{pp: 4, dp: 1}", "megatron", "batch_size: 8\nplay: true\n");
    Diagnostics diagnostics;
    const auto run = Run::prepare(request, shipped(), diagnostics);
    REQUIRE_MESSAGE(run, render(diagnostics));
    CHECK(!run->value("bubble_time", diagnostics));
    CHECK(render(diagnostics).find(fmt::format("`stages` of `play` is {}, and the pipeline has 4", stages)) != std::string::npos);
  }
}

TEST_CASE("played: a schedule of an order alone, and one of a file of actions") {
  TemporaryFolder folder;
  folder.write("own.yaml", R"(kind: ops
name: own
uses: [schedules]
ops:
  eager:                          # 1F1B with one forward more than it needs
    extends: pipeline_schedule
    plays: true
    bubble: played_step - microbatches * slowest
    order:
      - {times: behind, do: [forward]}
      - {times: microbatches, do: [forward, backward]}
  listed:
    extends: pipeline_schedule
    plays: true
    order: {actions: two_by_three.csv}
  named:
    extends: pipeline_schedule
    plays: true
    order: of_its_own
  unknown:
    extends: pipeline_schedule
    plays: true
    order: of_its_onw
)");
  folder.write("of_its_own.yaml", "kind: order\nname: of_its_own\nactions: two_by_three.csv\n");
  folder.write("two_by_three.csv", "0F0,0F1,0SEND_F1,0F2,0B0,0B1,0B2\n1F0,1B0,,1F1,1B1,1F2,1B2\n");
  const auto run = [&](const std::string& schedule, int batch) {
    const std::string path = folder
                                 .write(fmt::format("{}_{}.yaml", schedule, batch),
                                        fmt::format("kind: execution\nname: {0}_{1}\nmesh: {{pp: 2}}\nrules: [megatron]\nuses: own.yaml\nschedule: "
                                                    "{0}\nbatch_size: {1}\nmicrobatch_size: 1\n",
                                                    schedule, batch))
                                 .string();
    return prepare("gpt2", path, "a100-80g-sxm");
  };
  const auto eager = run("eager", 8), listed = run("listed", 3);
  CHECK(value(*eager, "bubble_time") > 0);
  CHECK(value(*eager, "layer_activation_bytes_in_flight") == 3 * 6 * value(*eager, "layer_activation_bytes"));
  CHECK(value(*listed, "iteration_time") > 0);
  CHECK(value(*run("named", 3), "iteration_time") == value(*listed, "iteration_time"));
  Diagnostics diagnostics;
  CHECK(!run("listed", 4)->value("iteration_time", diagnostics));
  CHECK(render(diagnostics).find("`two_by_three.csv` is for 2 stages and 3 microbatches, the run has 2 and 4") != std::string::npos);
  CHECK(!run("unknown", 3)->value("iteration_time", diagnostics));
  CHECK(render(diagnostics).find("own.yaml:23:12: error: there is no document of kind `order` named `of_its_onw`") != std::string::npos);
}

}  // namespace opledger
