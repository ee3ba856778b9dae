#include "search/sweep/sweep.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "run/run.h"
#include "search/space/candidate_ranges.h"
#include "search/space/space_reader.h"
#include "search/store/value_pairs.h"
#include "tests/paths.h"
#include "tests/search/checked_space.h"
#include "tests/search/rows.h"
#include "tests/search/space_case.h"
#include "tests/support/random_count.h"

namespace opledger {
namespace {

/// Settings of deployments with separate workers for prefill and decode.
const std::vector<std::pair<std::string, std::string>> kWorkers = {{"processors", "16"}, {"prompt", "4096"}, {"output", "512"},     {"most_workers", "3"},
                                                                   {"prompts", "2"},     {"widest_tp", "4"}, {"longest_tpot", "30"}};

std::optional<Space> small_space(Library& library, Diagnostics& diagnostics) {
  RunRequest request;
  request.space = "calculon";
  request.model = "calculon/megatron-126M";
  request.system = "calculon/a100_80g";
  request.overrides = {{"num_procs", "12"}, {"max_batch_size", "12"}};
  std::optional<Space> space = read_space(request, library, diagnostics);
  REQUIRE_MESSAGE(space, render(diagnostics));
  return space;
}

}  // namespace

TEST_CASE("a sweep over values at words of cases finds what evaluating every candidate alone finds") {
  check_space({"disaggregated", "llama-3-8b", "h100-80g-sxm", kWorkers, {"apart_ttft", "worker_tokens_per_second_per_rank"}});
  if (testing::one_of(2) == 2) return;
  std::vector<std::pair<std::string, std::string>> other = kWorkers;
  other.emplace_back("decode.system", "h200-141g-sxm");
  check_space({"disaggregated", "llama-3-8b", "h100-80g-sxm", other, {"apart_tpot", "decode_memory"}});
}

TEST_CASE("workers that prefill and workers that decode: the best of a small space is that of runs one by one") {
  static Library library({source_folder()});
  const std::vector<std::pair<std::string, std::string>> all = {{"processors", "16"}, {"prompt", "4096"}, {"output", "512"},    {"budget", "8192"},
                                                                {"prompts", "1"},     {"widest_tp", "4"}, {"most_workers", "3"}};
  double best = 0;
  std::size_t feasible = 0;
  for (const int prompt_tp : {1, 2, 4}) {
    for (const int decode_tp : {1, 2, 4}) {
      for (const int decoding : {16, 64, 256}) {
        for (int x = 1; x <= 3; ++x) {
          for (int y = 1; y <= 3; ++y) {
            if (x * prompt_tp + y * decode_tp > 16) continue;
            const auto text = [](int n) { return std::to_string(n); };
            RunRequest request;
            request.model = "llama-3-8b", request.system = "h100-80g-sxm";
            request.accounting = "serving";
            request.overrides = {{"prompt", "4096"},
                                 {"output", "512"},
                                 {"budget", "8192"},
                                 {"prompts", "1"},
                                 {"workers", "apart"},
                                 {"tp", text(prompt_tp)},
                                 {"decode.tp", text(decode_tp)},
                                 {"decoding", text(decoding)},
                                 {"prefill_workers", text(x)},
                                 {"decode_workers", text(y)}};
            request.rules = Datum::list({Datum::scalar("serve", false, {}), Datum::scalar("megatron", false, {})}, {});
            Diagnostics diagnostics;
            const auto run = Run::prepare(request, library, diagnostics);
            REQUIRE_MESSAGE(run, render(diagnostics));
            const double latency = run->value("apart_tpot", diagnostics)->scalar.value;
            if (!run->violations(diagnostics).empty() || latency > 0.02) continue;
            ++feasible;
            best = std::max(best, run->value("worker_tokens_per_second_per_rank", diagnostics)->scalar.value);
          }
        }
      }
    }
  }
  RunRequest request;
  request.space = "disaggregated", request.model = "llama-3-8b", request.system = "h100-80g-sxm";
  request.overrides = all;
  request.overrides.emplace_back("longest_tpot", "20");
  Diagnostics diagnostics;
  std::optional<Space> space = read_space(request, library, diagnostics);
  REQUIRE_MESSAGE(space, render(diagnostics));
  Rows rows;
  SweepRequest request_of_sweep;
  request_of_sweep.metrics = {space->objective};
  list_into(request_of_sweep, rows);
  const std::optional<SweepResult> found = sweep(*space, request_of_sweep, diagnostics);
  REQUIRE_MESSAGE(found, render(diagnostics));
  const auto decoding =
      std::find_if(space->axes.begin(), space->axes.end(), [](const SpaceAxis& axis) { return axis.input->name == "decoding"; }) - space->axes.begin();
  double most = 0;
  std::size_t same = 0;
  for (const auto& row : rows) {
    if (const double d = row[static_cast<std::size_t>(decoding)]; d != 16 && d != 64 && d != 256) continue;
    ++same;
    most = std::max(most, row.back());
  }
  CHECK(same == feasible);
  CHECK(feasible > 0);
  CHECK(std::bit_cast<std::uint64_t>(most) == std::bit_cast<std::uint64_t>(best));
}

TEST_CASE("a sweep finds what evaluating every candidate alone finds: counts, reasons, sums, and the best to the bit") {
  const std::vector<const char*> sizes = {"6", "1", "2", "12"};
  for (std::size_t i = 0; i < sizes.size(); i += static_cast<std::size_t>(testing::one_of(4))) {
    const char* const procs = sizes[i];
    check_space({"calculon",
                 "calculon/megatron-126M",
                 "calculon/a100_80g",
                 {{"num_procs", procs}, {"max_batch_size", "12"}, {"data_par_overlap", "false"}},
                 {"total_time", "proc_mem_tier1_cap_req"}});
  }
  check_space({"calculon",
               "calculon/gpt3-13B",
               "calculon/h100_80g_nvl8",
               {{"num_procs", "16"}, {"max_batch_size", "8"}, {"seq_par_ag_redo", "false"}},
               {"total_time"}});
}

TEST_CASE("a sweep of deployments finds what evaluating every candidate alone finds: experts, latent attention, machines with measured kernels") {
  struct Deployment {
    const char* model;
    std::vector<std::pair<std::string, std::string>> settings;
  };
  const std::vector<Deployment> deployments = {
      {"llama-3-8b", {{"processors", "4"}, {"deepest_pp", "2"}}},
      {"deepseek-v2-lite", {{"processors", "4"}, {"widest_ep", "2"}, {"prompt", "4000"}}},
      {"mixtral-8x7b", {{"processors", "8"}, {"widest_ep", "4"}, {"most_decoding", "256"}, {"longest_tpot", "20 ms"}}}};
  for (const char* system : testing::some_of(std::vector{"h200-141g-sxm", "h100-80g-sxm"}, 2)) {
    for (const Deployment& deployment : testing::some_of(deployments, 3)) {
      CAPTURE(system);
      CAPTURE(deployment.model);
      check_space({"serving", deployment.model, system, deployment.settings, {"tpot"}});
    }
  }
}

TEST_CASE("recordings that are dropped and replaced by new ones change no row and no best candidate") {
  const std::vector<SpaceCase> cases = {
      {"standard", "llama-3-8b", "h100-80g-sxm", {{"processors", "16"}, {"batch_size", "32"}, {"most_chunks", "2"}}},
      {"serving", "llama-3-8b", "h100-80g-sxm", {{"processors", "4"}, {"most_decoding", "64"}}},
  };
  for (const SpaceCase& c : cases) {
    CAPTURE(c.space);
    std::vector<Rows> rows(2);
    std::vector<SweepResult> results;
    for (const std::size_t most : {std::size_t{1}, ~std::size_t{0}}) {
      Library library({source_folder()});
      Diagnostics diagnostics;
      std::optional<Space> space = read_space(request_of(c), library, diagnostics);
      REQUIRE_MESSAGE(space, render(diagnostics));
      SweepRequest request;
      request.max_recorded = most;
      list_into(request, rows[results.size()]);
      const std::optional<SweepResult> result = sweep(*space, request, diagnostics);
      REQUIRE_MESSAGE(result, render(diagnostics));
      const auto& traces = result->known->all();
      const auto dropped = std::find_if(traces.begin(), traces.end(), [](const auto& trace) { return trace->is_dropped; });
      CHECK((dropped != traces.end()) == (most == 1));
      // A single candidate of a dropped recording gets a new one.
      const Rows& own = rows[results.size()];
      CHECK(!result->known->of({own[0].begin(), own[0].begin() + static_cast<std::ptrdiff_t>(space->axes.size())}).is_dropped);
      results.push_back(*result);
    }
    CHECK(rows[0].size() > 20);
    CHECK(rows[0] == rows[1]);
    REQUIRE(results[0].best.size() == results[1].best.size());
    for (std::size_t i = 0; i < results[0].best.size(); ++i) CHECK(results[0].best[i].values == results[1].best[i].values);
    CHECK(results[0].infeasible == results[1].infeasible);
  }
}

TEST_CASE("axes stop after the first value without a feasible candidate, whatever the requested outputs") {
  const std::vector<std::pair<std::string, std::string>> settings = {{"num_procs", "16"},          {"max_batch_size", "16"},
                                                                     {"seq_par_ag_redo", "false"}, {"optimizer_offload", "false"},
                                                                     {"weight_offload", "false"},  {"data_par_overlap", "false"}};
  const std::vector<std::pair<std::vector<std::string>, const char*>> all = {
      {{"microbatch_size"}, "microbatch_size != 2"},
      {{"tensor_par_net", "microbatch_size"}, "tensor_par != 2 and microbatch_size * tensor_par <= 8"},
      {{"activation_recompute"}, "activation_recompute != attn_only or tensor_par > 2"},
      {{"tensor_par"}, "tensor_par != 2"},
      {{"pipeline_par", "tensor_par_overlap", "data_par_net"}, "pipeline_par != 2 and tensor_par_overlap != ring"}};
  for (const auto& [stops, where] : testing::some_of(all, 10)) {
    CAPTURE(where);
    check_space({"calculon", "calculon/gpt3-13B", "calculon/a100_80g", settings, {"total_time"}, stops, where});
  }
}

TEST_CASE("an axis doesn't stop at a value without candidates, and is counted where it leaves none") {
  std::vector<std::pair<std::string, std::string>> settings = {{"num_procs", "16"}, {"max_batch_size", "4"}, {"data_par_overlap", "false"}};
  check_space({"calculon", "calculon/gpt3-13B", "calculon/a100_80g", settings, {"total_time"}, {"pipeline_par"}, "pipeline_par != 4"});
  check_space({"calculon", "calculon/gpt3-13B", "calculon/a100_80g", settings, {"total_time"}, {"tensor_par", "microbatch_size"}, "tensor_par != 2"});
}

TEST_CASE("candidate ranges cover all candidates in order within the size limit, and counting agrees") {
  Library library({source_folder()});
  Diagnostics diagnostics;
  std::optional<Space> space = small_space(library, diagnostics);
  const std::uint64_t total = CandidateRanges(*space).total(diagnostics).value_or(0);
  CHECK(total > 10000);
  Assignment all(*space);
  std::vector<std::vector<double>> expected;
  all.each(0, all.all(), diagnostics, [&](AxisSet) {
    expected.push_back(all.values);
    return true;
  });
  CHECK(expected.size() == total);
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::pair<double, double>>> cells;
  for (const auto& values : expected) {
    for (std::size_t outer = 0; outer < values.size(); ++outer) {
      for (std::size_t inner = outer + 1; inner < values.size(); ++inner) cells[{outer, inner}].emplace(values[outer], values[inner]);
    }
  }
  CHECK((ValuePairs(*space, diagnostics).take() == cells));
  const Region everything;
  for (const std::uint64_t most : testing::some_of(std::vector{std::uint64_t{7}, std::uint64_t{1}, std::uint64_t{500}, total, kMaxCandidates}, 10)) {
    CAPTURE(most);
    CandidateRanges stretches(*space);
    stretches.limit_candidates(most);
    std::uint64_t number = 0;
    std::vector<std::vector<double>> found;
    while (const std::optional<CandidateRange> stretch = stretches.next(diagnostics)) {
      CHECK(stretch->number == number++);
      CHECK(stretch->candidates <= most);
      const std::size_t before = found.size();
      all.enter(*stretch, everything);
      all.each(stretch->known, all.all(), diagnostics, [&](AxisSet) {
        found.push_back(all.values);
        return true;
      });
      CHECK(found.size() - before == stretch->candidates);
    }
    CHECK((found == expected));
    CHECK(!diagnostics.has_errors());
  }
}

TEST_CASE("candidates that agree on the axes before a stopping axis share one candidate range") {
  Library library({source_folder()});
  Diagnostics diagnostics;
  std::optional<Space> space = small_space(library, diagnostics);
  const std::uint64_t total = CandidateRanges(*space).total(diagnostics).value_or(0);
  const Region everything;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}, std::size_t{4}, std::size_t{9}}) {
    CAPTURE(axis);
    Assignment all(*space);
    CandidateRanges stretches(*space);
    stretches.limit_candidates(50);
    stretches.keep_together_before(axis);
    std::uint64_t found = 0;
    std::set<std::vector<double>> before;
    while (const std::optional<CandidateRange> stretch = stretches.next(diagnostics)) {
      std::set<std::vector<double>> now;
      all.enter(*stretch, everything);
      all.each(stretch->known, all.all(), diagnostics, [&](AxisSet) {
        now.emplace(all.values.begin(), all.values.begin() + static_cast<std::ptrdiff_t>(axis));
        ++found;
        return true;
      });
      for (const auto& values : now) CHECK(before.insert(values).second);
    }
    CHECK(found == total);
  }
}

