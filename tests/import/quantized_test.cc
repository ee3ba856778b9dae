#include "import/quantized.h"

#include <doctest/doctest.h>

#include "import/hf.h"
#include "tests/import/imported_config.h"
#include "tests/support/documents.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

const fs::path kPlain = fs::path(source_folder()) / "tests" / "data" / "import" / "hf";

/// Returns a config with further fields on additional lines.
std::string with(const std::string& config, const std::string& more) {
  std::string text = text_of(kPlain / (config + ".json"));
  text.resize(text.rfind('}'));
  return text + ", \"quantization_config\":\n" + more + "}";
}

/// An imported model and its rules in files, or the messages of the import.
struct Quantized {
  Quantized(const std::string& config, const std::string& more) {
    Library library({source_folder()});
    Diagnostics diagnostics;
    ImportRequest request{folder.write("c.json", with(config, more)).string(), "model"};
    request.rules = "weights";
    const ImportedDocuments imported = import_hf(request, library, diagnostics);
    said = messages(diagnostics);
    rules = imported.rules;
    folder.write("model.yaml", imported.text);
    folder.write("weights.yaml", rules);
  }

  /// Returns a metric of one rank, with or without the rules.
  double metric(const std::string& name, bool quantized) {
    const auto file = folder.write(
        quantized ? "with.yaml" : "without.yaml",
        std::string("kind: execution\naccounting: serving\nprompt: 16\noutput: 2\nlongest: 0\nrules: [") + (quantized ? "weights.yaml" : "") + "]\n");
    RunRequest request;
    request.model = (folder.path() / "model.yaml").string();
    request.execution = file.string();
    request.system = "b200-180g-sxm";
    Library library({source_folder()});
    Diagnostics diagnostics;
    const auto run = Run::prepare(request, library, diagnostics);
    CHECK_MESSAGE(messages(diagnostics) == "", rules);
    return run != nullptr ? value(*run, name) : 0;
  }

  TemporaryFolder folder;
  std::string rules, said;
};

const std::string kLlama = "3*(2*32*32 + 2*32*16 + 3*32*48)";
const std::string kDeepseek = "(4*(32*10 + 10*4*12 + 32*16 + 12*4*14 + 4*6*32) + 3*3*32*48 + 6*3*32*20 + 3*32*20)";

}  // namespace

