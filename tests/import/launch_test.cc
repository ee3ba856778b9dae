#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "schemas/yaml_text.h"
#include "tests/import/launched.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

const fs::path kLaunches = fs::path(source_folder()) / "tests" / "data" / "launch";
const std::string kExpected = ".expected.yaml";

std::vector<fs::path> examples() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(kLaunches)) {
    if (!entry.path().string().ends_with(kExpected)) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

Settings settings_in(const Datum& expected) {
  Settings out;
  const Datum* settings = expected.find("given");
  if (settings == nullptr) return out;
  for (const auto& [name, value] : settings->entries()) out.emplace_back(name.text(), value.text());
  return out;
}

void check_entries(const Datum* expected, const Datum& found) {
  if (expected == nullptr) return;
  for (const auto& [key, value] : expected->entries()) {
    const Datum* there = found.find(key.text());
    CHECK_MESSAGE(there != nullptr, "there is no ", key.text());
    if (there != nullptr) CHECK_MESSAGE(yaml_flow(*there) == yaml_flow(value), key.text());
  }
}

void check_warnings(const std::vector<std::string>& expected, const Diagnostics& diagnostics) {
  CHECK_MESSAGE(diagnostics.all().size() == expected.size(), render(diagnostics));
  for (const std::string& text : expected) CHECK_MESSAGE(render(diagnostics).find(text) != std::string::npos, text);
}

}  // namespace

// Each example has a file with expected values: parameters of the model worked by hand, keys of the execution with
// mesh and rules, and warnings.
TEST_CASE("launch: every example becomes the model and the run that were worked by hand") {
  const std::vector<fs::path> all = examples();
  CHECK(all.size() >= 12);
  for (const fs::path& file : all) {
    CAPTURE(file.filename().string());
    const Datum expected = datum(text_of(fs::path(file).replace_extension().string() + kExpected));
    const Datum* base = expected.find("base");
    const Launched launched(expected.find("format")->text(), file, settings_in(expected), base != nullptr ? base->text() : "");
    REQUIRE_MESSAGE(!launched.diagnostics.has_errors(), render(launched.diagnostics));
    CHECK(launched.model.is_null() == (expected.find("model") == nullptr));
    check_warnings(expected.texts("warnings"), launched.diagnostics);
    check_entries(expected.find("run"), launched.run);
    if (const Datum* model = expected.find("model")) check_entries(model, *launched.model.find("parameters"));
    const std::unique_ptr<Run> run = launched.costs(base != nullptr ? base->text() : "");
    if (run == nullptr) continue;
    CHECK(value(*run, "parameters_total") == worked(expected.find("parameters")->text()));
    CHECK(value(*run, "iteration_time") > 0);
    CHECK(value(*run, "memory") > 0);
  }
}

TEST_CASE("launch: every flavour of torchtitan has the parameters that are published") {
  const std::tuple<const char*, const char*, double> flavours[] = {
      {"llama3", "8B", 8030261248},          {"llama3", "70B", 70553706496},        {"llama3", "405B", 405853388800}, {"deepseek_v3", "16B", 15706484224},
      {"deepseek_v3", "236B", 235741434880}, {"deepseek_v3", "671B", 671026419200}, {"qwen3", "0.6B", 596049920},     {"qwen3", "1.7B", 1720574976},
      {"qwen3", "4B", 4022468096},           {"qwen3", "8B", 8190735360},           {"qwen3", "14B", 14768307200},    {"qwen3", "32B", 32762123264},
      {"qwen3", "30B-A3B", 30532122624},     {"qwen3", "235B-A22B", 235093634560},  {"gpt_oss", "20b", 20914757184},  {"gpt_oss", "120b", 116829156672}};
  for (const auto& [name, flavour, parameters] : flavours) {
    CAPTURE(name);
    CAPTURE(flavour);
    const TemporaryFolder folder;
    const std::string text = std::string("[model]\nname = \"") + name + "\"\nflavor = \"" + flavour + "\"\n";
    const Launched launched("torchtitan", folder.write("t.toml", text), {{"world_size", "8"}});
    REQUIRE_MESSAGE(!launched.diagnostics.has_errors(), render(launched.diagnostics));
    const std::unique_ptr<Run> run = launched.costs();
    if (run != nullptr) CHECK(value(*run, "parameters_total") == parameters);
  }
}

namespace {

/// Returns the messages of an import of a file with the given name.
std::string messages_of(const std::string& format, const std::string& name, const std::string& text, const Settings& settings = {}) {
  const TemporaryFolder folder;
  const Launched launched(format, folder.write(name, text), settings);
  return messages(launched.diagnostics);
}

}  // namespace

