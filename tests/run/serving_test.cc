#include "tests/run/serving_table.h"
#include "tests/support/runs.h"

/// Serving: requests, continuous batching, separate workers, speculation and memory, compared with independently
/// computed figures (tests/data/serving/figures.csv).
namespace opledger {
namespace {

const std::string kMachine = source_folder() + "/tests/data/serving/plain.yaml", kNarrow = source_folder() + "/tests/data/serving/narrow.yaml";

std::unique_ptr<Run> serve(const std::string& model, const Settings& settings, const std::string& mesh = "{tp: 1}", const std::string& machine = kMachine) {
  return prepare(model, execution(mesh, "serve, megatron, " + kNarrow, "accounting: serving\n"), machine, settings);
}

Settings settings_of(const std::string& text) {
  Settings out;
  std::istringstream words(text);
  for (std::string word; words >> word;) out.emplace_back(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
  return out;
}

/// Returns the seconds by which the figures are larger: in a pipeline they count the embedding, and a quarter of its
/// reduction, on the slowest stage too, which only has the head.
double embedding_elsewhere(const std::string& metric, double tokens, double cycles) {
  const double hidden = 8192, table = (8 * tokens + 2 * tokens * hidden * 2) / 4e12, reduction = tokens * hidden * 2 / 400e9 / 4;
  return metric.empty() ? 0 : cycles * (table + reduction);
}

double left_out(const std::vector<std::string>& row) {
  if (row[1].find("pp") == std::string::npos) return 0;
  for (const auto& [key, value] : settings_of(row[3])) {
    const double n = std::stod(value);
    if (row[4] == "decode_pass" && key == "sequence_groups" && n > 2) return embedding_elsewhere(row[4], 64 / n, n);
    if (row[4] == "prefill_time" && key == "budget" && n < 8192) return embedding_elsewhere(row[4], n, 8192 / n - 1);
  }
  return 0;
}

}  // namespace

TEST_CASE("serving: times, rates, memory and shares are those that were worked out") {
  std::string before;
  std::unique_ptr<Run> run;
  for (const std::vector<std::string>& row : serving_table("figures.csv")) {
    const std::string& text = row[0] + " " + row[1] + " " + row[2] + " " + row[3];
    CAPTURE(text);
    if (text != before) {
      Settings all = {{"page", "1"}, {"wide", row[2] + "B"}};
      for (auto& setting : settings_of(row[3])) all.push_back(setting);
      std::string mesh = row[1];
      if (const std::size_t gap = mesh.find(" tp"); gap != std::string::npos) mesh.insert(gap, ",");
      run = serve(row[0], all, mesh);
      before = text;
    }
    // of many parts of prompts a few represent all: 4 for 16, if kernels change the bound
    const double share = row[4] == "prefill_time" && row[3].find("prompt=8192 output=512 budget=512 ") == 0 ? 1e-4 : 1e-12;
    CHECK_MESSAGE(near(value(*run, row[4]) + left_out(row), std::stod(row[5]), share), row[4], " ", value(*run, row[4]), " ", row[5]);
  }
}

TEST_CASE("serving: prompts that need more passes than there are, and caches that do not fit, are refused") {
  const auto refused = [](const Settings& settings) {
    const auto run = serve("llama-3-8b", settings);
    const std::vector<Violation> all = run->violations(said());
    return all.empty() ? std::string() : all.front().reason;
  };
  CHECK(refused({{"prompt", "2048"}, {"output", "256"}, {"decoding", "64"}}).empty());
  CHECK(refused({{"prompt", "2048"}, {"output", "2560"}, {"decoding", "400"}}) == "out of memory");
  CHECK(refused({{"prompt", "2048"}, {"output", "256"}, {"decoding", "256"}, {"cache_width", "0.5 B"}}) == "prompts need more than the budget");
  CHECK(refused({{"prompt", "64"}, {"output", "256"}, {"decoding", "4000"}, {"cache_width", "0 B"}}) == "prompts need more than the budget");
  CHECK(refused({{"prompt", "1024"}, {"output", "1024"}, {"decoding", "276"}}) == "cache does not fit");
}

TEST_CASE("serving: full pages of what all prompts begin with are kept once, and prompts are no shorter than that") {
  const auto with = [](const char* shared) { return serve("llama-3-8b", {{"prompt", "500"}, {"output", "100"}, {"decoding", "8"}, {"shared", shared}}); };
  // 550 tokens half-way through a response are 35 pages of 16; of 499 or 500 tokens 31 pages are full
  const double token = 131072;
  for (const char* shared : {"499", "500"}) CHECK(value(*with(shared), "cache_bytes_per_rank") == (8 * (560 - 496) + 496) * token);
  const auto more = with("2048");
  CHECK(value(*more, "cache_bytes_per_rank") == (8 * (560 - 496) + 496) * token);
  REQUIRE(!more->violations(said()).empty());
  CHECK(more->violations(said()).front().reason == "prompts are shorter than their shared prefix");
}

TEST_CASE("serving: a stage without caches leaves room for any number of sequences") {
  const Settings lengths = {{"prompt", "2048"}, {"output", "256"}};
  const auto with = [&](const Settings& more) {
    Settings all = lengths;
    all.insert(all.end(), more.begin(), more.end());
    return value(*serve("llama-3-8b", all, "{pp: 2, tp: 1}"), "most_sequences");
  };
  const double all_on_one = with({{"stage_layers", "[0, 32]"}});
  CHECK(all_on_one > 100);
  CHECK(all_on_one < with({{"stage_layers", "[16, 16]"}}));
}

TEST_CASE("serving: ranks of tensor parallelism keep together what one would, until heads are repeated") {
  const auto cache = [](int tp) {
    return value(*serve("llama-3-8b", {{"prompt", "4000"}, {"decoding", "4"}}, "{tp: " + std::to_string(tp) + "}"), "cache_bytes_per_sequence");
  };
  for (const int tp : {2, 4, 8}) CHECK(tp * cache(tp) == cache(1));
  CHECK(16 * cache(16) == 2 * cache(1));
}

/// 16 ranks are twice as many as key-value heads: each head is on two ranks, or each of the two has half of its tokens.
TEST_CASE("serving: keys of a sequence over ranks take as much less room, and as many operations") {
  const auto with = [](const std::string& mesh, const std::string& rules, const Settings& more) {
    Settings all = {{"prompt", "4000"}, {"output", "96"}, {"decoding", "4"}, {"page", "1"}};
    all.insert(all.end(), more.begin(), more.end());
    return prepare("llama-3-8b", execution(mesh, rules, "accounting: serving\n"), kMachine, all);
  };
  const auto repeated = with("{tp: 16}", "serve, megatron, " + kNarrow, {});
  const auto split = with("{tp: {tg: 8, dcp: 2}}", "serve, split_keys, megatron, " + kNarrow, {{"split_keys", "true"}});
  for (const char* name : {"cache_bytes_per_sequence", "cache_bytes_per_token", "cache_bytes_per_rank"})
    CHECK_MESSAGE(2 * value(*split, name) == value(*repeated, name), name);
  // a query sees half of the keys on each of two ranks, on which twice as many heads are
  CHECK(near(value(*split, "decode_flops"), value(*repeated, "decode_flops"), 1e-12));
  CHECK(value(*split, "most_sequences") >= 2 * value(*repeated, "most_sequences"));
}

TEST_CASE("serving: prices of tokens add up to that of the whole, whether prompts ride along or have passes of their own") {
  for (const char* rides : {"true", "false"}) {
    CAPTURE(rides);
    const auto run = serve("llama-3-8b", {{"prompt", "1024"},
                                          {"output", "256"},
                                          {"decoding", "32"},
                                          {"budget", "512"},
                                          {"rides", rides},
                                          {"drafted", "2"},
                                          {"draft_time", "1 ms"},
                                          {"system.price", "2 USD/hour"}});
    const double whole = 256 * value(*run, "cost_per_million_output"),
                 parts = 1024 * value(*run, "cost_per_million_input") + 255 * value(*run, "cost_per_million_generated");
    CHECK(near(parts, whole, 1e-12));
    CHECK(value(*run, "cost_per_million_input") > 0);
  }
}

TEST_CASE("serving: clients are those of the replicas that decode, and count what makes guesses") {
  const Settings all = {{"prompt", "1024"}, {"output", "256"}, {"clients", "24"}};
  const auto with = [&](const Settings& more, const std::string& mesh) {
    Settings settings = all;
    settings.insert(settings.end(), more.begin(), more.end());
    return serve("llama-3-8b", settings, mesh);
  };
  CHECK(near(value(*with({}, "{dp: 4, tp: 1}"), "concurrency"), 24, 1e-9));
  CHECK(near(value(*with({{"decode.dp", "1"}}, "{dp: 4, tp: 1}"), "concurrency"), 24, 1e-9));
  CHECK(near(value(*with({{"draft.model", "mamba-2.8b"}, {"drafted", "2"}}, "{tp: 1}"), "concurrency"), 24, 1e-9));
  CHECK(value(*with({{"clients", "0"}}, "{tp: 1}"), "sequences_decoding") == 1);
  // Nothing fits: the reason names the obstacle, not the number of clients.
  const auto full = with({{"workspace", "79 GiB"}}, "{tp: 1}");
  const std::vector<Violation> why = full->violations(said());
  REQUIRE(!why.empty());
  CHECK(why.front().reason == "out of memory");
}

TEST_CASE("serving: guesses count where workers decode alone, and no more are right than are made") {
  const Settings guesses = {{"prompt", "1024"}, {"output", "256"}, {"decoding", "8"}, {"drafted", "3"}, {"acceptance", "1"}, {"draft_time", "100 ms"}};
  const auto run = serve("llama-3-8b", guesses);
  // three guesses of 100 ms for four tokens, and a pass
  CHECK(value(*run, "apart_tpot") > 0.075);
  CHECK(near(value(*run, "apart_tpot"), value(*run, "decode_pass") / 4, 1e-2));
  Settings more = guesses;
  more.emplace_back("accepted", "4");
  REQUIRE(!serve("llama-3-8b", more)->violations(said()).empty());
  CHECK(serve("llama-3-8b", more)->violations(said()).front().reason == "more guesses right than made");
}

TEST_CASE("serving: a pipeline of workers that prefill gives as many prompts as its slowest stage") {
  const Settings lengths = {{"prompt", "1024"}, {"output", "256"}, {"decoding", "8"}};
  const double one = value(*serve("llama-3-8b", lengths), "prefill_worker_rate"),
               four = value(*serve("llama-3-8b", lengths, "{pp: 4, tp: 1}"), "prefill_worker_rate");
  CHECK(four > 3 * one);
  CHECK(four < 4 * one);
}

TEST_CASE("serving: guesses take a pass of the model that makes them, and its weights and cache room") {
  const Settings all = {{"prompt", "2048"}, {"output", "256"}, {"decoding", "16"}};
  for (const char* mesh : {"{tp: 4}", "{pp: 4, tp: 2}"}) {
    CAPTURE(mesh);
    const auto with = [&](const char* model, const Settings& more) {
      Settings settings = all;
      settings.insert(settings.end(), more.begin(), more.end());
      return serve(model, settings, mesh);
    };
    const auto drafts = with("llama-3-70b", {{"drafted", "3"}, {"draft.model", "llama-3-8b"}}), stated = with("llama-3-70b", {{"drafted", "3"}});
    const auto alone = with("llama-3-8b", {});
    CHECK(value(*drafts, "draft_time") == value(*alone, "decode_pass"));
    CHECK(value(*stated, "draft_time") == 0);
    CHECK(near(value(*drafts, "decode_pass"), value(*stated, "decode_pass") + 3 * value(*alone, "decode_pass"), 1e-12));
    // the target's caches are of three tokens more, its own half-way through a response
    const double more = value(*drafts, "memory") - value(*stated, "memory"), weights = value(*alone, "weight_bytes_per_rank");
    const double caches = value(*with("llama-3-8b", {{"drafted", "3"}}), "cache_bytes_per_rank");
    CHECK(more >= weights + value(*alone, "cache_bytes_per_rank"));
    CHECK(more <= weights + caches * (1 + 1e-12));
    CHECK(value(*drafts, "most_sequences") < value(*stated, "most_sequences"));
    CHECK(value(*with("llama-3-70b", {{"drafted", "3"}, {"draft.model", "llama-3-8b"}, {"draft_time", "1 ms"}}), "draft_time") == 1e-3);
  }
}

TEST_CASE("serving: workers of two machines are each what they are on their own") {
  const Settings all = {{"prompt", "2048"}, {"output", "256"}, {"decoding", "16"}};
  const auto on = [&](const std::string& machine, const Settings& more) {
    Settings settings = all;
    settings.insert(settings.end(), more.begin(), more.end());
    return prepare("llama-3-8b", execution("{tp: 2}", "serve, megatron", "accounting: serving\n"), machine, settings);
  };
  const auto both = on("h100-80g-sxm", {{"decode.system", "h200-141g-sxm"}, {"system.price", "2 USD/hour"}, {"decode.system.price", "3 USD/hour"}});
  const auto prefills = on("h100-80g-sxm", {}), decodes = on("h200-141g-sxm", {});
  for (const char* metric : {"prefill_time", "prefill_memory", "prefill_memory_capacity"})
    CHECK_MESSAGE(value(*both, metric) == value(*prefills, metric), metric);
  for (const char* metric : {"apart_tpot", "decode_memory", "memory_capacity", "most_sequences", "decode_pass"})
    CHECK_MESSAGE(value(*both, metric) == value(*decodes, metric), metric);
  CHECK(value(*both, "memory_capacity") > value(*both, "prefill_memory_capacity"));
  CHECK(value(*both, "transfer_time") == std::max(value(*prefills, "transfer_time"), value(*decodes, "transfer_time")));
  const double rate = std::min(1 / value(*prefills, "prefill_time"), 16 / value(*decodes, "generation_time"));
  CHECK(near(value(*both, "worker_cost_per_million_output"), (2 * 2 + 2 * 3) / 3600.0 / (rate * 256) * 1e6, 1e-12));
}

TEST_CASE("serving: equal workers divide their time in proportion to prompts and responses") {
  const auto run = serve("llama-3-8b", {{"prompt", "2048"}, {"output", "256"}, {"decoding", "16"}, {"budget", "100000"}});
  CHECK(near(value(*run, "prefill_workers_per_decode_worker"), value(*run, "prefill_time") / (value(*run, "generation_time") / 16), 1e-12));
}

// A pass of listed prompts does the work of their single passes, and a mean token of a long prompt reads more keys than half the mean length.
TEST_CASE("serving: prompts of listed lengths do the work of their single passes") {
  const Settings common = {{"output", "64"}, {"budget", "16384"}, {"decoding", "4"}, {"page", "1"}};
  const auto with = [&](const Settings& more) {
    Settings all = common;
    all.insert(all.end(), more.begin(), more.end());
    return serve("llama-3-8b", all);
  };
  const std::string lengths = "[2048, 1024, 512, 512]";
  const auto listed = with({{"documents", lengths}, {"prompts", "4"}});
  double flops = 0, input = 0;
  for (const char* length : {"2048", "1024", "512", "512"}) {
    flops += value(*with({{"prompt", length}}), "prefill_flops");
    input += value(*listed, "requests_per_second") * std::stod(length) / 4;
  }
  CHECK(near(value(*listed, "prefill_flops"), flops, 1e-12));
  CHECK(near(value(*listed, "input_tokens_per_second"), input, 1e-12));
  CHECK(near(value(*with({{"documents", lengths}, {"prompts", "8"}}), "prefill_flops"), 2 * flops, 1e-12));

  const auto equal = with({{"documents", "[1024, 1024]"}, {"prompts", "2"}}), plain = with({{"prompt", "1024"}, {"prompts", "2"}});
  for (const char* metric : {"tpot", "ttft", "prefill_flops", "memory", "most_sequences", "prefill_memory", "requests_per_second"}) {
    CHECK_MESSAGE(near(value(*equal, metric), value(*plain, metric), 1e-12), metric);
  }
  CHECK(value(*listed, "mixed_pass") > value(*plain, "mixed_pass"));
  for (const auto& [key, text] : Settings{{"prompt", "7"}, {"cached", "8"}, {"mean_document", "8"}, {"shared", "600"}, {"longest", "2000"}}) {
    CHECK_MESSAGE(!with({{"documents", lengths}, {key, text}})->violations(said()).empty(), key);
  }
}

// Pages of 16 tokens of vLLM's cache on H100 of 79.65 GiB, nine tenths of which it may use, with 128 sequences. The last two models have the
// sizes of Mistral Nemo 12B and Yi 34B. Source: github.com/inference-sim/inference-sim, f90a1e3; Llama 2 7B ran on 0.15.1, the other releases
// are not stated. The workspace of the stack is fitted to these rows, one constant for all.
TEST_CASE("serving: the cache has as many pages as logs of an engine state") {
  for (const std::vector<std::string>& row : serving_table("pools.csv")) {
    Settings all = {{"system.memory.capacity", "79.65 GiB"}, {"max_sequences", "128"}, {"budget", row[3]}};
    for (auto& setting : settings_of(row[2])) all.push_back(setting);
    const auto run = prepare(row[0], execution("{tp: " + row[1] + "}", "serve, megatron", "accounting: serving\nstack: vllm-0.11\n"), "h100-80g-sxm", all);
    const double pages = value(*run, "cache_tokens") / 16, logged = std::stod(row[4]);
    CHECK_MESSAGE(near(pages, logged, 0.01), row[0], " ", row[1], " ", pages, " ", logged);
  }
}

TEST_CASE("serving: no more sequences run at once than the engine admits") {
  const Settings clients = {{"prompt", "512"}, {"output", "128"}, {"clients", "64"}};
  const auto with = [&](const Settings& more) {
    Settings all = clients;
    all.insert(all.end(), more.begin(), more.end());
    return serve("llama-3-8b", all);
  };
  CHECK(value(*with({}), "concurrency") == doctest::Approx(64).epsilon(1e-6));
  const auto limited = with({{"max_sequences", "8"}});
  CHECK(value(*limited, "concurrency") == doctest::Approx(8).epsilon(1e-6));
  // 4 KiB for each of 128,256 logits of eight sequences are more than the operands of a pass
  CHECK(value(*with({{"max_sequences", "8"}, {"sampler_width", "4096 B"}}), "working_bytes_per_rank") == 4096.0 * 8 * 128256);
  const auto asked = with({{"max_sequences", "8"}, {"decoding", "9"}});
  REQUIRE(!asked->violations(said()).empty());
  CHECK(asked->violations(said()).front().reason == "more sequences than the engine admits");
}

TEST_CASE("serving: a run is told of modules for guessed tokens that it does not use") {
  const auto remarks = [](const std::string& model, const Settings& settings) { return serve(model, settings, "{tp: 8}")->remarks(said()).size(); };
  CHECK(remarks("deepseek-v3", {}) == 1);
  CHECK(remarks("deepseek-v3", {{"drafted", "1"}}) == 0);
  CHECK(remarks("llama-3-8b", {}) == 0);
}

}  // namespace opledger