TEST_CASE("quantized: weights have the bytes that are worked by hand from the tensors that each method converts") {
  struct {
    std::string config, quantized, change;  // `change`: difference of all weight bytes from two bytes an element.
  } const cases[] = {
      {"llama", R"({"quant_method": "fp8", "activation_scheme": "static"})", kLlama + "*(1 - 2)"},
      {"llama", R"({"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]})", kLlama + "*(1 + 4/(128*128) - 2)"},
      {"llama", R"({"quant_method": "fp8", "weight_block_size": null, "ignored_layers": ["model.layers.1"]})", kLlama + "*2/3*(1 - 2)"},
      {"llama",
       R"({"quant_method": "fbgemm_fp8", "activation_scale_ub": 1200.0, "modules_to_not_convert": ["lm_head", "model.layers.0.mlp.gate_proj", "self_attn"]})",
       "8*32*48*(1 - 2)"},
      {"deepseek_v3", R"({"quant_method": "fp8", "weight_block_size": [64, 32]})", kDeepseek + "*(1 + 4/(64*32) - 2)"},
      {"deepseek_v3", R"({"quant_method": "fp8", "modules_to_not_convert": ["model.layers.0", "model.layers.3"]})",
       "(2*(32*10 + 10*4*12 + 32*16 + 12*4*14 + 4*6*32) + 2*3*32*48)*(1 - 2)"},
      {"gemma2", R"({"quant_method": "fp8", "ignored_layers": ["model.layers.1"]})", "3*(2*32*64 + 2*32*32 + 3*32*48)*(1 - 2)"},
      {"gpt_oss", R"({"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn", "model.layers.*.mlp.router", "lm_head"]})",
       "3*4*3*32*48*(0.5 + 1/32 - 2)"},
      {"llama", R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": true, "sym": true})", kLlama + "*(0.5 + 2/128 - 2)"},
      {"llama", R"({"quant_method": "gptq", "bits": 3, "group_size": 32, "sym": false})", kLlama + "*(0.375 + (2 + 0.375)/32 - 2)"},
      {"llama", R"({"quant_method": "gptq", "bits": 8, "group_size": -1, "modules_in_block_to_quantize": [["mlp.up_proj"], ["mlp.down_proj"]]})",
       "3*2*32*48*(1 - 2)"},
      {"llama", R"({"quant_method": "awq", "bits": 4, "group_size": 64, "zero_point": true, "version": "gemm", "modules_to_not_convert": ["o_proj"]})",
       "3*(32*32 + 2*32*16 + 3*32*48)*(0.5 + 2.5/64 - 2)"},
      {"llama", R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "_load_in_4bit": true, "bnb_4bit_quant_type": "nf4"})", kLlama + "*(0.5 + 4/64 - 2)"},
      {"llama", R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_use_double_quant": true})", kLlama + "*(0.5 + 1/64 + 4/(64*256) - 2)"},
      {"llama", R"({"quant_method": "bitsandbytes", "load_in_8bit": true, "llm_int8_skip_modules": null})", kLlama + "*(1 - 2)"},
      {"llama", R"({"quant_method": "modelopt", "quant_algo": "NVFP4", "exclude_modules": ["lm_head", "model.layers.2.self_attn*"]})",
       "(" + kLlama + " - 2*32*32 - 2*32*16)*(0.5 + 1/16 - 2)"},
      {"llama", R"({"quant_method": "modelopt", "quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "ignore": ["lm_head"]})", kLlama + "*(1 - 2)"},
      {"llama", R"({"quant_method": "modelopt", "quant_algo": "W4A16_AWQ", "group_size": 128, "exclude_modules": ["lm_head"]})", kLlama + "*(0.5 + 2/128 - 2)"},
      {"llama", R"({"quant_method": "compressed-tensors", "ignore": ["lm_head"], "config_groups": {"group_0": {"targets": ["Linear"],
         "weights": {"num_bits": 8, "type": "int", "strategy": "channel", "symmetric": true}, "input_activations": {"num_bits": 8, "type": "int"}}}})",
       kLlama + "*(1 - 2)"},
      {"llama", R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"], "input_activations": null,
         "weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128, "symmetric": false}}}})",
       "(" + kLlama + " + 96*32)*(0.5 + 2.5/128 - 2)"},
      {"llama", R"({"quant_method": "compressed-tensors", "ignore": ["lm_head", "re:.*layers\\.(0|2)\\.mlp"], "config_groups": {
         "group_0": {"targets": ["re:.*self_attn.*"], "weights": {"num_bits": 8, "type": "float", "strategy": "block", "block_structure": [128, 64]}},
         "group_1": {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16},
                     "input_activations": {"num_bits": 4, "type": "float", "group_size": 16}}}})",
       "3*(2*32*32 + 2*32*16)*(1 + 4/(128*64) - 2) + 3*32*48*(0.5 + 1/16 - 2)"},
      {"llama4",
       R"({"quant_method": "compressed-tensors", "ignore": ["re:.*lm_head", "re:.*self_attn", "re:.*router", "language_model.model.layers.0.feed_forward.gate_proj"],
         "config_groups": {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 8, "type": "float", "strategy": "channel"}}}})",
       "(2*(4*3*32*48 + 3*32*48) + 2*3*32*64 - 32*64)*(1 - 2)"},
      {"gemma2", R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 8}}}})",
       "4*(2*32*64 + 2*32*32 + 3*32*48)*(1 - 2)"},
      // A description without a method is recognized by its fields.
      {"llama", R"({"producer": {"name": "modelopt"}, "quant_algo": "FP8", "kv_cache_scheme": "FP8", "ignore": ["lm_head"]})", kLlama + "*(1 - 2)"},
      // Settings of single modules.
      {"deepseek_v3",
       R"({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": {"model.layers.0.mlp.down_proj": {"quant_algo": "FP8"},
         "model.layers.3.mlp.experts.0.gate_proj": {"quant_algo": "NVFP4", "group_size": 16}, "model.layers.3.mlp.experts.5.gate_proj": {"quant_algo": "NVFP4", "group_size": 16},
         "model.layers.3.mlp.experts.0.down_proj": {"quant_algo": "W4A8_AWQ", "group_size": 64}}})",
       "32*48*(1 - 2) + 6*32*20*(0.5 + 1/16 - 2) + 6*32*20*(0.5 + 2/64 - 2)"},
      {"llama",
       R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "dynamic": {"-:.*self_attn.*": {}, "+:.*layers\\.1\\..*": {"bits": 8, "group_size": 64}, ".*layers\\.2\\.mlp\\.up.*": {"bits": 8}}})",
       "(5*32*48)*(0.5 + 2/128 - 2) + 3*32*48*(1 + 2/64 - 2) + 32*48*(1 + 2/128 - 2)"},
      {"llama",
       R"({"quant_method": "auto-round", "bits": 4, "group_size": 32, "extra_config": {"model.layers.0.self_attn.q_proj": {"bits": 16}, "model.layers.1.mlp.up_proj": {"bits": 8}}})",
       "(" + kLlama + " - 32*32 - 32*48)*(0.5 + 2/32 - 2) + 32*48*(1 + 2/32 - 2)"},
      {"llama", R"({"group_size": 32, "bits": 4, "mode": "affine", "model.layers.0.mlp.down_proj": {"group_size": 32, "bits": 8}, "lm_head": false})",
       "(96*32 + " + kLlama + " - 32*48)*(0.5 + 4/32 - 2) + 32*48*(1 + 4/32 - 2)"},
      {"granite", R"({"group_size": 32, "bits": 4, "mode": "mxfp4"})", "(96*32 + " + kLlama + ")*(0.5 + 1/32 - 2)"},
      {"llama", R"({"quant_method": "mxfp8", "modules_to_not_convert": ["lm_head"]})", kLlama + "*(1 + 1/32 - 2)"},
  };
  for (const auto& [config, quantized, change] : cases) {
    CAPTURE(config);
    CAPTURE(quantized);
    Quantized imported(config, quantized);
    const bool has_remarks = quantized.find("mode") != std::string::npos || quantized.find("mxfp8") != std::string::npos;
    if (config != "llama4" && !has_remarks) CHECK(imported.said == "");
    if (imported.rules.empty()) {
      FAIL_CHECK(imported.said);
      continue;
    }
    CAPTURE(imported.rules);
    CHECK(near(imported.metric("weight_bytes_per_rank", true) - imported.metric("weight_bytes_per_rank", false), worked(change), 1e-12));
  }
}