TEST_CASE("launch: unknown arguments, and those that a letter is off") {
  const std::string base = "--num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 64 --micro-batch-size 1 --vocab-size 128 --nproc-per-node 1 ";
  CHECK(messages_of("megatron", "t.args", base) == "");
  CHECK(messages_of("megatron", "t.args", base.substr(base.find("--hidden"))) == "1:1: the number of layers is missing\n");
  CHECK(messages_of("megatron", "t.args", base + "--tensor-model-paralel-size 2") ==
        "1:130: the mapping `megatron` doesn't know `--tensor-model-paralel-size`, which may change costs (did you mean `--tensor-model-parallel-size`?)\n");
  CHECK(messages_of("megatron", "t.args", base + "--my-own 2") == "1:130: the mapping `megatron` doesn't know `--my-own`, which may change costs\n");
  CHECK(messages_of("torchtitan", "t.toml", "[model]\nflavor = \"8B\"\n[trainig]\nseq_len = 2\n", {{"world_size", "1"}}) ==
        "3:2: the mapping `torchtitan` doesn't know `trainig`, which may change costs (did you mean `training`?)\n");
  CHECK(messages_of("torchtitan", "t.toml", "[model]\nflavor = \"8B\"\n[training]\nseqlen = 2\n", {{"world_size", "1"}}) ==
        "4:1: the mapping `torchtitan` doesn't know `training.seqlen`, which may change costs (did you mean `training.seq_len`?)\n");
  CHECK(messages_of("torchtitan", "t.py", "import this", {}) ==
        "1:1: this is a program, which would have to be run to know what it starts: a script, arguments, YAML, JSON or TOML can be read\n");
  CHECK(messages_of("deepspeed", "t.json", R"({"train_batch_size": 8, "zero_optimization": {"stag": 1}})", {{"world_size", "8"}}) ==
        "1:47: the mapping `deepspeed` doesn't know `zero_optimization.stag`, which may change costs (did you mean `zero_optimization.stage`?)\n");
}

TEST_CASE("launch: a value that another program fills in is requested if it matters") {
  const std::string left =
      R"({"train_batch_size": 8, "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto"}, "optimizer": {"params": {"lr": "auto"}}})";
  CHECK(messages_of("deepspeed", "t.json", left, {{"world_size", "8"}}) == "");
  const std::string needed = R"({"train_batch_size": "auto", "zero_optimization": {"stage": 2, "overlap_comm": true, "reduce_bucket_size": "auto"}})";
  CHECK(messages_of("deepspeed", "t.json", needed, {{"world_size", "8"}}) ==
        "1:22: `train_batch_size` is `auto`, which another program fills in: set the value with `--set train_batch_size=…`\n");
  CHECK(messages_of("deepspeed", "t.json", needed, {{"world_size", "8"}, {"train_batch_size", "8"}}) ==
        "1:108: reduce_bucket_size is auto: another program fills it in with the square of hidden, and `--set reduce_bucket_size=…` says with what\n");
  CHECK(messages_of("deepspeed", "t.json", needed, {{"world_size", "8"}, {"train_batch_size", "8"}, {"reduce_bucket_size", "1e6"}}) == "");
  CHECK(messages_of("deepspeed", "t.json", "{}", {}) ==
        "1:1: `world_size` is missing, and the mapping `deepspeed` needs it; set it with `--set world_size=…`\n");
  const std::string script = "torchrun train.py --model.flavor 8B --parallelism.tensor_parallel_degree $TP --parallelism.context_parallel_degree `nproc`";
  CHECK(messages_of("torchtitan", "t.sh", script, {{"world_size", "8"}}) ==
        "1:74: `parallelism.tensor_parallel_degree`: `$TP` is unknown, because scripts are not run: set it with `--set TP=…`\n"
        "1:116: `parallelism.context_parallel_degree`: ``nproc`` is a command, and scripts are not run: set the value with `--set cp=…`\n");
  CHECK(messages_of("torchtitan", "t.sh", script, {{"world_size", "8"}, {"TP", "2"}, {"cp", "2"}}) == "");
}

TEST_CASE("launch: of an earlier and a later word for one thing, the same") {
  const std::string before = R"({"train_batch_size": 8, "zero_optimization": {"stage": 2, "cpu_offload": true}})";
  const std::string now = R"({"train_batch_size": 8, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}})";
  const TemporaryFolder folder;
  const auto imported = [&](const std::string& text) { return Launched("deepspeed", folder.write("t.json", text), {{"world_size", "8"}}).imported.execution; };
  CHECK(imported(before) == imported(now));
  CHECK(imported(before) != "");
}

TEST_CASE("launch: defect imports 1, the peaks of Megatron-Core's own tests with a fused loss and without") {
  // NVIDIA/Megatron-LM at d98e8a64ddf3, tests/functional_tests/test_cases/gpt: mem-max-allocated-bytes on H100
  const std::string base =
      "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 12 --hidden-size 512 --num-attention-heads 8 --micro-batch-size 4 --global-batch-size 32 "
      "--seq-length 1024 --max-position-embeddings 1024 --vocab-size 50257 --bf16 ";
  const auto mebibytes = [&](const std::string& further) {
    const TemporaryFolder folder;
    const Launched launched("megatron", folder.write("t.sh", base + further), {});
    REQUIRE_MESSAGE(!launched.diagnostics.has_errors(), render(launched.diagnostics));
    return value(*launched.costs(), "memory") / (1 << 20);
  };
  CHECK(mebibytes("--pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 1") == doctest::Approx(2521).epsilon(0.01));
  const std::string split = "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 ";
  CHECK(mebibytes(split) == doctest::Approx(1362).epsilon(0.03));
  CHECK(mebibytes(split + "--cross-entropy-loss-fusion") == doctest::Approx(1752).epsilon(0.03));
  // Worked by hand: the fused kernel keeps no four-byte copy of 4 x 1024 tokens by half of a padded vocabulary of
  // 50,432.
  CHECK(mebibytes(split) - mebibytes(split + "--cross-entropy-loss-fusion --cross-entropy-fusion-impl te") > 0.9 * 4 * 4096 * 25216 / (1 << 20));
}

