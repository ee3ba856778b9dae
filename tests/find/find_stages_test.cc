#include "find/find_stages.h"

#include <numeric>

#include "tests/support/runs.h"

/// Found layers of stages, against the run itself and against all divisions.
namespace opledger {
namespace {

StagesRequest request(const std::string& model, const std::string& execution, const std::string& system, const Settings& settings = {}) {
  StagesRequest out;
  out.run.model = model, out.run.execution = execution, out.run.system = system, out.run.overrides = settings;
  return out;
}

FoundStages found(const StagesRequest& request) {
  said() = {};
  const std::optional<FoundStages> out = find_stages(request, shipped(), said());
  REQUIRE_MESSAGE(out, render(said()));
  return *out;
}

double step_of(const StagesTrial& trial) {
  REQUIRE(trial.step.is_number());
  return trial.step.scalar.value;
}

/// Returns the seconds of a step of a run with these settings.
double step_of(const StagesRequest& request, const std::vector<std::pair<std::string, std::string>>& settings) {
  RunRequest run = request.run;
  run.overrides.insert(run.overrides.end(), settings.begin(), settings.end());
  Diagnostics messages;
  const auto prepared = Run::prepare(run, shipped(), messages);
  REQUIRE_MESSAGE(prepared, render(messages));
  const auto step = prepared->value("iteration_time", messages);
  REQUIRE(step);
  return step->scalar.value;
}

const Settings kHeavyHead = {{"pp", "4"}, {"tp", "2"}, {"dp", "8"}, {"chunks", "1"}};

}  // namespace

TEST_CASE("find: a heavy head takes layers from its stage") {
  const StagesRequest asked = request("llama-3-8b", "llama-3-70b-64xh100", "h100-80g-sxm", kHeavyHead);
  const FoundStages answer = found(asked);
  CHECK(answer.stages == 4);
  CHECK(answer.given.layers == std::vector<long long>{8, 8, 8, 8});
  CHECK(answer.found.layers.back() < 8);
  CHECK(std::accumulate(answer.found.layers.begin(), answer.found.layers.end(), 0LL) == 32);
  CHECK(step_of(answer.found) < 0.97 * step_of(answer.given));
  // The printed settings reproduce the found run.
  CHECK(step_of(asked, answer.settings) == step_of(answer.found));
}

TEST_CASE("find: no division of few stages is better than the found one") {
  const StagesRequest asked = request("llama-3-8b", "llama-3-70b-64xh100", "h100-80g-sxm", {{"pp", "2"}, {"tp", "2"}, {"dp", "16"}, {"chunks", "1"}});
  const FoundStages answer = found(asked);
  double best = step_of(answer.given);
  for (int first = 1; first < 32; ++first) {
    best = std::min(best, step_of(asked, {{"stage_layers", "[" + std::to_string(first) + ", " + std::to_string(32 - first) + "]"}}));
  }
  CHECK(step_of(answer.found) == doctest::Approx(best).epsilon(1e-9));
}

TEST_CASE("find: never slower than the run itself, with chunks, experts and several kinds of layers") {
  const StagesRequest runs[] = {
      request("llama-3-70b", "llama-3-70b-64xh100", "h100-80g-sxm"),
      request("gemma-2-9b", "llama-3-70b-64xh100", "h100-80g-sxm", {{"pp", "6"}, {"tp", "2"}, {"dp", "1"}, {"chunks", "1"}}),
      request("gpt-oss-20b", "llama-3-70b-64xh100", "h100-80g-sxm", {{"pp", "4"}, {"tp", "2"}, {"dp", "2"}, {"chunks", "2"}}),
  };
  for (const StagesRequest& asked : runs) {
    CAPTURE(asked.run.model);
    const FoundStages answer = found(asked);
    if (answer.given.state == FitPoint::State::fits) {
      CHECK(answer.found.state == FitPoint::State::fits);
      CHECK(step_of(answer.found) <= step_of(answer.given));
    }
    CHECK(answer.found.layers.size() == static_cast<std::size_t>(answer.stages * answer.chunks));
    if (!answer.settings.empty()) CHECK(step_of(asked, answer.settings) == step_of(answer.found));
  }
}

TEST_CASE("find: more memory is never slower, and a small memory is respected") {
  Settings small = kHeavyHead;
  const StagesRequest free = request("llama-3-8b", "llama-3-70b-64xh100", "h100-80g-sxm", kHeavyHead);
  const FoundStages without = found(free);
  REQUIRE(without.found.memory.is_number());
  const double limit = 0.995 * without.found.memory.scalar.value / (1 << 30);
  small.emplace_back("memory_limit", std::to_string(limit) + " GiB");
  const FoundStages with = found(request("llama-3-8b", "llama-3-70b-64xh100", "h100-80g-sxm", small));
  if (with.found.state == FitPoint::State::fits) {
    CHECK(with.found.memory.scalar.value <= limit * (1 << 30) * (1 + 1e-9));
    CHECK(step_of(with.found) >= step_of(without.found));
  }
}

TEST_CASE("find: errors name the cause") {
  const auto error = [](const StagesRequest& asked) {
    said() = {};
    CHECK(!find_stages(asked, shipped(), said()));
    return render(said());
  };
  CHECK(error(request("gpt2", "gpt2-1xa100", "a100-80g-sxm")).find("has one pipeline stage") != std::string::npos);
  StagesRequest other = request("calculon/megatron-22B", "calculon/megatron-22B-8", "calculon/a100_80g");
  other.run.accounting = "calculon";
  other.run.execution.clear();
  CHECK(!error(other).empty());
}

TEST_CASE("find: a stopped search returns the best so far") {
  std::atomic<bool> stop = false;
  StagesRequest asked = request("llama-3-8b", "llama-3-70b-64xh100", "h100-80g-sxm", kHeavyHead);
  asked.stop = &stop;
  asked.progress = [&](std::size_t tried) { stop = tried >= 1; };
  const FoundStages answer = found(asked);
  CHECK(answer.partial);
  CHECK(step_of(answer.found) <= step_of(answer.given));
}

}  // namespace opledger