TEST_CASE("quantized: rules say which products compute otherwise, and what is kept between calls") {
  struct {
    std::string config, quantized, rules;
  } const cases[] = {
      {"llama",
       R"({"quant_method": "modelopt", "quant_algo": "NVFP4", "kv_cache_quant_algo": "INT8", "exclude_modules": ["lm_head", "model.layers.0.mlp*", "model.layers.1.mlp*"]})",
       R"yaml(source: "c.json (Hugging Face, quant_method modelopt)"
parts:
  - {segment: [decoder], name: layers_0_to_1, layers: 2}
mark:
  - match:
      name: [attention.query, attention.key, attention.value, attention.output]
    node:
      stored_width: 0.5625 byte          # if four_bits then 0.5 byte + group_scale / group_size else 1 byte + (if in_blocks then 4 byte / (128 * 128) else if quant_algo == MXFP8 then 1 byte / 32 else 0 byte)
      arithmetic: nvfp4                  # if is_nvfp4 then nvfp4 else if quant_algo == MXFP8 then mxfp8 else if in_blocks then fp8_block else fp8
  - match:
      segment: [decoder.rest]
      name: [mlp.gate, mlp.up, mlp.down]
    node:
      stored_width: 0.5625 byte          # if four_bits then 0.5 byte + group_scale / group_size else 1 byte + (if in_blocks then 4 byte / (128 * 128) else if quant_algo == MXFP8 then 1 byte / 32 else 0 byte)
      arithmetic: nvfp4                  # if is_nvfp4 then nvfp4 else if quant_algo == MXFP8 then mxfp8 else if in_blocks then fp8_block else fp8
  - cached:
      held_width: 1 byte                 # if cache == NVFP4 then 0.5 byte + 1 byte / 16 else if cache != unsaid then 1 byte else kv_cache_bits / 8 * 1 byte
)yaml"},
      {"llama",
       R"({"quant_method": "compressed-tensors", "ignore": ["lm_head"], "kv_cache_scheme": {"num_bits": 8, "type": "float"}, "config_groups": {"group_0": {
         "targets": ["Linear"], "weights": {"num_bits": 8, "type": "float", "strategy": "tensor"}, "input_activations": {"num_bits": 8, "type": "float"}}}})",
       R"yaml(source: "c.json (Hugging Face, quant_method compressed-tensors)"
mark:
  - match:
      name: [attention.query, attention.key, attention.value, attention.output, mlp.gate, mlp.up, mlp.down]
    node:
      stored_width: 1 byte               # num_bits / 8 * 1 byte + scales
      arithmetic: fp8                    # if activation_bits == 4 then nvfp4 else if in_blocks then fp8_block else fp8
  - cached:
      held_width: 1 byte                 # cache_bits / 8 * 1 byte
)yaml"},
  };
  for (const auto& [config, quantized, rules] : cases) {
    CAPTURE(quantized);
    Quantized imported(config, quantized);
    CHECK(imported.said == "");
    CHECK(imported.rules.substr(imported.rules.find("source:")) == rules);
    CHECK(imported.metric("cache_bytes_per_token", true) * 2 == imported.metric("cache_bytes_per_token", false));
  }
}

