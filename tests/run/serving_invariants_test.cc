#include <algorithm>
#include <cmath>

#include "accounting/graph_engine.h"
#include "tests/run/deployments.h"

/// Invariants of all models that serve requests, on random deployments.
namespace opledger::deployments {
namespace {

Words in_pass(const std::string& word) { return {{"pass", word}}; }

/// Runs `test` on all deployments, on round numbers and on machines, with a name for messages.
template <class Test>
void for_served(Test test) {
  for (const auto* list : {&on_round_numbers(), &on_machines()}) {
    for (const Served& s : *list) {
      const std::string deployment = s.deployment.text();
      CAPTURE(deployment);
      test(s.deployment, *s.run);
    }
  }
}

}  // namespace

TEST_CASE("serving: what a run gives is no parameter of a model, but for the lengths that both mean") {
  for (const Served& s : on_round_numbers()) {
    for (const auto& [input, _] : s.run->program().inputs) {
      const auto is_same_name = [&](const Definition& parameter) { return parameter.name == input->name; };
      if (!std::any_of(s.run->model()->parameters.begin(), s.run->model()->parameters.end(), is_same_name)) continue;
      CHECK_MESSAGE((input->name == "seq" || input->name == "context"), s.deployment.model, " ", input->name);
    }
  }
}

// Efficiencies of 1: measured kernels, and efficiencies that grow with size, may process both groups in less time than
// one of them, or in more than both.
TEST_CASE("serving invariant 5: a mixed pass takes at least as long as each of its groups, and no longer than one after the other") {
  for (const Served& s : on_round_numbers()) {
    const double decode = at(*s.run, "pass_time", in_pass("decode")), chunk = at(*s.run, "pass_time", in_pass("chunk")),
                 mixed = at(*s.run, "pass_time", in_pass("mixed"));
    CHECK_MESSAGE(mixed >= std::max(decode, chunk) * (1 - 1e-12), s.deployment.text());
    CHECK_MESSAGE(mixed <= (decode + chunk) * (1 + 1e-12), s.deployment.text());
  }
}

TEST_CASE("serving invariant 6: requests under way are those that come in the time that one takes") {
  for_served([](const Deployment& d, Run& run) {
    CHECK(near(value(run, "concurrency"), value(run, "requests_per_second") * value(run, "request_time"), 1e-12));
    // Sequences that decode, and prompts in progress.
    const double prompts = value(run, "requests_per_second") * value(run, "ttft");
    CHECK(near(value(run, "concurrency"), at(run, "replicas", in_pass("decode")) * d.setting("decoding") + prompts, 1e-12));
  });
}

TEST_CASE("serving invariant 7: what tokens take adds up to all the time there is, and what they cost to the price of all ranks") {
  for_served([](const Deployment& d, Run& run) {
    const double fresh = d.setting("prompt") - d.setting("cached"), rate = value(run, "requests_per_second"), further = d.setting("output") - 1;
    const double seconds = fresh * value(run, "input_token_time") + further * value(run, "output_token_time");
    CHECK(near(rate * seconds, at(run, "replicas", in_pass("decode")), 1e-12));
    const double price = 2.5 / 3600 * at(run, "ranks", in_pass("decode"));
    const double by_tokens = fresh * value(run, "cost_per_million_input") + further * value(run, "cost_per_million_generated");
    CHECK(near(rate * by_tokens / 1e6, price, 1e-12));
    CHECK(near(value(run, "output_tokens_per_second") * value(run, "cost_per_million_output") / 1e6, price, 1e-12));
  });
}

TEST_CASE("serving invariant 8: no guesses are plain decoding, and certain ones, for nothing, a token more each") {
  Random random(8);
  for_served([&](const Deployment& d, Run& run) {
    if (d.setting("drafted") == 0) {
      CHECK(value(run, "tokens_per_pass") == 1);
      CHECK(value(run, "draft_speedup") == 1);
      CHECK(value(run, "decode_pass") == at(run, "group_time", in_pass("plain")));
    } else if (random.coin()) {
      const auto certain = d.with({{"acceptance", "1"}, {"draft_time", "0 s"}}).run();
      CHECK(value(*certain, "tokens_per_pass") == d.setting("drafted") + 1);
      CHECK(near(value(*certain, "tpot") * (d.setting("drafted") + 1), value(*certain, "mean_pass"), 1e-12));
      CHECK(value(*certain, "tpot") <= value(run, "tpot") * (1 + 1e-12));
    }
  });
}

// Time is linear in the context where everything is at its peak, as long as no window ends within the response and nothing turns from bound by memory to bound
// by arithmetics: of attention both grow with the context, so it does not, and of all else neither.
TEST_CASE("serving invariant 9: one pass in the middle of a response stands for all, where time is linear in the context") {
  Random random(9);
  for (const Served& s : on_round_numbers()) {
    const int output = random.between(2, 9), prompt = static_cast<int>(s.deployment.setting("prompt"));
    const auto ends = [&](double window) { return window > prompt && window < prompt + output; };
    if (random.coin() || std::any_of(s.shape.windows.begin(), s.shape.windows.end(), ends)) continue;
    const Deployment d = s.deployment.with({{"output", std::to_string(output)}, {"sequence_groups", "1"}});
    const auto all = d.with({{"samples", "8"}}).run(), one = d.with({{"samples", "1"}}).run();
    CHECK_MESSAGE(near(value(*one, "generation_time"), value(*all, "generation_time"), 1e-9), d.text());
  }
}

TEST_CASE("serving invariant 12: as many sequences as fit do, and one more does not") {
  for_served([](const Deployment& d, Run& run) {
    const double most = value(run, "most_sequences_mean"), share = d.setting("memory_share") * value(run, "memory_capacity"), decoding = d.setting("decoding");
    const double stages = static_cast<double>(run.evaluator().elements(kStageSet).names.size());
    double fewest = INFINITY;
    for (double stage = 0; stage < stages; ++stage) {
      Point p = run.evaluator().choose(nowhere(), kStageSet, static_cast<WordId>(stage));
      p[run.program().find_set("pass")] = run.program().set(run.program().find_set("pass")).index.at("decode");
      const auto of_stage = [&](const char* name) { return run.evaluator().ask(*run.program().find(name), p).value.scalar.value; };
      CHECK(of_stage("resident_memory") + most * of_stage("own_bytes") <= share * (1 + 1e-12));
      fewest = std::min(fewest, std::floor((share - of_stage("resident_memory")) / of_stage("own_bytes")));
    }
    CHECK(most == fewest);
    CHECK(decoding > 0);
  });
}

TEST_CASE("serving invariant 12: a run with as many sequences as fit fits, and with one more is refused, if its passes are as large") {
  Random random(12);
  int compared = 0;
  for (const Served& s : on_machines()) {
    if (random.between(0, 3) > 0) continue;
    Deployment d = s.deployment.with({{"budget", "8192"}, {"sequence_groups", "1"}});
    const auto with = [&](double decoding) { return d.with({{"decoding", exact(decoding)}}).run(); };
    auto run = with(1);
    const double capacity = value(*run, "memory") + random.between(20, 300) * value(*run, "cache_bytes_per_sequence");
    d = d.with({{"system.memory.capacity", exact(capacity) + " byte"}, {"memory_share", "1"}});
    run = with(10);
    const double most = value(*run, "most_sequences_mean");
    run = with(most);
    if (value(*run, "most_sequences_mean") != most) continue;
    const auto more = with(most + 1);
    const auto fits = [&](Run& of) { return value(of, "memory") <= value(of, "memory_capacity"); };
    CHECK_MESSAGE(fits(*run), d.text(), " ", most);
    CHECK_MESSAGE(!fits(*more), d.text(), " ", most);
    ++compared;
  }
  CHECK(compared > 0);
}

TEST_CASE("serving invariant 13: one group of sequences passes the stages in the time of a pass, several in that or at the pace of the slowest") {
  for_served([](const Deployment& d, Run& run) {
    const double pass = at(run, "pass_time", in_pass("decode")), cycle = at(run, "stage_cycle", in_pass("decode"));
    const double groups = d.setting("sequence_groups") > 0 ? d.setting("sequence_groups") : at(run, "stages", in_pass("decode")),
                 drafts = d.setting("drafted") * (d.setting("draft_time"));
    CHECK(near(value(run, "decode_pass"), (groups == 1 ? pass : std::max(pass, groups * cycle)) + drafts, 1e-12));
  });
}

TEST_CASE("serving invariant 14: prefill workers per decode worker are the ratio of their times") {
  for_served([](const Deployment& d, Run& run) {
    const double alone = value(run, "prefill_time") / d.setting("prompts"), decode = value(run, "generation_time") / d.setting("decoding");
    const double stages = at(run, "stages", in_pass("prompt"));
    // Prompts that follow each other through stages arrive at the pace of the slowest stage.
    const double prefill = stages == 1 ? alone : at(run, "replicas", in_pass("prompt")) / value(run, "prefill_worker_rate");
    CHECK(prefill <= alone * (1 + 1e-12));
    if (stages > 1 && value(run, "prefill_parts") <= 1) CHECK(near(prefill, at(run, "stage_cycle", in_pass("prompt")) / d.setting("prompts"), 1e-12));
    CHECK(near(value(run, "prefill_workers_per_decode_worker"), prefill / decode, 1e-12));
    const double ranks = at(run, "ranks", in_pass("decode")), replicas = at(run, "replicas", in_pass("decode"));
    CHECK(near(value(run, "apart_tokens_per_second_per_rank"), d.setting("output") * replicas / (ranks * (prefill + decode)), 1e-12));
  });
}

// All ranks are on one network; otherwise the ranks on the fastest network differ.
TEST_CASE("serving invariant 15: the order of the mesh and that of the groups of a pass do not matter") {
  Random random(15);
  for (const Served& s : on_round_numbers()) {
    if (random.coin()) continue;
    Deployment other = random.reordered(s.deployment);
    other.accounting = document_of("turned");
    const auto run = other.run();
    for (const char* name :
         {"ttft", "tpot", "mixed_pass", "prefill_time", "generation_time", "memory", "cache_bytes_per_rank", "most_sequences", "concurrency", "mfu"})
      CHECK_MESSAGE(near(value(*run, name), value(*s.run, name), 1e-12), s.deployment.text(), " ", other.mesh(), " ", name);
  }
}

// Mixtral 8x7B: 32 layers of 8 experts with three matrices of 4096 x 14336, 46,702,792,704 parameters in all.
TEST_CASE("serving: experts cut over ranks that share no sequence") {
  const std::string rest = "accounting: serving\nprompt: 1024\noutput: 64\ndecoding: 4\n";
  const auto whole = prepare("mixtral-8x7b", execution("{dp: 4}", "serve, megatron", rest), "h100-80g-sxm");
  const auto split = prepare("mixtral-8x7b", execution("{dp: {etp: 4}}", "serve, split_experts, megatron", rest), "h100-80g-sxm");
  const double experts = 32.0 * 8 * 3 * 4096 * 14336 * 2, all = 46702792704.0 * 2;
  CHECK(value(*whole, "weight_bytes_per_rank") == all);
  CHECK(value(*split, "weight_bytes_per_rank") == all - experts * 3 / 4);
  CHECK(value(*split, "prefill_flops") == doctest::Approx(value(*whole, "prefill_flops")));
  double gathered = 0, scattered = 0;
  for (const Transfer& transfer : split->annotations().transfers) {
    gathered += transfer.kind == Collective::all_gather ? 1 : 0;
    scattered += transfer.kind == Collective::reduce_scatter ? 1 : 0;
  }
  CHECK(gathered == 3);  // Tokens, gates and numbers of experts.
  CHECK(scattered == 1);
}

}  // namespace opledger::deployments
