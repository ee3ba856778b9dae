#include "tests/run/serving_table.h"
#include "tests/support/runs.h"

/// Serving: requests, continuous batching, workers apart, guesses and memory, against figures that were worked out without this program
/// (tests/data/serving/figures.csv), and what must hold of any.
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

/// Seconds that the figures have more: in a pipeline they count the embedding, and a quarter of its reduction, on the slowest stage too, where only the head
/// stands.
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
    // of more parts than are computed some stand for all: 4 for 16, where kernels change what bounds them
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

TEST_CASE("serving: what must hold of any deployment") {
  for (const char* model : {"llama-3-8b", "mistral-7b", "mixtral-8x7b", "deepseek-v2-lite", "mamba2-2.7b", "gpt-oss-20b", "jamba-v0.1", "gpt2"}) {
    CAPTURE(model);
    const Settings base = {{"prompt", "512"}, {"output", "128"}, {"decoding", "8"}, {"memory_share", "1"}, {"system.memory.capacity", "400 GB"}};
    const auto with = [&](const Settings& more) {
      Settings all = base;
      all.insert(all.end(), more.begin(), more.end());
      return serve(model, all);
    };
    const auto plain = with({});
    const double decode = value(*plain, "decode_pass"), mixed = value(*plain, "mixed_pass");
    const auto part = [&](const char* word) {
      const Program& program = plain->program();
      const SetId set = program.find_set("pass");
      Point p = nowhere();
      p[set] = program.set(set).index.at(word);
      const Answer answer = plain->evaluator().ask(*program.find("pass_time"), p);
      REQUIRE_MESSAGE(answer.known(), answer.error->message);
      return answer.value.scalar.value;
    };
    // a pass of several groups takes at least as long as each of them, and no longer than one after the other
    CHECK(mixed >= std::max(part("decode"), part("chunk")) * (1 - 1e-12));
    CHECK(mixed <= (part("decode") + part("chunk")) * (1 + 1e-12));
    CHECK(part("decode") == decode);
    // Little's law, and what tokens cost adds up to all the time there is
    CHECK(near(value(*plain, "concurrency"), value(*plain, "requests_per_second") * value(*plain, "request_time"), 1e-12));
    CHECK(near(value(*plain, "requests_per_second") * (512 * value(*plain, "input_token_time") + 127 * value(*plain, "output_token_time")), 1, 1e-12));
    // no guesses are plain decoding; certain ones, for nothing, give a token more each
    CHECK(value(*plain, "draft_speedup") == 1);
    CHECK(value(*with({{"drafted", "3"}, {"acceptance", "1"}}), "tokens_per_pass") == 4);
    // more takes longer and more room
    CHECK(value(*with({{"prompt", "1024"}}), "decode_pass") >= decode);
    CHECK(value(*with({{"decoding", "16"}}), "decode_pass") >= decode);
    CHECK(value(*with({{"cache_width", "1 B"}}), "decode_pass") <= decode);
    CHECK(value(*with({{"wide", "1 B"}}), "decode_pass") <= decode);
    // as many as fit do, and one more does not
    const auto most = static_cast<long long>(value(*plain, "most_sequences_mean"));
    const double left = value(*plain, "memory_capacity") - value(*plain, "memory"), own = value(*plain, "cache_bytes_per_rank") / 8;
    CHECK((most - 8) * own <= left);
    CHECK((most + 1 - 8) * own > left * (1 - 1e-9));
  }
}

TEST_CASE("serving: ranks of tensor parallelism keep together what one would, until heads are repeated") {
  const auto cache = [](int tp) {
    return value(*serve("llama-3-8b", {{"prompt", "4000"}, {"decoding", "4"}}, "{tp: " + std::to_string(tp) + "}"), "cache_bytes_per_sequence");
  };
  for (const int tp : {2, 4, 8}) CHECK(tp * cache(tp) == cache(1));
  CHECK(16 * cache(16) == 2 * cache(1));
}

TEST_CASE("serving: workers that are alike divide their time as prompts and responses take it") {
  const auto run = serve("llama-3-8b", {{"prompt", "2048"}, {"output", "256"}, {"decoding", "16"}, {"budget", "100000"}});
  CHECK(near(value(*run, "prefill_workers_per_decode_worker"), value(*run, "prefill_time") / (value(*run, "generation_time") / 16), 1e-12));
}

}  // namespace opledger
