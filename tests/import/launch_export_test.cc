#include "import/launch_export.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/units.h"
#include "import/config_writer.h"
#include "tests/support/documents.h"
#include "tests/support/random_count.h"
#include "tests/support/round_trip.h"
#include "tests/support/runs.h"
#include "tests/support/shipped.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

ExportRequest of(const std::string& execution, const std::string& mapping = "megatron") {
  const auto [model, system] = model_and_system(execution);
  ExportRequest request{"megatron", mapping, {}};
  request.run.model = model;
  request.run.execution = execution;
  request.run.system = system;
  return request;
}

/// Reasons why the framework can't run a shipped execution.
const std::map<std::string, std::string> kNoWords = {{"bert-base-8xa100", "encoders"},
                                                     {"deepseek-v3-2048xh100", "only 1F1B"},
                                                     {"falcon-7b-384xa100", "layer_activation_bytes"},  // Attention and MLP are parallel.
                                                     {"gpt-neox-20b-96xa100", "exposed_time"},          // Attention and MLP are parallel.
                                                     {"jamba-v0.1-64xh100", "no layers of Mamba"},
                                                     {"llama-3-8b-lora-8xh100", "express the rule `lora`"},
                                                     {"mamba-2.8b-8xh100", "no layers of Mamba"},
                                                     {"t5-base-8xa100", "encoders"},
                                                     {"vit-l-16-8xh100", "encoders"}};

/// A run with many features; all such runs together use most fields of the mapping.
struct Rich {
  const char* model;
  const char* execution;
  std::vector<std::pair<std::string, std::string>> set;
};

const std::vector<Rich>& rich() {
  static const std::vector<Rich> all = {{"llama-3-8b",
                                         R"(
mesh: {pp: 4, dp: 4, cp: 2, tp: 2}
batch_size: 64
microbatch_size: 2
chunks: 2
rules: [megatron, zero_1, ring, overlap_cp_ring, overlap_tp_ring, overlap_pp, overlap_dp, recompute_block, offload_optimizer, overlap_offload, fp8_between]
sequence_parallel: true
regather: true
recompute_layers: 2
layers_at_start: 2
layers_at_end: 1
compute: fp8
recipe: blockwise
operand_width: 1.03125
bucket_size: 64 MB
gradients: bf16
reduction: bf16
states: bf16
gradient_norm: true
stack: megatron-core
)",
                                         {}},
                                        {"mixtral-8x7b",
                                         R"(
mesh: {pp: 4, dp: {edp: 2, ep: 4}, tp: 2}
batch_size: 64
rules: [megatron, zero_1, dispatch_once, recompute_elements, recompute_mlp, recompute_experts]
first_stage_layers: 7
last_stage_layers: 5
sequence_parallel: true
regather: true
gradients: fp32
reduction: fp32
optimizer: muon_blockwise
communication_share: 0.1
stack: megatron-core
)",
                                         {{"capacity", "1.25"}, {"experts_per_token", "3"}}},
                                        {"deepseek-v3-mtp",
                                         R"(
mesh: {pp: 4, dp: {edp: 1, ep: 8}, cp: 1, tp: 1}
batch_size: 64
rules: [megatron, zero_1, gather_dispatch, recompute_norms, recompute_latent]
stage_layers: [15, 16, 16, 14]
send_gates: false
optimizer: sgd
gradients: fp32
reduction: fp32
stack: megatron-core
)",
                                         {{"imbalance", "1.5"}, {"nope_dim", "96"}, {"rope_dim", "32"}, {"v_dim", "96"}}},
                                        {"gpt3-175b",
                                         R"(
mesh: {pp: 4, dp: 2, tp: 8}
batch_size: 64
chunks: 4
schedule: interleaved_groups
microbatch_group: 8
rules: [megatron, recompute_selective]
compute: fp16
parameters: fp16
gradients: fp32
reduction: fp32
embedding_layers: 0
optimizer: lion
collective_algorithm: ring
stack: megatron-core
)",
                                         {}},
                                        {"qwen2.5-7b",
                                         R"(
mesh: {dp: {rep: 2, fsdp: 4}, cp: 2, tp: 2}
batch_size: 64
rules: [megatron, hsdp, ulysses]
sequence_parallel: true
regather: true
gradients: fp32
reduction: fp32
stack: none
)",
                                         {}},
                                        {"mixtral-8x7b",
                                         R"(
mesh: {dp: {edp: 4, ed: 2}, tp: 4, etp: 1, ep: [ed, tp]}
batch_size: 64
rules: [expert_mesh, megatron, zero_2, recompute_expert_elements]
sequence_parallel: true
regather: true
gradients: fp32
reduction: fp32
stack: megatron-core
)",
                                         {}},
                                        {"qwen3-8b",
                                         R"(
mesh: {pp: 1, dp: 8, cp: 4}
batch_size: 64
rules: [megatron, zero_3, overlap_zero3_prefetch, recompute_full, fp8_between]
layers_at_start: 3
layers_at_end: 2
compute: fp8
recipe: current
operand_width: 1
gradients: fp32
reduction: fp32
gradient_norm: false
stack: megatron-core
)",
                                         {}},
                                        {"mamba2-2.7b",
                                         R"(
mesh: {dp: 4, tp: 2}
batch_size: 64
rules: [megatron, zero_1]
gradients: fp32
reduction: fp32
stack: megatron-core
)",
                                         {{"state", "64"}, {"ssm_channels", "128"}, {"expansion", "3"}}},
                                        {"mistral-7b",
                                         R"(
mesh: {dp: {fsdp: 8}}
batch_size: 64
rules: [megatron, fsdp_keep]
gradients: fp32
reduction: fp32
stack: megatron-core
)",
                                         {}},
                                        {"gpt-oss-20b",
                                         R"(
mesh: {pp: 2, dp: {edp: 2, ep: 4}, tp: 1}
batch_size: 64
rules: [megatron, zero_1, overlap_dp]
overlap_gather: false
gradients: fp32
reduction: fp32
stack: megatron-core
)",
                                         {}}};
  return all;
}

