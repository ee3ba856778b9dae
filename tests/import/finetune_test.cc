#include <iostream>

#include "base/lists.h"
#include "import/launch_export.h"
#include "schemas/yaml_text.h"
#include "tests/import/launched.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

const std::string kAxolotl = R"(base_model: NousResearch/Meta-Llama-3-8B
adapter: qlora
load_in_4bit: true
lora_r: 8
lora_target_linear: true
sequence_len: 1024
sample_packing: true
micro_batch_size: 4
gradient_accumulation_steps: 2
optimizer: paged_adamw_8bit
gradient_checkpointing: true
datasets:
  - {path: notes, type: alpaca}
)";

const std::string kTrl = R"(#!/bin/sh
pip install trl
trl sft --model_name_or_path mistralai/Mistral-7B-v0.1 --dataset_name pairs --max_length 512 \
  --per_device_train_batch_size 4 --use_liger_kernel --dtype bfloat16 --optim adamw_torch --num_processes 1
)";

const std::string kLlamaFactory = R"(model_name_or_path: Qwen/Qwen3-8B
stage: sft
finetuning_type: full
deepspeed: zero.json
cutoff_len: 4096
per_device_train_batch_size: 2
gradient_accumulation_steps: 3
bf16: true
)";

const std::string kZero = R"({"zero_optimization": {"stage": 2, "overlap_comm": true, "reduce_bucket_size": "auto",
  "offload_optimizer": {"device": "cpu"}}, "bf16": {"enabled": "auto"}, "train_micro_batch_size_per_gpu": "auto"}
)";

const std::string kTorchtune = R"(model:
  _component_: torchtune.models.llama3_1.llama3_1_8b
tokenizer: {path: /models/tokenizer.model, max_seq_len: 2048}
dataset: {packed: false}
batch_size: 3
optimizer: {_component_: torch.optim.AdamW, lr: 2e-5}
optimizer_in_bwd: true
loss: {_component_: torchtune.modules.loss.LinearCrossEntropyLoss}
enable_activation_checkpointing: true
dtype: bf16
)";

const std::string kVerl = R"(python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B \
  data.max_prompt_length=256 data.max_response_length=768 actor_rollout_ref.actor.ppo_mini_batch_size=32 \
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 actor_rollout_ref.rollout.n=4 trainer.n_gpus_per_node=4
)";