TEST_CASE("a sweep finds the same, bit for bit, with any number of threads") {
  std::vector<SweepResult> all;
  for (const std::size_t jobs : {1, 2, 5}) {
    Library library({source_folder()});
    Diagnostics diagnostics;
    RunRequest request;
    request.space = "calculon";
    request.model = "calculon/gpt3-13B";
    request.system = "calculon/a100_80g";
    request.overrides = {{"num_procs", "64"}};
    std::optional<Space> space = read_space(request, library, diagnostics);
    REQUIRE_MESSAGE(space, render(diagnostics));
    SweepRequest request_of_sweep;
    request_of_sweep.top = 50;
    request_of_sweep.sums = {"total_time"};
    request_of_sweep.jobs = jobs;
    const std::optional<SweepResult> result = sweep(*space, request_of_sweep, diagnostics);
    REQUIRE_MESSAGE(result, render(diagnostics));
    all.push_back(*result);
  }
  for (const SweepResult& other : all) {
    CHECK(other.candidates == all[0].candidates);
    CHECK(other.infeasible == all[0].infeasible);
    CHECK(std::bit_cast<std::uint64_t>(other.sums[0].value()) == std::bit_cast<std::uint64_t>(all[0].sums[0].value()));
    REQUIRE(other.best.size() == all[0].best.size());
    for (std::size_t i = 0; i < other.best.size(); ++i) CHECK(other.best[i].values == all[0].best[i].values);
  }
}

}  // namespace opledger