/// A prepared run with its execution in a file.
struct RichRun {
  explicit RichRun(const Rich& rich, const std::string& mapping = "megatron") : request{"megatron", mapping, {}} {
    request.run.model = rich.model;
    request.run.execution = folder.write("rich.yaml", std::string("kind: execution\nname: rich\naccounting: standard\n") + rich.execution).string();
    request.run.system = "h100-80g-sxm";
    request.run.overrides = rich.set;
  }
  TemporaryFolder folder;
  ExportRequest request;
};

/// Returns the shipped mapping with one part changed.
std::string changed_mapping(const TemporaryFolder& folder, const std::string& core) {
  folder.write("changed_core.yaml", core);
  std::string flags = text_of(fs::path(source_folder()) / "models" / "import" / "megatron.yaml");
  flags.replace(flags.find("uses: [megatron_core]"), 21, "uses: [changed_core]");
  return folder.write("changed.yaml", flags).string();
}

}  // namespace

TEST_CASE("exports: every shipped run comes back with its metrics, or is refused for what Megatron-LM can't do") {
  for (const std::string& execution : testing::some_of(trained_executions(), 10)) {
    CAPTURE(execution);
    Library library({source_folder()});
    const RoundTrip there = go_round(of(execution), library);
    const auto why = kNoWords.find(execution);
    CHECK_MESSAGE(there.text.empty() == (why != kNoWords.end()), there.messages);
    if (why != kNoWords.end()) CHECK_MESSAGE(there.messages.find(why->second) != std::string::npos, there.messages);
    CHECK(there.differences == "");
  }
}

TEST_CASE("exports: runs with most of what there is to write come back with their metrics") {
  for (const Rich& rich : testing::some_of(rich(), 3)) {
    CAPTURE(rich.model);
    CAPTURE(rich.execution);
    Library library({source_folder()});
    const RichRun run(rich);
    const RoundTrip there = go_round(run.request, library);
    CHECK_MESSAGE(!there.text.empty(), there.messages);
    CHECK(there.differences == "");
  }
}

TEST_CASE("exports: weights that torchtitan would keep in four bytes are approximated, and a warning says it") {
  ExportRequest request{"torchtitan", "torchtitan", {}};
  request.run.model = "llama-3-8b";
  request.run.execution = "llama-3-8b-16xh100";
  request.run.system = "h100-80g-sxm";
  Library library({source_folder()});
  const RoundTrip there = go_round(request, library);
  CHECK(there.text.find("# opledger: parameters: bf16\n") != std::string::npos);
  CHECK(there.text.find("dtype = \"float32\"\n") != std::string::npos);
  CHECK(there.messages.find("parameters = bf16, which torchtitan can't express") != std::string::npos);
  CHECK(there.differences.empty());
}