/// Checks the model and the execution, of which `expected` has the keys that matter.
void check_import(const Launched& launched, const std::string& model, const std::string& expected) {
  REQUIRE_MESSAGE(!launched.diagnostics.has_errors(), render(launched.diagnostics));
  CHECK(launched.imported.base_model == model);
  CHECK(launched.imported.text.empty());
  const Datum keys = datum(expected);
  for (const auto& [key, value] : keys.entries()) {
    const Datum* const found = launched.run.find(key.text());
    CHECK_MESSAGE((found != nullptr ? yaml_flow(*found) : "") == yaml_flow(value), key.text(), "\n", launched.imported.execution);
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string mistakes_in(const std::string& format, const std::string& name, const std::string& text, const Settings& settings = {{"world_size", "1"}}) {
  const TemporaryFolder folder;
  folder.write("zero.json", kZero);
  return messages(Launched(format, folder.write(name, text), settings).diagnostics);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("finetune: a config of Axolotl") {
  const TemporaryFolder folder;
  check_import({"axolotl", folder.write("a.yml", kAxolotl), {}}, "llama-3-8b",
               "{batch_size: 2, microbatch_size: 1, seq: 4096, mean_document: 1024, stack: axolotl, parameters: bf16, optimizer: adamw_8bit, lora_rank: 8,"
               " gradient_norm: true, rules: [lora, nf4, recompute_full, offload_optimizer]}");
  const std::string sharded = "fsdp_version: 2\nfsdp_config: {reshard_after_forward: false, offload_params: true, activation_checkpointing: true}\n";
  const std::string full = replaced(replaced(kAxolotl, "adapter: qlora\nload_in_4bit: true\nlora_r: 8\nlora_target_linear: true\n", sharded),
                                    "paged_adamw_8bit", "adamw_torch_fused");
  check_import({"axolotl", folder.write("b.yml", full), {{"world_size", "8"}, {"mean_document", "512"}}}, "llama-3-8b",
               "{mesh: {dp: {fsdp: 8}}, batch_size: 16, mean_document: 512, parameters: fp32, weight_message_width: 2 byte, master_width: 0 byte,"
               " rules: [megatron, fsdp_keep, recompute_full, offload_weights, offload_optimizer, overlap_zero3_prefetch]}");
}

TEST_CASE("finetune: a command and a config of TRL") {
  const TemporaryFolder folder;
  check_import({"trl", folder.write("t.sh", kTrl), {}}, "mistral-7b",
               "{batch_size: 4, microbatch_size: 4, seq: 512, stack: transformers, parameters: bf16, gradients: bf16, states: bf16, foreach: true, liger: true,"
               " rules: [recompute_full, liger_loss]}");
  const std::string arguments = "model_name_or_path: unsloth/llama-3-8b-Instruct-bnb-4bit\nuse_peft: true\nlora_target_modules: [q_proj, down_proj]\n";
  check_import({"trl", folder.write("t.yaml", arguments), {{"world_size", "1"}, {"task", "dpo"}}}, "llama-3-8b",
               "{microbatch_size: 8, seq: 1024, rows_per_sample: 2, reference_forward: true, kbit: true, lora_rank: 16, lora_dropout: 0.05,"
               " rules: [lora, nf4, recompute_full]}");
}

TEST_CASE("finetune: files that a config names") {
  const TemporaryFolder folder;
  folder.write("accelerate.yaml",
               "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 4\nfsdp_config: {fsdp_version: 1, fsdp_sharding_strategy: SHARD_GRAD_OP}\n");
  folder.write("arguments.yaml", "model_name_or_path: Qwen/Qwen3-8B\nmax_length: 2048\ngradient_checkpointing: False\n");
  const fs::path script = folder.write("t.sh", "accelerate launch --config_file accelerate.yaml sft.py --config arguments.yaml --max_length 4096\n");
  check_import({"trl", script, {}}, "qwen3-8b",
               "{mesh: {dp: {fsdp: 4}}, batch_size: 32, seq: 4096, stack: transformers, parameters: fp32,"
               " rules: [megatron, fsdp_keep, fsdp_root, chunked_loss, overlap_zero3_prefetch]}");
  const fs::path zero = folder.write("zero.json", kZero);
  const fs::path config = folder.write("l.yaml", kLlamaFactory);
  const std::string expected =
      "{mesh: {dp: 8}, batch_size: 48, parameters: bf16, gradients: bf16, states: fp32, master_width: 4 byte, bucket_size: hidden * hidden * 2 byte,"
      " stack: llamafactory, rules: [megatron, zero_2, recompute_full, offload_optimizer, overlap_dp, overlap_zero3_prefetch]}";
  check_import({"llamafactory", config, {{"world_size", "8"}}}, "qwen3-8b", expected);
  const TemporaryFolder elsewhere;
  const fs::path alone = elsewhere.write("l.yaml", kLlamaFactory);
  CHECK(has(messages(Launched("llamafactory", alone, {{"world_size", "8"}}).diagnostics), "4:12: there is no file `zero.json`"));
  check_import({"llamafactory", alone, {{"world_size", "8"}, {"deepspeed", zero.string()}}}, "qwen3-8b", expected);
  const fs::path outside = elsewhere.write("o.yaml", replaced(kLlamaFactory, "zero.json", zero.string()));
  CHECK(has(messages(Launched("llamafactory", outside, {{"world_size", "8"}}).diagnostics), "is out of reach"));
}

TEST_CASE("finetune: a config of torchtune and overrides of verl") {
  const TemporaryFolder folder;
  check_import({"torchtune", folder.write("t.yaml", kTorchtune), {{"world_size", "1"}}}, "llama-3-8b",
               "{batch_size: 3, seq: 2048, update_in_backward: true, gradient_norm: false, rules: [recompute_full, chunked_loss]}");
  check_import({"torchtune", folder.write("u.yaml", kTorchtune), {{"world_size", "4"}}}, "llama-3-8b",
               "{mesh: {dp: {fsdp: 4}}, batch_size: 12, rules: [megatron, fsdp, recompute_full, chunked_loss, overlap_zero3_prefetch]}");
  check_import({"verl", folder.write("v.sh", kVerl), {}}, "qwen3-8b",
               "{mesh: {dp: {fsdp: 4}}, batch_size: 128, microbatch_size: 2, seq: 1024, stack: verl-fsdp,"
               " rules: [megatron, fsdp, fsdp_root, recompute_full]}");
}

TEST_CASE("finetune: a launch line of torchtune states its GPUs") {
  const TemporaryFolder folder;
  folder.write("t.yaml", kTorchtune);
  const auto line = [&](const std::string& text) { return Launched("torchtune", folder.write("t.sh", text + "\n"), {}); };
  check_import(line("tune run --nnodes 2 --nproc_per_node 4 full_finetune_distributed --config t.yaml batch_size=2"), "llama-3-8b",
               "{mesh: {dp: {fsdp: 8}}, batch_size: 16, microbatch_size: 2}");
  check_import(line("tune run --nproc-per-node=2 my/recipe.py --config t.yaml"), "llama-3-8b", "{mesh: {dp: {fsdp: 2}}}");
  const fs::path torchrun = folder.write("r.sh", "torchrun --nnodes 2 --nproc_per_node 4 sft.py --model_name_or_path Qwen/Qwen3-8B\n");
  check_import({"trl", torchrun, {}}, "qwen3-8b", "{batch_size: 64}");
  const Launched single = line("tune run full_finetune_single_device --config t.yaml");
  check_import(single, "llama-3-8b", "{batch_size: 3}");
  CHECK(!has(render(single.diagnostics), "number of GPUs"));
  CHECK(has(render(line("tune run lora_finetune_distributed --config llama3_1/8B_lora").diagnostics), "`--set config=FILE`"));
  CHECK(has(render(line("tune run quantize --config t.yaml").diagnostics), "opledger models the recipes of full fine-tuning"));
}

TEST_CASE("finetune: a target that is several products is one adapter") {
  const TemporaryFolder folder;
  const auto sites_of = [&](const std::string& targets) {
    const std::string text = "model_name_or_path: meta-llama/Meta-Llama-3-8B\nuse_peft: true\nlora_dropout: 0\nlora_target_modules: " + targets + "\n";
    const Launched launched("trl", folder.write("t.yaml", text), {{"world_size", "1"}});
    REQUIRE_MESSAGE(!launched.diagnostics.has_errors(), render(launched.diagnostics));
    return std::pair(launched.run.find("lora_fused") != nullptr ? yaml_flow(*launched.run.find("lora_fused")) : "",
                     value(*launched.costs("llama-3-8b"), "parameters_trained"));
  };
  // Rank 16 in 32 layers of Llama 3 8B.
  const double gate_up = 32 * 16 * (4096 + 2 * 14336.0), qkv = 32 * 16 * (4096 + 4096 + 2 * 1024.0);
  CHECK(sites_of("[gate_up_proj]") == std::pair(std::string("[gate_up]"), gate_up));
  CHECK(sites_of("[qkv_proj, gate_up_proj]") == std::pair(std::string("[qkv, gate_up]"), qkv + gate_up));
  // Names of parts beside the fused one leave the choice to the model.
  CHECK(sites_of("[gate_proj, up_proj, gate_up_proj]") == std::pair(std::string(), gate_up + 32 * 16 * 4096.0));
}

TEST_CASE("finetune: kernels of norms and gates leave the logits whole, and so does the loss of pairs") {
  const TemporaryFolder folder;
  const auto peak = [&](const std::string& format, const std::string& text) {
    const Launched launched(format, folder.write("a.yml", text), {{"world_size", "1"}});
    REQUIRE_MESSAGE(!launched.diagnostics.has_errors(), render(launched.diagnostics));
    return value(*launched.costs(launched.imported.base_model), "memory");
  };
  const std::string plugin = "plugins: [axolotl.integrations.liger.LigerPlugin]\n", dpo = "rl: dpo\n";
  const std::string qlora = replaced(kAxolotl, "sample_packing: true\n", "");
  const double logits = 4096 * 128256.0 * 4;  // 4 rows of 1,024 tokens, in 4 bytes
  const double norms = peak("axolotl", qlora + plugin + "liger_rms_norm: true\n");
  const double fused = peak("axolotl", qlora + plugin + "liger_rms_norm: true\nliger_fused_linear_cross_entropy: true\n");
  CHECK(norms > fused + 2 * logits);
  const double pairs = peak("axolotl", qlora + dpo);
  CHECK(pairs > norms);
  CHECK(peak("axolotl", qlora + dpo + plugin + "liger_fused_linear_cross_entropy: true\n") == pairs);
  CHECK(peak("axolotl", qlora + dpo + "plugins: [axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin]\n") == pairs);
  const std::string factory = "model_name_or_path: Qwen/Qwen3-8B\nfinetuning_type: lora\nlora_rank: 8\nbf16: true\ncutoff_len: 4096\n";
  CHECK(peak("llamafactory", factory + "stage: dpo\nenable_liger_kernel: true\n") >
        2 * peak("llamafactory", factory + "stage: sft\nenable_liger_kernel: true\n"));
}

TEST_CASE("finetune: bitsandbytes leaves routed experts as they are") {
  const TemporaryFolder folder;
  const auto weights = [&](const std::string& more, bool warns) {
    const std::string text = replaced(kAxolotl, "NousResearch/Meta-Llama-3-8B", "mistralai/Mixtral-8x7B-v0.1") + more;
    const Launched launched("axolotl", folder.write("a.yml", text), {{"world_size", "1"}});
    REQUIRE_MESSAGE(!launched.diagnostics.has_errors(), render(launched.diagnostics));
    CHECK(has(render(launched.diagnostics), "`--set quantize_moe_experts=true` counts them as quantized") == warns);
    return value(*launched.costs("mixtral-8x7b"), "weight_bytes_per_rank");
  };
  const double experts = 32 * 8 * 3 * 4096.0 * 14336, narrow = 0.5 + 1.0 / 64 + 4.0 / 16384;  // NF4 with double quantization
  CHECK(weights("", true) - weights("quantize_moe_experts: true\n", false) == doctest::Approx(experts * (2 - narrow)));
}

TEST_CASE("finetune: the file of DeepSpeed decides the optimizer, and its share on the host is reported") {
  const TemporaryFolder folder;
  const auto line = [&](const std::string& zero) {
    folder.write("zero.json", replaced(kZero, "\"bf16\"", zero + ", \"bf16\""));
    return Launched("llamafactory", folder.write("l.yaml", kLlamaFactory), {{"world_size", "8"}});
  };
  check_import(line(R"("optimizer": {"type": "SGD", "params": {"lr": "auto"}})"), "qwen3-8b", "{optimizer: sgd}");
  check_import(line(R"("optimizer": {"type": "SGD", "params": {"momentum": 0.9}})"), "qwen3-8b", "{optimizer: sgd_momentum}");
  check_import(line(R"("optimizer": {"type": "Lion"})"), "qwen3-8b", "{optimizer: lion}");
  CHECK(has(messages(line(R"("optimizer": {"type": "OneBitAdam"})").diagnostics), "`--set deepspeed_optimizer=…`"));
  folder.write("zero.json", replaced(kZero, "\"cpu\"", "\"cpu\", \"ratio\": 0.3"));
  CHECK(has(render(Launched("llamafactory", folder.write("l.yaml", kLlamaFactory), {{"world_size", "8"}}).diagnostics), "offload_optimizer.ratio = 0.3"));
}

TEST_CASE("finetune: accelerate reads its section for DeepSpeed only as it is told") {
  const TemporaryFolder folder;
  const auto rules = [&](const std::string& kind, const char* more) {
    folder.write("accelerate.yaml", "distributed_type: " + kind + "\nnum_processes: 4\ndeepspeed_config: {zero_stage: 2, gradient_accumulation_steps: 4}\n");
    return Launched(
        "trl", folder.write("t.sh", "accelerate launch --config_file accelerate.yaml sft.py --model_name_or_path Qwen/Qwen3-8B" + std::string(more) + "\n"),
        {});
  };
  check_import(rules("DEEPSPEED", " --gradient_accumulation_steps 4"), "qwen3-8b", "{rules: [megatron, zero_2, recompute_full, chunked_loss]}");
  const Launched unread = rules("MULTI_GPU", "");
  check_import(unread, "qwen3-8b", "{rules: [megatron, autocast_copies, recompute_full, chunked_loss, overlap_dp]}");
  CHECK(has(render(unread.diagnostics), "accelerate reads deepspeed_config only with `distributed_type: DEEPSPEED`"));
}

TEST_CASE("finetune: gradients of torchtune's optimizer on the host") {
  const TemporaryFolder folder;
  const std::string host = replaced(replaced(kTorchtune, "torch.optim.AdamW, lr: 2e-5", "torchao.optim.CPUOffloadOptimizer, offload_gradients: true"),
                                    "optimizer_in_bwd: true\n", "");
  check_import({"torchtune", folder.write("t.yaml", host), {{"world_size", "1"}}}, "llama-3-8b",
               "{offload_gradients: true, rules: [recompute_full, chunked_loss, offload_optimizer]}");
  CHECK(has(mistakes_in("torchtune", "t.yaml", host + "gradient_accumulation_steps: 2\n"), "needs gradient_accumulation_steps = 1"));
}

TEST_CASE("finetune: adapters at the head beside those at all products") {
  const TemporaryFolder folder;
  const auto trained = [&](const std::string& more) {
    const Launched launched("axolotl", folder.write("a.yml", kAxolotl + more), {{"world_size", "1"}});
    REQUIRE_MESSAGE(!launched.diagnostics.has_errors(), render(launched.diagnostics));
    return std::pair(value(*launched.costs("llama-3-8b"), "parameters_trained"), render(launched.diagnostics));
  };
  const double everywhere = trained("").first;
  CHECK(trained("lora_target_modules: [lm_head]\n").first == everywhere + 8 * (4096 + 128256.0));
  const auto [experts, warning] = trained("lora_dropout: 0\nlora_target_parameters: [mlp.experts.gate_up_proj]\n");
  CHECK(experts == everywhere);
  CHECK(has(warning, "the model has no routed experts"));
  CHECK(has(mistakes_in("trl", "t.yaml", "model_name_or_path: Qwen/Qwen3-8B\nuse_peft: true\nlora_target_modules: [all-linear, lm_head]\nloss_type: nll\n"),
            "all-linear beside other modules is the name of a module"));
}

TEST_CASE("finetune: messages have the words of the file and the place of the mistake") {
  CHECK(has(mistakes_in("axolotl", "a.yml", kAxolotl + "rl: dppo\n"), ": `rl`: expected one of dpo, ipo, kto, orpo, simpo, grpo"));
  CHECK(has(mistakes_in("axolotl", "a.yml", kAxolotl + "rl: dppo\n"), "found `dppo` (did you mean `dpo`?)"));
  CHECK(has(mistakes_in("axolotl", "a.yml", replaced(kAxolotl, "lora_target_linear: true", "fsdp_config: {fsdp_sharding_strategy: FULL_SHRD}")),
            "expected one of FULL_SHARD, SHARD_GRAD_OP"));
  CHECK(has(mistakes_in("trl", "t.sh", replaced(kTrl, "batch_size 4", "batch_size 0")), "`per_device_train_batch_size` must be at least 1"));
  CHECK(has(mistakes_in("trl", "t.sh", replaced(kTrl, "trl sft", "trl sft --use_gradient_checkpointing")), "(did you mean `gradient_checkpointing`?)"));
  // A definition of the mapping has the place of its field.
  CHECK(has(mistakes_in("axolotl", "a.yml", kAxolotl + "rl: grpo\n"), "14:5: this task generates"));
  CHECK(has(mistakes_in("axolotl", "a.yml", kAxolotl + "load_in_8bit: true\n"), "14:15: weights are loaded in four bits or in eight"));
  CHECK(has(mistakes_in("torchtune", "t.yaml", replaced(kTorchtune, "enable_activation_checkpointing", "enable_activation_offloading")),
            "needs enable_activation_checkpointing: true"));
}

TEST_CASE("finetune: options of accelerate in a script") {
  const TemporaryFolder folder;
  const auto launch = [&](const std::string& options) {
    const std::string line = "accelerate launch --num_processes 4 " + options + " sft.py --model_name_or_path Qwen/Qwen3-8B --gradient_accumulation_steps 2\n";
    return Launched("trl", folder.write("t.sh", line), {});
  };
  check_import(
      launch("--use_fsdp --fsdp_sharding_strategy SHARD_GRAD_OP --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP --fsdp_state_dict_type FULL_STATE_DICT"),
      "qwen3-8b", "{mesh: {dp: {fsdp: 4}}, rules: [megatron, fsdp_keep, fsdp_root, recompute_full, chunked_loss, overlap_zero3_prefetch]}");
  check_import(launch("--use_fsdp --fsdp_version 2 --fsdp_offload_params true --fsdp_backward_prefetch NO_PREFETCH"), "qwen3-8b",
               "{prefetch_depth: 0, rules: [megatron, fsdp, recompute_full, chunked_loss, offload_weights, offload_optimizer, overlap_zero3_prefetch]}");
  check_import(launch("--use_deepspeed --offload_optimizer_device cpu"), "qwen3-8b",
               "{rules: [megatron, zero_2, recompute_full, chunked_loss, offload_optimizer]}");
  check_import(launch("--use_deepspeed --zero_stage 3"), "qwen3-8b", "{rules: [megatron, zero_3, recompute_full, chunked_loss, overlap_zero3_prefetch]}");
}

TEST_CASE("finetune: experts of a checkpoint in MXFP4, and targets with their path") {
  const TemporaryFolder folder;
  const std::string text =
      "base_model: openai/gpt-oss-20b\nadapter: lora\nlora_r: 8\nlora_target_linear: true\nsequence_len: 2048\n"
      "model_quantization_config: Mxfp4Config\n";
  const auto line = [&](const std::string& all) { return Launched("axolotl", folder.write("a.yml", all), {{"world_size", "1"}}); };
  check_import(line(text), "gpt-oss-20b", "{rules: [lora, mxfp4_frozen]}");
  check_import(line(text + "model_quantization_config_kwargs: {dequantize: true}\n"), "gpt-oss-20b", "{rules: [lora]}");
  CHECK(has(mistakes_in("axolotl", "a.yml", replaced(text, "Mxfp4Config", "HqqConfig")), "opledger knows Mxfp4Config"));
  const std::string paths = replaced(kAxolotl, "lora_target_linear: true", "lora_target_modules: [self_attn.q_proj, mlp.down_proj]");
  check_import(line(paths), "llama-3-8b", "{lora_sites: [query, down]}");
  CHECK(has(mistakes_in("axolotl", "a.yml", replaced(paths, "mlp.", "model.layers.3.mlp.")), "adapters at modules of unknown names"));
}

TEST_CASE("finetune: LLaMA-Factory trains a whole head in four bytes beside the frozen one") {
  const TemporaryFolder folder;
  const auto bytes = [&](const std::string& more) {
    const std::string text = "model_name_or_path: meta-llama/Meta-Llama-3-8B\nfinetuning_type: lora\nlora_rank: 8\nbf16: true\n" + more;
    const Launched launched("llamafactory", folder.write("l.yaml", text), {{"world_size", "1"}});
    REQUIRE_MESSAGE(!launched.diagnostics.has_errors(), render(launched.diagnostics));
    const auto run = launched.costs("llama-3-8b");
    return std::pair(value(*run, "weight_bytes_per_rank"), value(*run, "optimizer_bytes_per_rank"));
  };
  const double head = 4096 * 128256.0;
  const auto plain = bytes(""), saved = bytes("additional_target: lm_head\n"), pure = bytes("additional_target: lm_head\npure_bf16: true\n");
  CHECK(saved.first - plain.first == 4 * head);    // A copy in four bytes beside the frozen one in two.
  CHECK(saved.second - plain.second == 8 * head);  // Two states, and no wider copy.
  CHECK(pure.first - bytes("pure_bf16: true\n").first == 2 * head);
}

TEST_CASE("finetune: mistakes in configs") {
  CHECK(has(mistakes_in("axolotl", "a.yml", replaced(kAxolotl, "lora_r:", "lora_rr:")),
            "4:1: the mapping `axolotl` doesn't know `lora_rr`, which may change costs (did you mean `lora_r`?)"));
  CHECK(has(mistakes_in("axolotl", "a.yml", replaced(kAxolotl, "load_in_4bit: true\n", "")), "adapter: qlora needs `load_in_4bit: true`"));
  CHECK(has(mistakes_in("axolotl", "a.yml", replaced(kAxolotl, "adapter: qlora\n", "")), "a weight in few bits can't be trained"));
  CHECK(has(mistakes_in("axolotl", "a.yml", kAxolotl + "rl: grpo\n"), "`--set part=update` imports the updates of weights"));
  CHECK(mistakes_in("axolotl", "a.yml", kAxolotl + "rl: grpo\n", {{"world_size", "1"}, {"part", "update"}}) != "");
  CHECK(has(mistakes_in("axolotl", "a.yml", kAxolotl + "relora: true\n"), "`relora`: opledger does not model adapters that are merged and restarted"));
  CHECK(!has(mistakes_in("axolotl", "a.yml", kAxolotl + "relora: false\n"), "relora"));
  CHECK(has(mistakes_in("axolotl", "a.yml", kAxolotl + "fsdp_config: {offload_params: false}\n", {}), "names no number of GPUs: `--set world_size=…`"));
  CHECK(has(mistakes_in("axolotl", "a.yml", kAxolotl, {}), "the config names no number of GPUs: one is counted, `--set world_size=…` says how many"));
  CHECK(has(mistakes_in("axolotl", "a.yml", replaced(kAxolotl, "NousResearch/Meta-Llama-3-8B", "NousResearch/Meta-Lama-3-8B")),
            "1:13: `NousResearch/Meta-Lama-3-8B` is no known name of a model (did you mean `NousResearch/Meta-Llama-3-8B*`?)"));
  CHECK(has(mistakes_in("trl", "t.sh", replaced(kTrl, "--use_liger_kernel", "--use_liger_kernel --loss_type chunked_nll")), "exclude each other"));
  CHECK(has(mistakes_in("trl", "t.sh", replaced(kTrl, "trl sft", "trl grpo")), "`--set part=update`"));
  CHECK(has(mistakes_in("trl", "t.sh", replaced(kTrl, "--max_length", "--max_lenght")), "(did you mean `max_length`?)"));
  CHECK(has(mistakes_in("llamafactory", "l.yaml", kLlamaFactory + "quantization_bit: 4\n"), "quantization_bit needs `finetuning_type: lora`"));
  CHECK(has(mistakes_in("llamafactory", "l.yaml", kLlamaFactory + "shift_attn: true\n"), "`shift_attn`: opledger does not model S2 attention"));
  CHECK(has(mistakes_in("torchtune", "t.yaml", kTorchtune + "clip_grad_norm: 1.0\n"), "optimizer_in_bwd excludes clip_grad_norm"));
  CHECK(has(mistakes_in("torchtune", "t.yaml", replaced(kTorchtune, ", max_seq_len: 2048", "")), "`--set max_seq_len=…`"));
  CHECK(has(mistakes_in("torchtune", "t.yaml", replaced(kTorchtune, "optimizer_in_bwd", "optimizer_in_bkd")), "(did you mean `optimizer_in_bwd`?)"));
}

TEST_CASE("finetune: names of models") {
  const TemporaryFolder folder;
  const auto model_of = [&](const std::string& name) {
    return Launched("trl", folder.write("t.yaml", "use_peft: true\nmodel_name_or_path: " + name + "\n"), {{"world_size", "1"}}).imported.base_model;
  };
  CHECK(model_of("meta-llama/Llama-3.1-8B-Instruct") == "llama-3-8b");
  CHECK(model_of("META-LLAMA/llama-3.1-8b-instruct") == "llama-3-8b");
  CHECK(model_of("somebody/qwen2.5-7B-Instruct-bnb-4bit") == "qwen2.5-7b");  // The owner of a quantized copy does not matter.
  CHECK(model_of("somebody/Qwen2.5-7B-Instruct") == "");
  const Launched other("trl", folder.write("t.yaml", "model_name_or_path: my/own\n"), {{"world_size", "1"}}, "gpt2");
  CHECK(other.imported.base_model == "gpt2");
}

namespace {

/// Returns an imported run as a config of another format, with the messages of the export.
std::string exported_as(const char* format, const Launched& launched, const TemporaryFolder& folder, Diagnostics& said) {
  Library library({source_folder()});
  ExportRequest request{format, "", {}};
  request.run.model = launched.imported.base_model;
  request.run.execution = folder.write("run.yaml", launched.imported.execution).string();
  std::string out = export_launch(request, library, said);
  REQUIRE_MESSAGE(!out.empty(), render(said));
  return out;
}

}  // namespace

TEST_CASE("finetune: exports are imported as the same run") {
  const std::string fused = replaced(kAxolotl, "lora_target_linear: true", "lora_target_modules: [qkv_proj, o_proj, gate_up_proj, down_proj]");
  const std::pair<const char*, std::string> configs[] = {{"axolotl", kAxolotl}, {"axolotl", fused}, {"trl", kTrl}, {"torchtune", kTorchtune}};
  for (const auto& [format, text] : configs) {
    CAPTURE(format);
    const TemporaryFolder folder;
    const Launched launched(format, folder.write(std::string("c") + (std::string(format) == "trl" ? ".sh" : ".yaml"), text), {{"world_size", "1"}});
    REQUIRE_MESSAGE(!launched.diagnostics.has_errors(), render(launched.diagnostics));
    Diagnostics said;
    const std::string exported = exported_as(format, launched, folder, said);
    const Launched again(format, folder.write("exported.yaml", exported), {});
    REQUIRE_MESSAGE(!again.diagnostics.has_errors(), render(again.diagnostics));
    CHECK(again.imported.base_model == launched.imported.base_model);
    CHECK(yaml_flow(*again.run.find("rules")) == yaml_flow(*launched.run.find("rules")));
  }
}

TEST_CASE("finetune: exports start on cards without bf16, and shard layer by layer") {
  const TemporaryFolder folder;
  const auto exported = [&](const char* format, const std::string& text, const std::string& ranks, const char* system) {
    const Launched launched(format, folder.write("c.yaml", text), {{"world_size", ranks}});
    REQUIRE_MESSAGE(!launched.diagnostics.has_errors(), render(launched.diagnostics));
    Library library({source_folder()});
    ExportRequest request{format, "", {}};
    request.run.model = launched.imported.base_model, request.run.system = system;
    request.run.execution = folder.write("run.yaml", launched.imported.execution).string();
    Diagnostics said;
    return export_launch(request, library, said);
  };
  const std::string half = "bf16: false\nfp16: true\n", trl = "model_name_or_path: Qwen/Qwen3-8B\nuse_peft: true\ndtype: float16\n" + half;
  CHECK(has(exported("axolotl", kAxolotl + half, "1", "t4-16g"), "attn_implementation: sdpa"));
  CHECK(has(exported("axolotl", kAxolotl + half, "1", "a100-80g-sxm"), "attn_implementation: flash_attention_2"));
  CHECK(has(exported("trl", trl, "1", "v100-32g"), "attn_implementation: sdpa"));
  const std::string sharded =
      replaced(kAxolotl, "adapter: qlora\nload_in_4bit: true\n", "adapter: lora\nfsdp_version: 2\nfsdp_config: {offload_params: false}\n");
  CHECK(has(exported("axolotl", replaced(sharded, "paged_adamw_8bit", "adamw_torch_fused"), "4", "h100-80g-sxm"), "auto_wrap_policy: TRANSFORMER_BASED_WRAP"));
}

TEST_CASE("finetune: an export to another program says that the stack is not the program's") {
  const TemporaryFolder folder;
  const auto said_of = [&](const char* format) {
    const Launched launched("torchtune", folder.write("t.yaml", replaced(kTorchtune, "optimizer_in_bwd: true\n", "")), {{"world_size", "1"}});
    Diagnostics said;
    exported_as(format, launched, folder, said);
    return render(said);
  };
  CHECK(has(said_of("axolotl"), "warning: stack = torchtune, which only a comment states"));
  CHECK(said_of("torchtune").empty());
}

// The configs have other owners and are not part of this tree.
TEST_CASE("finetune: every example of the reference has its facts") {
  const fs::path reference = fs::path(source_folder()).parent_path() / "shared" / "reference" / "finetune" / "examples";
  if (!fs::exists(reference)) {
    std::cout << "skipped: there is no reference data; it belongs in ../shared/reference\n";
    return;
  }
  struct Example {
    const char* format;
    const char* name;
    const char* file;
    Settings settings;
  };
  const Example all[] = {{"axolotl", "1-axolotl-qlora", "1-axolotl-qlora.yml", {}},
                         {"axolotl", "2-axolotl-full-fsdp2", "2-axolotl-full-fsdp2.yml", {{"world_size", "4"}}},
                         {"llamafactory", "3-llamafactory-lora-dpo", "3-llamafactory-lora-dpo.yaml", {}},
                         {"llamafactory", "4-llamafactory-full-zero3", "4-llamafactory-full-zero3.yaml", {{"world_size", "8"}}},
                         {"trl", "5-trl-sft", "5-trl-sft.sh", {}},
                         {"trl", "6-accelerate-fsdp", "6-arguments.yaml", {{"accelerate_config", (reference / "6-accelerate-fsdp.yaml").string()}}},
                         {"torchtune", "7-torchtune-lora", "7-torchtune-lora.yaml", {}},
                         {"verl", "8-verl", "8-verl.yaml", {}}};
  for (const Example& example : all) {
    CAPTURE(example.name);
    const Datum whole = datum(text_of(reference / (std::string(example.name) + ".expected.json")));
    const Datum expected = whole.find("update") != nullptr ? *whole.find("update") : whole;
    const Launched launched(example.format, reference / example.file, example.settings);
    REQUIRE_MESSAGE(!launched.diagnostics.has_errors(), render(launched.diagnostics));
    CHECK(launched.imported.base_model == whole.find("model")->text());
    if (const Datum* mesh = expected.find("mesh")) CHECK(yaml_flow(*launched.run.find("mesh")) == yaml_flow(*mesh));
    if (const Datum* rows = expected.find("microbatch")) CHECK(launched.run.find("microbatch_size")->text() == rows->text());
    CHECK(launched.run.find("seq")->text() == expected.find("seq")->text());
    for (const std::string& rule : expected.texts("rules")) {
      const std::string name = rule.substr(0, rule.find(' '));
      const bool is_there =
          contains(launched.run.texts("rules"), name) ||
          (name == "pieces" && (contains(launched.run.texts("rules"), "chunked_loss") || contains(launched.run.texts("rules"), "liger_loss")));
      CHECK_MESSAGE(is_there, rule);
    }
    const std::unique_ptr<Run> run = launched.costs(launched.imported.base_model);
    REQUIRE(run != nullptr);
    CHECK(value(*run, "parameters_total") == *expected.find("parameters_total")->number());
    CHECK(value(*run, "weight_bytes_per_rank") == *expected.find("weight_bytes")->number());
    // With one microbatch a step, gradients do not exist together with all activations.
    if (expected.find("accumulation") != nullptr) CHECK(value(*run, "gradient_bytes_per_rank") == *expected.find("gradient_bytes")->number());
    const Datum* const states = expected.find("state_bytes");
    const Datum* const masters = expected.find("master_bytes");
    if (states != nullptr) CHECK(value(*run, "optimizer_bytes_per_rank") == *states->number() + (masters != nullptr ? *masters->number() : 0));
  }
}

}  // namespace opledger