TEST_CASE("quantized: what is wrong is said where it is") {
  struct {
    std::string quantized, expected;
  } const cases[] = {
      {R"({"quant_method": "gptqq"})",
       "12:18: no mapping knows the method `gptqq` (did you mean `gptq`?)\n"
       "  known are …; --unquantized imports the model as trained\n"},
      {R"({"bits": 4})", "12:1: `quantization_config` has no `quant_method`, which selects a mapping; --unquantized imports the model as trained\n"},
      {R"({"quant_method": "gptq"})", "12:1: `bits` is missing, and the mapping `quantised_gptq` needs it\n"},
      {R"({"quant_method": "gptq", "bits": 4, "group_sise": 128})",
       "12:37: the mapping `quantised_gptq` doesn't know `group_sise`, which may change costs (did you mean `group_size`?)\n"},
      {R"({"quant_method": "gptq", "bits": 4, "dynamic": [1]})", "12:48: `dynamic` must be a mapping, found a list\n"},
      {R"({"quant_method": "gptq", "bits": 4, "dynamic": {"+:.*down": 8}})", "12:61: the settings of `+:.*down` must be a mapping, found a number\n"},
      {R"({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION"})",
       "12:44: quant_algo = MIXED_PRECISION, and no quantized_layers say which module has which algorithm\n"},
      {R"({"quant_algo": "MIXED_PRECISION", "quantized_layers": {"model.layers.0.mlp.0.a": {"quant_algo": "FP8"}, "model.layers.0.mlp.1.a": {"quant_algo": "NVFP4"}}})",
       "12:131: `model.layers.0.mlp.1.a` has other settings than the same module with another number; the first settings are counted for all\n"
       "12:56: `model.layers.0.mlp.0.a`: the model has no module of this name\n12:1: the config quantizes no matrix product of the model\n"},
      {R"({"quant_method": "fp8", "weight_block_size": [128]})", "12:1: weight_block_size has 1 entries: blocks have two sides\n"},
      {R"({"quant_method": "fp8", "weight_block_size": [0, 128]})", "12:46: a side of weight_block_size must be at least 1\n"},
      {R"({"quant_method": "fp8", "ignored_layers": ["visual", "vision.*"]})",
       "12:44: `visual`, and 1 more of this list: the model has no module of this name\n"},
      {R"({"quant_method": "fp8", "ignored_layers": ["model.layers"]})", "12:1: the config quantizes no matrix product of the model\n"},
      {R"({"quant_method": "fp8", "ignored_layers": [3, {}]})", "12:47: expected the name of a module, found a mapping\n"},
      {R"({"quant_method": "mxfp4"})",
       "12:13: `experts`: the model has no module of this name\n"
       "12:1: the config quantizes no matrix product of the model\n"},
      {R"({"quant_method": "bitsandbytes"})", "12:1: load_in_4bit = false and load_in_8bit = false: one of them must hold\n"},
      {R"({"quant_method": "modelopt", "quant_algo": "NVFP5"})",
       "12:44: `quant_algo`: `NVFP5` is none of FP8, FP8_PER_CHANNEL_PER_TOKEN, FP8_PB_WO, FP8_PB_REAL, MXFP8, NVFP4, NVFP4_AWQ, W4A16_NVFP4, W4A16_AWQ, "
       "W4A8_AWQ, W8A16, W8A8_SQ_PER_CHANNEL, MIXED_PRECISION (did you mean `NVFP4`?)\n"},
      {R"({"quant_method": "compressed-tensors", "config_groups": {}})", "12:57: `config_groups` lists no group of modules\n"},
      {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": 4}})", "12:69: `config_groups.group_0` must be a mapping, found a number\n"},
      {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 4}, "input_activations": {"num_bits": 4}}}})",
       "12:132: activations of 4 bits (int) are not known to this mapping: there are 8 bits, and 4 in floating point\n"},
      {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 8, "strategy": "block"}}}})",
       "12:109: strategy = block needs a block_structure of two sides\n"},
      {R"({"quant_method": "compressed-tensors", "ignore": ["re:(a"], "config_groups": {"group_0": {"weights": {"num_bits": 8}}}})",
       "12:51: this regular expression can't be read: a `)` is missing\n"},
      {R"({"quant_method": "compressed-tensors", "sparsity_config": {"format": "sparse-24-bitmask"}, "config_groups": {"group_0": {"weights": {"num_bits": 8}}}})",
       "12:70: `sparsity_config.format`: `sparse-24-bitmask` is none of dense\n"},
  };
  for (const auto& [quantized, expected] : cases) {
    CAPTURE(quantized);
    std::string said = Quantized("llama", quantized).said;
    const std::size_t known = said.find("known are ");  // The list of known methods is cut, because it changes with every new mapping.
    if (known != std::string::npos) said.replace(known + 10, said.find(';', known) - known - 10, "…");
    CHECK(said == expected);
  }
}

}  // namespace opledger