TEST_CASE("exports: flavours of torchtitan come back with their metrics, and what it can't do is refused") {
  const std::string widths =
      "batch_size: 64\naccounting: standard\nparameters: fp32\nweight_message_width: 2 byte\ngradients: fp32\nreduction: fp32\nstack: torchtitan\n";
  struct Titan {
    const char *model, *mesh, *rules, *rest, *refused;
  };
  const std::vector<Titan> all = {
      {"llama-3-8b", "{pp: 1, dp: {rep: 2, fsdp: 8}, tp: 2}", "megatron, hsdp, overlap_tp_ring, recompute_every",
       "recompute_period: 2\nsequence_parallel: true\n", ""},
      {"llama-3-70b", "{pp: 4, dp: {fsdp: 8}, tp: 4}", "megatron, fsdp_keep, recompute_full",
       "chunks: 2\nsequence_parallel: true\nembedding_layers: 1\nhead_layers: 1\ngradient_norm: true\n", ""},
      {"qwen3-8b", "{dp: {fsdp: 16}}", "megatron, fsdp, recompute_second_products, fp8_hidden", "compute: fp8\nrecipe: rowwise\noperand_width: 1\n", ""},
      {"llama-3-8b", "{dp: 16}", "megatron, zero_1", "", "express the rule `zero_1`"},
      {"mistral-7b", "{dp: {fsdp: 16}}", "megatron, fsdp", "", "by name and flavour"},
      {"llama-3-8b", "{dp: {fsdp: 16}}", "megatron, fsdp", "optimizer: lion\n", "no such optimizer"}};
  for (const Titan& titan : testing::some_of(all, 3)) {
    CAPTURE(titan.model);
    CAPTURE(titan.rules);
    Library library({source_folder()});
    const TemporaryFolder folder;
    ExportRequest request{"torchtitan", "torchtitan", {}};
    request.run.model = titan.model;
    request.run.system = "h100-80g-sxm";
    request.run.execution =
        folder.write("titan.yaml", "kind: execution\nname: titan\nmesh: " + std::string(titan.mesh) + "\nrules: [" + titan.rules + "]\n" + widths + titan.rest)
            .string();
    const RoundTrip there = go_round(request, library);
    CHECK_MESSAGE(there.text.empty() == (*titan.refused != 0), there.messages);
    CHECK_MESSAGE(there.messages.find(titan.refused) != std::string::npos, there.messages);
    CHECK(there.differences == "");
  }
}