TEST_CASE("launch: defect imports 8, latent attention keeps the bias of its output") {
  const std::string base =
      "--nproc-per-node 1 --num-layers 2 --hidden-size 64 --ffn-hidden-size 256 --num-attention-heads 4 --seq-length 64 --micro-batch-size 1 --vocab-size 128 "
      "--multi-latent-attention --qk-layernorm --normalization RMSNorm --position-embedding-type rope --bf16 ";
  const auto parameters = [&](const std::string& further) {
    const TemporaryFolder folder;
    const Launched launched("megatron", folder.write("t.args", base + further), {});
    REQUIRE_MESSAGE(!launched.diagnostics.has_errors(), render(launched.diagnostics));
    return value(*launched.costs(), "parameters_total");
  };
  CHECK(parameters("") - parameters("--disable-bias-linear") == 2 * (64 + 256 + 64));  // Biases of the attention output and of both MLP matrices.
}

TEST_CASE("launch: defect imports 3, the program's name is read wherever a command has it") {
  const std::string base = " --num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 64 --micro-batch-size 1 --vocab-size 128 --nproc-per-node 1";
  CHECK(messages_of("megatron", "t.sh", "torchrun a/pretrain_gpt.py" + base) == "");
  CHECK(messages_of("megatron", "t.sh", "python -m torch.distributed.launch pretrain_gpt.py" + base) == "");
  CHECK(messages_of("megatron", "t.sh", "python a/pretrain_bert.py" + base) == "");
  CHECK(messages_of("megatron", "t.sh", "python a/pretrain_t5.py" + base) ==
        "1:8: no --decoder-seq-length: the decoder's sequences are counted as long as the encoder's, 64 tokens\n");
  CHECK(messages_of("megatron", "t.sh", "python a/pretrain_vlm.py" + base) ==
        "1:8: this program trains something else than a language model of text, which is not known to this mapping\n");
  CHECK(messages_of("megatron", "t.sh", "python -m own.train" + base) ==
        "1:11: this program is not one of Megatron-LM's: its arguments are read as those of pretrain_gpt.py\n");
  CHECK(messages_of("megatron", "t.sh", "python -m own.train" + base, {{"program", "pretrain_gpt.py"}}) == "");
}

TEST_CASE("launch: options that a stack assumes are written where the file has others") {
  TemporaryFolder folder;
  const auto field = [](const Launched& launched, const char* name) {
    REQUIRE_MESSAGE(!launched.diagnostics.has_errors(), render(launched.diagnostics));
    const Datum* const found = launched.run.find(name);
    return found != nullptr ? found->text() : std::string("absent");
  };
  // torch.compile sends parts of tensors beside products only with asynchronous tensor parallelism.
  for (const auto& [async, expected] : {std::pair{"false", "false"}, {"true", "absent"}}) {
    const auto file =
        folder.write("titan.toml", fmt::format("[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\nseq_len = 8192\n"
                                               "[parallelism]\ntensor_parallel_degree = 8\nenable_async_tensor_parallel = {}\n[compile]\nenable = true\n",
                                               async));
    CHECK(field(Launched("torchtitan", file, {{"world_size", "8"}}), "overlaps_tp") == expected);
  }
  // The dispatcher alltoall of Megatron sends a token once for each expert.
  for (const auto& [dispatcher, expected] : {std::pair{"alltoall", "false"}, {"flex", "absent"}}) {
    const auto file = folder.write(
        "bridge.yaml", fmt::format("model: {{tensor_model_parallel_size: 1, expert_model_parallel_size: 64, moe_token_dispatcher_type: {}, sequence_parallel: "
                                   "false}}\ntrain: {{global_batch_size: 256, micro_batch_size: 1}}\n",
                                   dispatcher));
    CHECK(field(Launched("bridge", file, {{"world_size", "64"}}, "deepseek-v3"), "sends_once") == expected);
  }
  // NVFP4 keeps layers in 16 bits only if the command says so.
  const std::string arguments =
      "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 8192 "
      "--max-position-embeddings 8192 --vocab-size 128256 --micro-batch-size 1 --global-batch-size 64 --bf16 --fp4-format e2m1";
  CHECK(field(Launched("megatron", folder.write("all.sh", arguments + "\n"), {}), "layers_at_start") == "0");
  CHECK(field(Launched("megatron", folder.write("some.sh", arguments + " --first-last-layers-bf16 --num-layers-at-start-in-bf16 2\n"), {}),
              "layers_at_start") == "2");
}

}  // namespace opledger
