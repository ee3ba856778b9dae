#include "tests/run/deployments.h"
#include "tests/run/serving_table.h"

/// Parts of serving compared with independently computed figures (tests/data/serving): visible keys, caches, workers,
/// prices, parameters.
namespace opledger::deployments {
namespace {

Deployment on_ranks(const std::string& model, const std::string& tp, const std::string& accounting, Settings settings) {
  return {model, document_of("plain"), accounting, {{"dp", "1"}, {"tp", tp}}, std::move(settings)};
}

}  // namespace

TEST_CASE("serving: keys that a query sees, as they were worked out") {
  std::vector<std::vector<std::string>> rows = serving_table("mean_keys.csv");
  for (const auto& row : rows) {
    const Settings sizes = {{"generates", "true"}, {"seq", row[0]}, {"context", row[1]}, {"attention_window", row[2]}, {"layers", "1"}};
    const auto run = on_ranks("llama-3-8b", "1", document_of("calls"), sizes).run();
    // A pair of query and key has two products of 128 numbers for each of 32 heads.
    CHECK_MESSAGE(near(value(*run, "attention_flops_of_layers"), std::stod(row[0]) * std::stod(row[3]) * 32 * 4 * 128, 1e-15), row[0], " of ", row[1], ", ",
                  row[2]);
  }
}

TEST_CASE("serving: caches of one sequence, in tokens and in pages, as they were worked out") {
  const std::vector<std::vector<std::string>> rows = serving_table("caches.csv");
  const std::vector<std::string> words = {"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"};
  REQUIRE(rows.size() % 4 == 0);
  for (std::size_t i = 0; i < rows.size(); i += 4) {  // four contexts per model and number of ranks
    Settings calls = {{"generates", "true"}, {"seq", "1"}, {"absorbed", "true"}};
    for (std::size_t j = 0; j < 4; ++j) {
      REQUIRE((rows[i + j][0] == rows[i][0] && rows[i + j][1] == rows[i][1]));
      for (const std::size_t paged : {0, 1}) {
        calls.emplace_back(words[2 * j + paged] + ".context", rows[i + j][2]);
        calls.emplace_back(words[2 * j + paged] + ".page", paged != 0 ? "64" : "1");
      }
    }
    if (rows[i][0].find("deepseek") == std::string::npos) calls.erase(calls.begin() + 2);
    const auto run = on_ranks(rows[i][0], rows[i][1], document_of("calls"), calls).run();
    for (std::size_t j = 0; j < 4; ++j) {
      const auto cache = [&](std::size_t paged) { return at(*run, "cache_bytes_per_sequence", {{"call", words[2 * j + paged]}}); };
      CHECK_MESSAGE(cache(0) == std::stod(rows[i + j][3]), rows[i][0], " tp ", rows[i][1], " at ", rows[i + j][2]);
      CHECK_MESSAGE(cache(1) == std::stod(rows[i + j][4]), rows[i][0], " tp ", rows[i][1], " at ", rows[i + j][2]);
    }
  }
}

TEST_CASE("serving: of whole workers, those that were worked out serve most, and their neighbours serve no more") {
  for (const auto& row : serving_table("workers.csv")) {
    const int prefill = std::stoi(row[5]), decode = std::stoi(row[6]), ranks = std::stoi(row[4]);
    const auto with = [&](int x, int y) {
      return on_ranks("gpt2", "1", document_of("rates"),
                      {{"prompt", "500"},
                       {"given_prefill_rate", row[0]},
                       {"given_decode_rate", row[1]},
                       {"prompt.dp", row[2]},
                       {"decode.dp", row[3]},
                       {"prefill_workers", std::to_string(x)},
                       {"decode_workers", std::to_string(y)}})
          .run();
    };
    const auto best = with(prefill, decode);
    CHECK(value(*best, "worker_ranks") == prefill * std::stoi(row[2]) + decode * std::stoi(row[3]));
    CHECK(value(*best, "worker_requests_per_second") == std::stod(row[7]));
    CHECK(near(value(*best, "worker_rate_per_rank"), std::stod(row[8]), 1e-15));
    for (const int x : {prefill - 1, prefill, prefill + 1}) {
      for (const int y : {decode - 1, decode, decode + 1}) {
        if (x < 1 || y < 1) continue;
        const auto other = with(x, y);
        if (value(*other, "worker_ranks") <= ranks) CHECK(value(*other, "worker_rate_per_rank") <= std::stod(row[8]) * (1 + 1e-15));
      }
    }
  }
}

TEST_CASE("serving: a million tokens cost what a rank costs in the time, at 1000 tokens a second and 2 USD an hour") {
  const auto run = on_ranks("llama-3-8b", "1", document_of("rates"), {{"given_tokens", "1000"}, {"system.price", "2 USD/hour"}}).run();
  CHECK(near(value(*run, "cost_per_million_output"), 0.5555555555555555, 1e-15));
}

TEST_CASE("serving: guesses bring a step's time down as it was worked out") {
  // 16 sequences that have 2304 tokens, 0.1 ms for a guess
  const auto per_token = [](const char* drafted, const char* acceptance) {
    const auto run =
        on_ranks("llama-3-8b", "1", "serving",
                 {{"prompt", "2048"}, {"output", "512"}, {"decoding", "16"}, {"draft_time", "0.0001"}, {"drafted", drafted}, {"acceptance", acceptance}})
            .run();
    return value(*run, "decode_pass") / value(*run, "tokens_per_pass");
  };
  CHECK(near(per_token("0", "0.7"), 0.005019297824, 1e-12));
  CHECK(near(per_token("1", "0.85"), 0.0027992962421621616, 1e-12));
  CHECK(near(per_token("3", "0.7"), 0.0021703507682589817, 1e-12));
  CHECK(near(per_token("3", "1"), 0.001374374624, 1e-12));
}

TEST_CASE("serving: parameters of models that figures are of") {
  const auto parameters = [](const std::string& model, const Settings& sizes = {}) { return value(*prepare(model, "single", "", sizes), "parameters_total"); };
  CHECK(parameters("llama-2-7b") == 6738415616);
  CHECK(parameters("llama-2-7b", {{"layers", "80"}, {"hidden", "8192"}, {"heads", "64"}, {"kv_heads", "8"}, {"ffn", "28672"}}) == 68976648192);  // 70B
  CHECK(parameters("llama-3-8b") == 8030261248);
  CHECK(parameters("llama-3-70b") == 70553706496);
  CHECK(parameters("llama-3.1-405b") == 405853388800);
  // 32B: the figure lacks a norm of 128 for the queries and for the keys of each layer
  CHECK(parameters("qwen3-8b", {{"layers", "64"}, {"hidden", "5120"}, {"heads", "64"}, {"ffn", "25600"}}) == 32762106880 + 64 * 2 * 128);
  CHECK(parameters("mistral-7b") == 7241732096);
  CHECK(parameters("mixtral-8x7b") == 46702792704);
  CHECK(parameters("deepseek-v3") == 671026404352 + 58 * 256);     // The figure lacks the correction of the routers.
  CHECK(parameters("mamba-2.8b") == 2897062400 - 50280.0 * 2560);  // The figure counts the table twice, which the head shares.
}

}  // namespace opledger::deployments
