#include "accounting/graph_engine.h"
#include "tests/run/serving_table.h"
#include "tests/support/runs.h"

/// A forward pass of models that generate: operations, moved bytes, cached bytes and weights, compared with
/// independently computed figures (tests/data/serving/passes.csv; 2 bytes per element, pages of one token).
namespace opledger {
namespace {

const std::string kPlain = source_folder() + "/tests/data/serving/plain.yaml";

std::unique_ptr<Run> pass(const std::string& model, const std::string& mesh, const Settings& settings, const std::string& rules = "serve, megatron") {
  Settings all = {{"generates", "true"}, {"page", "1"}};
  all.insert(all.end(), settings.begin(), settings.end());
  return prepare(model, execution(mesh, rules, "accounting: forward_pass\n"), kPlain, all);
}

std::unique_ptr<Run> pass(const std::string& model, int sequences, int fresh, int context, const Settings& more = {}, const std::string& mesh = "{tp: 1}") {
  Settings all = {{"sequences", std::to_string(sequences)}, {"seq", std::to_string(fresh)}, {"context", std::to_string(context)}};
  all.insert(all.end(), more.begin(), more.end());
  return pass(model, mesh, all);
}

/// Lists the cached tensors with their fields.
std::string cached_tensors(Run& run) {
  const Elements& all = run.evaluator().elements(kCachedSet);
  std::string out;
  for (std::size_t i = 0; i < all.names.size(); ++i) {
    const auto number = [&](const char* field) { return std::to_string(static_cast<long long>(all.fields.at(field)[i].scalar.value)); };
    const auto flag = [&](const char* field) { return all.fields.at(field)[i].scalar.value != 0; };
    out += all.names[i] + " " + number("elements") +
           (flag("grows") ? " grows by " + number("length") + (number("reach") == "0" ? "" : " of " + number("reach")) : "") + (flag("rolls") ? " rolls" : "") +
           "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("forward pass: operations, bytes, cache and weights are those that were worked out") {
  for (const std::vector<std::string>& row : serving_table("passes.csv")) {
    const std::string& model = row[0];
    const std::string row_text = model + " " + row[1] + " " + row[2] + " " + row[3] + " dp " + row[4] + " tp " + row[5];
    CAPTURE(row_text);
    const double replicas = std::stod(row[4]);
    const std::string mesh = row[6] == "1" ? "{dp: " + row[4] + ", tp: " + row[5] + "}" : "{dp: {edp: 1, ep: " + row[6] + "}, tp: " + row[5] + "}";
    const bool latent = model == "deepseek-v3", state = model == "mamba-2.8b";
    const auto run = pass(model, std::stoi(row[1]), std::stoi(row[2]), std::stoi(row[3]), latent ? Settings{{"absorbed", "true"}} : Settings{}, mesh);
    // the figures lack the correction of DeepSeek's routers (256 numbers and additions in 58 layers), and have Mamba's table, which its head shares, twice
    const double corrections = latent ? 58 * 256 : 0;
    CHECK(value(*run, "pass_flops") == std::stod(row[7]) + replicas * 8 * corrections);
    CHECK(value(*run, "flops_per_rank") == std::stod(row[8]) + 8 * corrections);
    CHECK(near(value(*run, "bytes_moved_per_rank"), std::stod(row[9]) + 2 * corrections, 1e-15));
    CHECK(value(*run, "cache_bytes_per_rank") == std::stod(row[10]));
    CHECK(value(*run, "weight_bytes_per_rank") == std::stod(row[11]) + 2 * corrections - (state ? 2.0 * 50280 * 2560 : 0));
    // there the operands of `dispatch` are counted as slots, where they are tokens
    if (!latent || row[5] == "1") CHECK(value(*run, "working_bytes_per_rank") == std::stod(row[12]));
  }
}

TEST_CASE("forward pass: what is held follows from edges that rename the sequence, from halos and from carries") {
  CHECK(cached_tensors(*pass("llama-3-8b", 2, 1, 100)) ==
        "decoder.attention.key_rope 204800 grows by 100 of 101\n"
        "decoder.attention.value 204800 grows by 100 of 101\n");
  CHECK(cached_tensors(*pass("mistral-7b", 1, 1, 8192)) ==
        "decoder.attention.key_rope 8388608 grows by 8192 of 4096\n"
        "decoder.attention.value 8388608 grows by 8192 of 4096\n");
  CHECK(cached_tensors(*pass("gpt2", 1, 1, 64)) ==  // unfused
        "decoder.attention.key_bias 49152 grows by 64\n"
        "decoder.attention.value_bias 49152 grows by 64\n");
  CHECK(cached_tensors(*pass("mamba-2.8b", 1, 1, 64)) ==
        "decoder.mixer.expand 15360 rolls\n"
        "decoder.mixer.scan.state 81920 rolls\n");
  CHECK(cached_tensors(*prepare("bert-base", execution("{tp: 1}", "megatron", "accounting: forward_pass\n"), kPlain)).empty());
  const std::string expanded = cached_tensors(*pass("deepseek-v2-lite", 1, 1, 64));
  CHECK(expanded.find("decoder.attention.key_nope") != std::string::npos);
  for (const char* form : {"absorbed", "expands"}) {
    const std::string latent = cached_tensors(*pass("deepseek-v2-lite", 1, 1, 64, {{form, "true"}}));
    CAPTURE(form);
    CHECK(latent.find("decoder.attention.key_nope") == std::string::npos);
    CHECK(latent.find("decoder.attention.latent_norm 32768 grows by 64") != std::string::npos);
    CHECK(latent.find("decoder.attention.key_turned 4096 grows by 64") != std::string::npos);
  }
}

TEST_CASE("forward pass: a decoder keeps what its encoder made once") {
  const auto run = pass("t5-base", "{tp: 1}", {{"sequences", "1"}, {"seq", "512"}, {"target_seq", "1"}, {"context", "10"}});
  const std::string all = cached_tensors(*run);
  CHECK(all.find("decoder.attention.key 7680 grows by 10\n") != std::string::npos);
  CHECK(all.find("decoder.cross.key 393216\n") != std::string::npos);
  CHECK(all.find("encoder") == std::string::npos);
  const Elements& nodes = run->evaluator().elements(kNodeSet);
  for (std::size_t i = 0; i < nodes.names.size(); ++i) {
    const std::string& name = nodes.names[i];
    const bool memory = name.rfind("embedding.", 0) == 0 || name.rfind("encoder", 0) == 0 || name.rfind("memory.", 0) == 0;
    const bool of_memory = name.find(".cross.key") != std::string::npos || name.find(".cross.value") != std::string::npos;
    CHECK_MESSAGE((nodes.fields.at("once")[i].scalar.value != 0) == (memory || of_memory), name);
  }
}

// Packed prompts do the work of their single passes: a document attends to itself alone, also inside windows.
TEST_CASE("forward pass: documents of a sequence do the work of their single passes") {
  const auto flops = [](const std::string& model, const std::string& seq, const Settings& more) {
    Settings all = {{"seq", seq}, {"context", seq}, {"sequences", "1"}, {"generates", "false"}};
    all.insert(all.end(), more.begin(), more.end());
    return value(*pass(model, "{tp: 1}", all), "pass_flops");
  };
  for (const auto& [model, more] : {std::pair<std::string, Settings>{"llama-3-8b", {}}, {"mistral-7b", {{"attention_window", "1024"}}}}) {
    CAPTURE(model);
    Settings packed = more;
    packed.emplace_back("documents", "[2048, 1024, 512, 512]");
    const double apart = flops(model, "2048", more) + flops(model, "1024", more) + 2 * flops(model, "512", more);
    CHECK(near(flops(model, "4096", packed), apart, 1e-12));
    packed.back() = {"documents", "[4096]"};
    CHECK(flops(model, "4096", packed) == flops(model, "4096", more));
    packed.back() = {"mean_document", "512"};
    CHECK(near(flops(model, "4096", packed), 8 * flops(model, "512", more), 1e-12));
  }
  const auto outside = pass("llama-3-8b", "{tp: 1}", {{"seq", "64"}, {"context", "128"}, {"documents", "[32, 32]"}});
  REQUIRE(!outside->violations(said()).empty());
  CHECK(outside->violations(said()).front().reason == "wrong lengths of documents");
}

}  // namespace opledger