TEST_CASE("exports: quotes, backslashes and control characters of texts are escaped in TOML") {
  const TemporaryFolder folder;
  std::string mapping = text_of(fs::path(source_folder()) / "models" / "import" / "torchtitan.yaml");
  const auto insert = [&](const std::string& section, const std::string& line) { mapping.insert(mapping.find(section) + section.size(), line); };
  insert("\nfields:\n", "  title: {type: text, at: job.title}\n");
  insert("\nwrites:\n", "  title: {literal: \"a \\\"b\\\" \\\\c\\td\"}\n");
  Library library({source_folder()});
  ExportRequest request{"torchtitan", folder.write("own.yaml", mapping).string(), {}};
  request.run.model = "llama-3-8b";
  request.run.system = "h100-80g-sxm";
  request.run.execution = folder
                              .write("titan.yaml",
                                     "kind: execution\nname: titan\nmesh: {dp: {fsdp: 16}}\nrules: [megatron, fsdp]\nbatch_size: 64\naccounting: standard\n"
                                     "parameters: fp32\nweight_message_width: 2 byte\ngradients: fp32\nreduction: fp32\nstack: torchtitan\n")
                              .string();
  const RoundTrip there = go_round(request, library);
  CHECK_MESSAGE(there.text.find(R"(title = "a \"b\" \\c\u0009d")") != std::string::npos, there.text, there.messages);
  CHECK(there.differences == "");
}

TEST_CASE("exports: with every input changed in turn a run comes back with its metrics, or is refused") {
  constexpr std::size_t kEach = 32;  // Every kEach-th input of a run is changed, a different set in each run.
  int refused = 0, back = 0;
  std::size_t position = 0;
  Library library({source_folder()});
  for (const Rich& rich : testing::some_of(rich(), 10)) {
    const RichRun run(rich);
    Diagnostics unread;
    const auto prepared = Run::prepare(run.request.run, library, unread);
    REQUIRE_MESSAGE(prepared, messages(unread));
    for (const auto& [input, _] : prepared->program().inputs) {
      const bool own = std::string(rich.execution).find("\n" + input->name + ":") != std::string::npos;
      if (++position % (own ? kEach / 8 : kEach) != 0) continue;
      const Value value = prepared->evaluator().ask(*input).value;
      std::string other;
      if (value.kind == Value::Kind::truth) other = value.scalar.value != 0 ? "false" : "true";
      if (value.is_number() && value.unit.plain()) other = exact(value.scalar.value == 0 ? 1 : value.scalar.value * 2);
      if (value.kind == Value::Kind::word && value.set && value.word >= 0) {
        const Set& set = prepared->program().set(value.set);
        if (!set.words.empty()) other = set.words[(static_cast<std::size_t>(value.word) + 1) % set.words.size()];
      }
      if (other.empty() || other == "nan" || other == "inf") continue;
      CAPTURE(input->name);
      CAPTURE(other);
      ExportRequest request = run.request;
      request.run.overrides.emplace_back(input->name, other);
      Diagnostics wrong;
      if (Run::prepare(request.run, library, wrong) == nullptr) continue;
      const RoundTrip there = go_round(request, library);
      ++(there.text.empty() ? refused : back);
      CHECK_MESSAGE(there.differences == "", there.text);
      if (there.text.empty()) CHECK(there.messages != "");
    }
  }
  CHECK(back > 0);
  CHECK(refused > 0);
}

TEST_CASE("exports: a mapping that leaves out what it should write is found out") {
  const std::string core = text_of(fs::path(source_folder()) / "models" / "import" / "megatron_core.yaml");
  std::map<std::string, std::vector<const Rich*>> writes;  // Runs by the field that the export writes for them.
  Library library({source_folder()});
  Diagnostics unread;
  const auto mapping = load_launch_mapping("megatron", "megatron", library, unread);
  REQUIRE_MESSAGE(mapping, messages(unread));
  const LaunchMapping launch = read_launch_mapping(*mapping);
  const ExportMapping exported = read_export_mapping(*mapping);
  for (const Rich& rich : rich()) {
    const RichRun run(rich);
    const auto prepared = Run::prepare(run.request.run, library, unread);
    const auto written = prepared ? write_config(launch, exported, *prepared, unread) : std::nullopt;
    REQUIRE_MESSAGE(written, messages(unread));
    for (const WrittenField& field : written->fields) writes[field.field->name].push_back(&rich);
  }
  // A run stays the same without these fields, because a default, another field or a comment has the value.
  const std::set<std::string> harmless = {"attention_backend",
                                          "attention_dropout",
                                          "exp_avg_sq_dtype",
                                          "fp8_recipe",
                                          "hidden_dropout",
                                          "max_position_embeddings",
                                          "moe_pad_expert_input_to_capacity"};
  std::string unnoticed;
  for (const auto& [field, runs] : testing::some_of(writes, 10)) {
    if (harmless.count(field) > 0) continue;
    const TemporaryFolder folder;
    const std::string written = "\n  " + field + ":";
    const std::size_t at = core.find(written, core.find("\nwrites:\n"));
    REQUIRE_MESSAGE(at != std::string::npos, field);
    std::string changed = core;
    changed.replace(at, written.size(), "\n  left_out_" + field + ":");
    const std::string without_value = changed_mapping(folder, changed);
    Library own({source_folder()});
    const bool noticed = std::any_of(runs.begin(), runs.end(), [&, field = field](const Rich* rich) {
      Diagnostics ignored;
      const RichRun run(*rich, without_value);
      return export_launch(run.request, own, ignored).empty();
    });
    if (!noticed) unnoticed += field + " ";
  }
  CHECK(unnoticed == "");
}

}  // namespace opledger
