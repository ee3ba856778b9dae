#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/paths.h"

/// A user's own architecture, operator and sharding for the installed program, without compiling. The program is
/// OPLEDGER_PROGRAM of the environment, or that of this build.
namespace {

const char* const kOperators = R"(kind: ops
name: my-ops
uses: [quantities]
ops:
  squared_relu:
    doc: y = max(x, 0)^2
    in: {x: any}
    out: {y: x}
    gradients: {x: [x]}
    flops: {forward: 2 flop * x, agrad: 3 flop * x}
)";

const char* const kModel = R"(kind: model
name: my-model
uses: [latent_attention, experts, embeddings, heads, my-ops]
parameters:
  {layers: 3, hidden: 64, heads: 4, v_dim: 8, kv_lora: 16, nope_dim: 8, rope_dim: 4, experts: 8, experts_per_token: 2, expert_ffn: 32, wide: 96, vocab: 128, seq: 16}
blocks:
  wide_mlp:
    component: mlp
    inputs: {x: [batch, seq, hidden]}
    nodes:
      - {name: up, op: linear, in: x, out: [batch, seq, wide]}
      - {name: act, op: squared_relu, in: up}
      - {name: down, op: linear, in: act, out: [batch, seq, hidden]}
  my_layer:
    inputs: {x: [batch, seq, hidden]}
    nodes:
      - {name: n1, op: rmsnorm, in: x, over: hidden}
      - {name: attention, block: latent_attention, in: n1}
      - {name: r1, op: add, in: [x, attention]}
      - {name: n2, op: rmsnorm, in: r1, over: hidden}
      - {name: moe, block: routed_experts, in: n2}
      - {name: r2, op: add, in: [r1, moe]}
      - {name: n3, op: rmsnorm, in: r2, over: hidden}
      - {name: mlp, block: wide_mlp, in: n3}
      - {name: r3, op: add, in: [r2, mlp]}
graph:
  - {name: embedding, block: token_embedding}
  - {name: decoder, block: my_layer, repeat: layers}
  - {name: head, block: rmsnorm_head}
)";

// Experts over the tensor axis, without sequence parallelism: every rank of it takes its experts' slots, and the results are gathered.
const char* const kRules = R"(kind: rules
name: my-rules
shard:
  - batch, slot: dp
  - heads: tp
  - wide: tp
  - expert: tp
)";

const char* const kExecution = R"(kind: execution
name: my-execution
mesh: {dp: 2, tp: 2}
batch_size: 8
microbatch_size: 2
rules: [my-rules]
)";

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/opledger-extension-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  void write(const std::string& name, const char* text) const { std::ofstream(path_ / name) << text; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string program() {
  const char* installed = std::getenv("OPLEDGER_PROGRAM");
  return installed != nullptr ? installed : opledger::program_path();
}

std::string run(const Folder& folder, const std::string& arguments) {
  const std::string command = "cd '" + folder.path().string() + "' && '" + program() + "' " + arguments + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string out;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  const int status = pclose(pipe);
  CHECK_MESSAGE(status == 0, command << "\n" << out);
  return out;
}

/// Returns the value of the first `"key": number` of a JSON text.
double number(const std::string& json, const std::string& key) {
  const std::size_t at = json.find("\"" + key + "\":");
  REQUIRE_MESSAGE(at != std::string::npos, key << " in\n" << json);
  return std::strtod(json.c_str() + at + key.size() + 3, nullptr);
}

/// Returns whether one row of a JSON table has all of these texts.
bool has_row(const std::string& json, const std::initializer_list<const char*>& texts) {
  for (std::size_t open = json.find('{'); open != std::string::npos; open = json.find('{', open + 1)) {
    const std::size_t close = json.find_first_of("{}", open + 1);
    const std::string row = json.substr(open, close - open);
    bool all = true;
    for (const char* text : texts) all = all && row.find(text) != std::string::npos;
    if (all) return true;
  }
  return false;
}

struct Extension : Folder {
  Extension() {
    write("my-ops.yaml", kOperators);
    write("my-model.yaml", kModel);
    write("my-rules.yaml", kRules);
    write("my-execution.yaml", kExecution);
  }
};

}  // namespace

TEST_CASE("documents of a user's own are good") {
  const Extension x;
  const std::string out = run(x, "validate my-ops.yaml my-model.yaml my-rules.yaml my-execution.yaml");
  CHECK(out.find("error") == std::string::npos);
}

TEST_CASE("parameters of a model from shared blocks, an own block and an own operator") {
  // embedding 128*64 = 8192; head 64 + 64*128 = 8256
  // layer: three norms 3*64 = 192
  //        attention: queries 64*4*(8 + 4) = 3072, latent 64*16 = 1024, its norm 16, keys 16*4*8 = 512, values 16*4*8 = 512, shared key 64*4 = 256,
  //        output 4*8*64 = 2048: 7440
  //        experts: router 64*8 = 512, 8 experts of 3*64*32 = 6144: 49152; own MLP 2*64*96 = 12288
  // 192 + 7440 + 512 + 49152 + 12288 = 69584; with 2 of 8 experts 32720
  const Extension x;
  const std::string json = run(x, "params my-model.yaml --format json");
  CHECK(number(json, "total") == 8192 + 3 * 69584 + 8256);
  CHECK(number(json, "active") == 8192 + 3 * 32720 + 8256);
}

TEST_CASE("collectives that follow from the user's rules") {
  const Extension x;
  const std::string json = run(x, "comm my-model.yaml my-execution.yaml --format json");
  // One microbatch is 4 sequences of 16 tokens over both copies. Row-split products leave partial sums: 2 * 16 * 64 elements of 2 bytes on a rank.
  CHECK(has_row(json, {"\"forward\"", "\"all_reduce\"", "\"tp\"", "decoder.mlp.down", ": 4096", "my-rules.shard[2]"}));
  CHECK(has_row(json, {"\"forward\"", "\"all_reduce\"", "\"tp\"", "decoder.attention.output", ": 4096", "my-rules.shard[1]"}));
  // 4 * 16 * 2 / 8 = 16 slots for each of 8 experts; half of the slots are on this copy, 8 * 8 * 64 elements of 2 bytes after gathering the experts.
  CHECK(has_row(json, {"\"forward\"", "\"all_gather\"", "\"tp\"", "decoder.moe.down", ": 8192"}));
  // The tokens of both copies meet in every gradient: an all-reduce over dp at the end of the step.
  CHECK(has_row(json, {"\"optimizer\"", "\"all_reduce\"", "\"dp\"", "decoder.mlp.up.w", "\"step\""}));
}

TEST_CASE("an operator of one's own is opened like any other") {
  const Extension x;
  const std::string text = run(x, "explain my-model.yaml my-execution.yaml decoder.mlp.act");
  // 2 sequences * 16 tokens * 96 / 2 columns on this rank
  CHECK_MESSAGE(text.find("2 flop * 1,536") != std::string::npos, text);
  CHECK_MESSAGE(text.find("my-ops.yaml:10:") != std::string::npos, text);
  CHECK_MESSAGE(text.find("my-rules.shard[2]") != std::string::npos, text);
}
