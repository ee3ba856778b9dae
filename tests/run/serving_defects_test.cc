#include "tests/support/runs.h"

/// Regression tests of served runs, named by defect.
namespace opledger {
namespace {

std::unique_ptr<Run> serve(const std::string& model, const std::string& system, const std::string& rules, const std::string& mesh, const Settings& settings) {
  return prepare(model, execution(mesh, rules, "accounting: serving\n"), system, settings);
}

Settings joined_settings(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

}  // namespace

TEST_CASE("defect serving S4: factors of a library for training change no served run, but a training step") {
  const Settings clients = {{"stack", "vllm"}, {"clients", "16"}};
  for (const char* system : {"b200-180g-sxm", "b300-270g-sxm", "gb200-nvl72"}) {
    CAPTURE(system);
    for (const char* mesh : {"{dp: {edp: 1, ep: 2}, tp: 1}", "{tp: 2}"}) {
      const auto shipped = serve("mixtral-8x7b", system, "serve, megatron", mesh, clients);
      const auto slow = serve("mixtral-8x7b", system, "serve, megatron", mesh, joined_settings(clients, {{"system.kernels.grouped.bf16.forward", "5"}}));
      for (const char* metric : {"decode_pass", "mixed_pass", "prefill_time"}) CHECK_MESSAGE(value(*shipped, metric) == value(*slow, metric), metric);
    }
  }
  // Two experts on each rank, multiplied by one kernel.
  const Settings two_experts = {{"edp", "4"}, {"ep", "4"}};
  const auto train = [&](const Settings& settings) {
    return prepare("mixtral-8x7b", "mixtral-8x7b-64xh100", "b200-180g-sxm", joined_settings(two_experts, settings));
  };
  CHECK(value(*train({{"system.kernels.grouped.bf16.forward", "5"}}), "forward_time") > value(*train({}), "forward_time"));
}

TEST_CASE("defect serving S6: a recipe of casts casts no weight in a pass of a served model") {
  const Settings fp8 = {{"stack", "trtllm"}, {"clients", "64"}, {"cache_width", "1 byte"}};
  const auto served = [&](const Settings& more) {
    return serve("llama-3-70b", "h100-80g-sxm", "serve, megatron, w8a8", "{tp: 4}", joined_settings(fp8, more));
  };
  const double none = value(*served({}), "tpot"), all = value(*served({{"recipe", "tensorwise"}}), "tpot");
  CHECK(value(*served({{"recipe", "tensorwise"}, {"weight_cast_bytes", "0 byte"}}), "tpot") == all);
  CHECK(all > none);  // Activations are cast.
  CHECK(all < 1.15 * none);
}

TEST_CASE("defect field 07: the host schedules once for a pass and all guesses that it checks") {
  const Settings one = {{"prompt", "90"}, {"output", "256"}, {"decoding", "1"}};
  const Settings guesses = joined_settings(one, {{"drafted", "3"}, {"accepted", "1"}, {"draft.model", "llama-3-8b"}});
  const auto served = [](const Settings& settings, const Settings& host) {
    return serve("llama-3-70b", "h100-80g-sxm", "serve, megatron", "{tp: 4}", joined_settings(settings, host));
  };
  for (const char* ahead : {"false", "true"}) {
    CAPTURE(ahead);
    for (const double milliseconds : {0.0, 5.0, 500.0}) {
      CAPTURE(milliseconds);
      const double host = milliseconds / 1e3;
      const Settings engine = {{"host_ahead", ahead}, {"step_host", std::to_string(milliseconds) + " ms"}};
      const auto run = served(guesses, engine), without = served(guesses, {});
      CHECK(value(*run, "draft_time") == value(*without, "draft_time"));
      const double computed = value(*without, "decode_pass");
      CHECK(near(value(*run, "decode_pass"), *ahead == 't' ? std::max(computed, host) : computed + host, 1e-12));
    }
  }
}

TEST_CASE("defect serving S5: shares of what the passes' time rests on are all of it") {
  const std::pair<const char*, const char*> kRuns[] = {
      {"llama-3-8b", "llama-3-8b-serve-1xh100"}, {"llama-3-70b", "llama-3-70b-serve-4xh100"}, {"mixtral-8x7b", "mixtral-8x7b-serve-2xh100"}};
  for (const char* system : {"h100-80g-sxm", "b300-270g-sxm", "mi300x-192g"}) {
    for (const auto& [model, execution] : kRuns) {
      CAPTURE(system);
      CAPTURE(model);
      const auto run = prepare(model, execution, system);
      double sum = 0;
      for (const char* share : {"measured_time_share", "near_time_share", "assumed_time_share", "other_time_share"}) {
        CHECK_MESSAGE(value(*run, share) >= -1e-12, share);
        CHECK_MESSAGE(value(*run, share) <= 1 + 1e-12, share);
        sum += value(*run, share);
      }
      CHECK(near(sum, 1, 1e-12));
    }
  }
  CHECK(value(*prepare("llama-3-70b", "llama-3-70b-serve-4xh100", "mi355x-288g"), "measured_time_share") == 0);
  CHECK(value(*prepare("llama-3-8b", "llama-3-8b-serve-1xh100", "h100-80g-sxm"), "assumed_time_share") == 0);
}

TEST_CASE("defect serving S8: heads and columns that ranks do not divide are padded, and what that adds is counted") {
  const Settings clients = {{"stack", "vllm"}, {"clients", "16"}};
  const auto served = [&](int tp) { return serve("llama-3-70b", "gb200-nvl72", "serve, megatron", "{tp: " + std::to_string(tp) + "}", clients); };
  CHECK(value(*served(64), "padded_share") < 1e-3);
  for (const int tp : {36, 48, 72}) {
    CAPTURE(tp);
    const auto run = served(tp);
    // A rank has ceil(64 / tp) heads and ceil(28672 / tp) columns of the MLP.
    const double heads = std::ceil(64.0 / tp) * tp / 64;
    CHECK(value(*run, "padded_share") > 0);
    CHECK(value(*run, "padded_share") < 1 - 1 / heads + 1e-12);
    CHECK(value(*run, "decode_pass") > 0);
    const double divides = value(*served(tp == 36 ? 32 : 64), "weight_bytes_per_rank");
    CHECK(value(*run, "weight_bytes_per_rank") <= divides * heads);
  }
}

}  // namespace opledger
