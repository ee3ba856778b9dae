#include "import/hf.h"

#include "accounting/graph_engine.h"
#include "base/csv.h"
#include "base/lists.h"
#include "tests/import/imported_config.h"
#include "tests/support/documents.h"
#include "tests/support/random_count.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

const fs::path kConfigs = fs::path(source_folder()) / "tests" / "data" / "import" / "hf";

/// Returns the messages of an import of the file `c.json`; the model's text if there are no messages.
std::string messages_of(const std::string& config, const std::string& mapping = "") {
  const TemporaryFolder folder;
  Library library({source_folder()});
  Diagnostics diagnostics;
  const std::string text = import_hf({folder.write("c.json", config).string(), "c", mapping}, library, diagnostics).text;
  std::string said = messages(diagnostics);
  const std::size_t known = said.find("known are ");  // The list of known families is cut, because it changes with every new mapping.
  if (known != std::string::npos) said.replace(known + 10, said.find(';', known) - known - 10, "…");
  return diagnostics.all().empty() ? text : said;
}

}  // namespace

// Imports small configs of each family. tests/data/import/hf/counts.csv has counts worked by hand from the published
// tensors: embeddings first, then layers, then the rest.
TEST_CASE("hf: every family counts as worked by hand, every weight is in one tensor of its checkpoints, and a run costs something") {
  const auto source = std::make_shared<const SourceFile>("counts.csv", text_of(kConfigs / "counts.csv"));
  Diagnostics diagnostics;
  const auto counts = parse_csv(source, diagnostics);
  REQUIRE_MESSAGE(counts, render(diagnostics));
  const std::string split = execution("{pp: 1, dp: 2, tp: 2}", "megatron", "batch_size: 4\nmicrobatch_size: 1\n");
  for (const Csv::Row& row : testing::some_of(counts->rows, 10)) {
    CAPTURE(row.cells[0]);
    ImportedConfig imported(kConfigs / (row.cells[0] + ".json"));
    if (!imported.run) continue;
    // Two configs have parts besides the language model, one has quantized weights, one lacks a field without a
    // default.
    CHECK((imported.messages == "") == !contains(std::vector<std::string>{"llama4", "qwen2_5_vl", "deepseek_v2_unshared", "qwen3"}, row.cells[0]));
    CHECK(value(*imported.run, "parameters_total") == worked(row.cells[1]));
    CHECK(value(*imported.run, "parameters_active") == worked(row.cells[2]));
    imported.checkpoint();
    const auto costs = prepare((imported.folder.path() / "made.yaml").string(), split, "h100-80g-sxm");
    CHECK(value(*costs, "iteration_time") > 0);
    CHECK(value(*costs, "memory") > 0);
  }
}

TEST_CASE("hf: every family is tried") {
  const std::string counts = text_of(kConfigs / "counts.csv");
  Library library({source_folder()});
  for (const std::string& name : library.names("import")) {
    Diagnostics diagnostics;
    const Document* document = library.load(name, {"import"}, diagnostics);
    REQUIRE(document != nullptr);
    if (document->root.find("model_types") != nullptr) CHECK_MESSAGE(counts.find("\n" + name + ",") != std::string::npos, name);
  }
}

namespace {

/// Returns a config with the required fields, and further fields on a second line.
std::string llama(const std::string& more) {
  return R"({"model_type": "llama", "vocab_size": 96, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4)" +
         (more.empty() ? "" : ",\n" + more) + "}";
}

}  // namespace

TEST_CASE("hf: what is wrong with a config is said where it is") {
  struct {
    std::string config, expected;
  } const cases[] = {
      {R"({"model_type": "lama"})",
       "1:16: no mapping knows the family `lama` (did you mean `llama`?)\n"
       "  known are …; --mapping takes one of your own\n"},
      {R"({"hidden_size": 32})", "1:1: the config has no `model_type`, which selects a mapping: is it the config.json of a model? --mapping names a mapping\n"},
      {R"({"model_type": ["llama"]})",
       "1:16: the config has no `model_type`, which selects a mapping: is it the config.json of a model? --mapping names a mapping\n"},
      {R"({"model_type": "rotary"})",
       "1:16: no mapping knows the family `rotary`\n"
       "  known are …; --mapping takes one of your own\n"},
      {R"({"model_type": "llama", "vocab_size": 96, "hidden_size": null, "intermediate_size": 48, "num_hidden_layers": 3})",
       "1:58: `hidden_size` is null, and the mapping `llama` needs it\n"},
      {llama(R"("num_key_value_heads": 3)"), "2:24: num_attention_heads = 4 is no multiple of num_key_value_heads = 3\n"},
      {llama(R"("num_key_value_heads": 0)"), "2:24: `num_key_value_heads` must be at least 1\n"},
      {llama(R"("num_key_value_heads": "vocab_size")"), "2:24: `num_key_value_heads`: expected a whole number, found text\n"},
      {llama(R"("num_key_value_heads": 2.5)"), "2:24: `num_key_value_heads`: expected a whole number, found a number\n"},
      {llama(R"("num_key_value_heads": 1e400)"), "2:24: `num_key_value_heads`: expected a whole number, found text\n"},
      {llama(R"("num_key_value_heads": [2])"), "2:24: `num_key_value_heads`: expected a whole number, found a list\n"},
      {llama(R"("num_key_value_head": 2)"),
       "2:1: the mapping `llama` doesn't know `num_key_value_head`, which may change shapes (did you mean `num_key_value_heads`?)\n"},
      {llama(R"("attention_bias": 1)"), "2:19: `attention_bias`: expected true or false, found a number\n"},
      {llama(R"("num_experts": 8)"), "2:1: the mapping `llama` doesn't know `num_experts`, which may change shapes\n"},
      {llama(R"("my_note": "hello")"), "2:1: the mapping `llama` doesn't know `my_note`, which is assumed to change no shape\n"},
      {llama(R"("add_cross_attention": true)"), "2:24: a decoder with cross-attention is not known to this mapping\n"},
      {llama(R"("layer_types": ["full_attention"])"), "1:108: layer_types lists 1 layers, and num_hidden_layers is 3\n"},
      {llama(R"("layer_types": ["full_atention", "full_attention", "full_attention"])"),
       "2:17: `layer_types[0]`: `full_atention` is none of full_attention, sliding_attention, chunked_attention (did you mean `full_attention`?)\n"},
      {llama(R"("head_dim": 7)"), "2:13: head_dim = 7 is odd, and rotary positions turn pairs of elements\n"},
      {R"({"model_type": "llama", "vocab_size": 96, "hidden_size": 30, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4})",
       "1:134: hidden_size = 30 is no multiple of num_attention_heads = 4, and no head_dim is given\n"
       "1:1: head_dim = 7 is odd, and rotary positions turn pairs of elements\n"},
      {R"({"model_type": "llama", "vocab_size": 96, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1000000, "num_attention_heads": 4})",
       "1:108: 1000000 layers: there may be 1 to 2048\n"},
      {R"({"model_type": "llama", "vocab_size": 96, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": -2, "num_attention_heads": 4})",
       "1:108: `num_hidden_layers` must be at least 1\n"},
      {R"({"model_type": "llama", "vocab_size": 1e30, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4})",
       "1:39: `vocab_size`: expected a whole number below 9e15, found a number\n"},
      {R"({"model_type": "gpt2", "n_positions": 64, "n_ctx": 32})",
       "1:1: `vocab_size` is missing, and the mapping `gpt2` needs it\n"
       "1:1: `n_embd` or `hidden_size` is missing, and the mapping `gpt2` needs it\n"
       "1:1: `n_layer` or `num_hidden_layers` is missing, and the mapping `gpt2` needs it\n"
       "1:1: `n_head` or `num_attention_heads` is missing, and the mapping `gpt2` needs it\n"
       "1:52: `n_ctx` is 32 and `n_positions` is 64: both name the same field\n"
       "  1:39: `n_positions` is here\n"},
      {R"({"model_type": "llava", "text_config": {"hidden_size": 32}})",
       "1:40: only `text_config` is imported: other parts of the model are not counted\n"
       "1:16: no mapping knows the family `llava` (did you mean `llama`?)\n  known are …; --mapping takes one of your own\n"},
      {R"({"text_config": {"hidden_size": 32}})",
       "1:17: only `text_config` is imported: other parts of the model are not counted\n"
       "1:17: the config has no `model_type`, which selects a mapping: is it the config.json of a model? --mapping names a mapping\n"},
      {R"({"model_type": "llama", )",
       "1:25: a key must be text, and this is nothing\n"
       "1:25: a `: ` is missing after this key\n"
       "1:25: this is not how a `{...}` goes on: `,` or `}` is missing before here\n"},
      {"[1, 2]", "1:1: a document is a mapping, and this is a list\n"},
      {"kind: model\ngraph: []", "2:8: expected at least one value in the list for `graph`\n"},
  };
  for (const auto& [config, expected] : cases) {
    CAPTURE(config);
    CHECK(messages_of(config) == expected);
  }
}

TEST_CASE("hf: an unknown field that is null says nothing, and parameters tell where they are from") {
  CHECK(messages_of(llama(R"("num_experts": null, "num_key_value_heads": 2, "tie_word_embeddings": true)")) ==
        R"yaml(# Imported with the mapping `llama`. Comments name the sources of numbers; everything may be edited.
kind: model
name: c
doc: "Llama and models of the same structure, with RMSNorm, rotary attention and a gated MLP."
source: "c.json (Hugging Face, model_type llama)"
uses: [embeddings, decoder, heads]
checkpoint: llama
published:
  context: 2048                  # no max_position_embeddings: 2048
parameters:
  layers: 3                      # num_hidden_layers
  hidden: 32                     # hidden_size
  heads: 4                       # num_attention_heads
  kv_heads: 2                    # num_key_value_heads
  head_dim: 8                    # no head_dim: hidden_size // num_attention_heads
  vocab: 96                      # vocab_size
  seq: 2048                      # min(max_position_embeddings, 8192)
  ffn: 48                        # intermediate_size
graph:
  - {name: embedding, block: token_embedding}
  - {name: decoder, block: llama_layer, repeat: layers}
  - {name: head, block: rmsnorm_head, weights: {logits.w: embedding.tokens.table}}
)yaml");
}

TEST_CASE("hf: a mapping of one's own needs nothing compiled") {
  const TemporaryFolder folder;
  const auto mapping = folder.write("spiral.yaml", R"yaml(kind: import
doc: A family of this test's.
uses: [gated]
fields:
  num_hidden_layers: {type: integer, min: 1, at: shape.depth, also: n_layers}
  labels: {type: integer, default: 2, at: names, count: true}
  rank: {type: integer, default: 3, "null": 5, words: {auto: "ceil_div(hidden_size, 3)"}}
  flavour: {type: [plain, striped], default: plain}
let:
  wide: 2 * intermediate_size
ignored: ["shape.*"]
model:
  parameters:
    extra: labels
    wide: wide
    rank: {is: rank, when: flavour == striped}
  graph:
    - {name: embedding, block: token_embedding}
    - layers: num_hidden_layers
      repeat: layers
      kinds:
        - {name: first, block: llama_layer, when: layer == 0}
        - {name: decoder, block: olmo_2_layer, ffn: wide, when: layer % 2 == 1}
        - {name: decoder_odd, block: llama_layer}
    - {name: head, block: rmsnorm_head}
)yaml");
  const auto graph_of = [&](const std::string& more) {
    const std::string config =
        R"({"vocab_size": 96, "hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4, "names": {"0": "a", "1": "b", "2": "c"})" +
        (more.empty() ? "" : ", " + more) + R"(, "num_key_value_heads": 4, "max_position_embeddings": 2048})";
    const std::string said = messages_of(config, mapping.string());
    const std::size_t extra = said.find("  extra: ");
    return extra == std::string::npos ? said : said.substr(extra);
  };
  CHECK(graph_of(R"("shape": {"depth": 6, "colour": "red"}, "flavour": "striped", "rank": "auto")") ==
        "  extra: 3                       # labels\n"
        "  wide: 96                       # 2 * intermediate_size\n"
        "  rank: 11                       # rank\n"
        "graph:\n"
        "  - {name: embedding, block: token_embedding}\n"
        "  - {name: first, block: llama_layer, repeat: 1}\n"
        "  - repeat: (layers - 2) / 2\n"
        "    segments:\n"
        "      - {name: decoder, block: olmo_2_layer, ffn: wide}\n"
        "      - {name: decoder_odd, block: llama_layer}\n"
        "  - {name: decoder_2, block: olmo_2_layer, repeat: 1, ffn: wide}\n"
        "  - {name: head, block: rmsnorm_head}\n");
  CHECK(graph_of(R"("n_layers": 1, "rank": null, "flavour": "striped")") ==
        "  extra: 3                       # labels\n"
        "  wide: 96                       # 2 * intermediate_size\n"
        "  rank: 5                        # rank\n"
        "graph:\n"
        "  - {name: embedding, block: token_embedding}\n"
        "  - {name: first, block: llama_layer, repeat: layers}\n"
        "  - {name: head, block: rmsnorm_head}\n");
  CHECK(graph_of(R"("shape": 6)") ==
        "1:1: `shape.depth` or `n_layers` is missing, and the mapping `spiral` needs it\n"
        "1:140: `shape` must be a mapping, found a number\n");
  CHECK(graph_of(R"("shape": {"depth": 6}, "n_layers": 5)") ==
        "1:166: `n_layers` is 5 and `shape.depth` is 6: both name the same field\n"
        "  1:150: `shape.depth` is here\n");
  CHECK(graph_of(R"("n_layers": 2, "flavour": "stripped")") == "1:157: `flavour`: `stripped` is none of plain, striped (did you mean `striped`?)\n");
}

TEST_CASE("hf: Kimi K2's figures in DeepSeek-V3's fields are the shipped model's") {
  const TemporaryFolder folder;
  ImportedConfig imported(folder.write("config.json", R"({"model_type": "kimi_k2", "num_hidden_layers": 61, "first_k_dense_replace": 1, "hidden_size": 7168,
    "num_attention_heads": 64, "num_key_value_heads": 64, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
    "v_head_dim": 128, "intermediate_size": 18432, "n_routed_experts": 384, "num_experts_per_tok": 8, "moe_intermediate_size": 2048, "n_shared_experts": 1,
    "vocab_size": 163840, "topk_method": "noaux_tc", "max_position_embeddings": 131072, "num_nextn_predict_layers": 0, "aux_loss_alpha": 0.001})"));
  REQUIRE(imported.run);
  const auto shipped_one = prepare("kimi-k2", "single", "h100-80g-sxm");
  const auto costs = prepare((imported.folder.path() / "made.yaml").string(), "single", "h100-80g-sxm");
  for (const char* metric : {"parameters_total", "parameters_active", "model_flops", "memory", "iteration_time"})
    CHECK_MESSAGE(value(*costs, metric) == value(*shipped_one, metric), metric);
}

TEST_CASE("hf: layers that read earlier layers' keys are remarked on only between stages of a pipeline") {
  TemporaryFolder folder;
  const auto remarks = [&](const std::string& config, const std::string& mesh) {
    Library library({source_folder()});
    Diagnostics diagnostics;
    const std::string text = import_hf({(kConfigs / config).string(), "made", ""}, library, diagnostics).text;
    const auto run = prepare(folder.write(config + ".yaml", text).string(), execution(mesh, "megatron"), "h100-80g-sxm");
    return run->remarks(said()).size();
  };
  CHECK(remarks("gemma4_text.json", "{pp: 2}") == 1);
  CHECK(remarks("gemma4_text.json", "{tp: 2}") == 0);
  CHECK(remarks("gemma4_unified_text.json", "{pp: 2}") == 0);
  CHECK(remarks("llama.json", "{pp: 2}") == 0);
}

TEST_CASE("hf: absurd configs end soon, with a message") {
  const auto list = [](int entries) {
    std::string out = "0";
    for (int i = 1; i < entries; ++i) out += "," + std::to_string(i % 7 * i);
    return out + "]}";
  };
  const std::string moe = R"({"model_type": "qwen3_moe", "vocab_size": 96, "hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 8, "moe_intermediate_size": 8, "num_experts": 4, "num_experts_per_tok": 2, "num_hidden_layers": 2048, "mlp_only_layers": [)";
  CHECK(messages_of(moe + list(100'000)) == "2:164: `mlp_only_layers` has 100000 entries, and at most 2048 are possible\n");
  CHECK(messages_of(moe + list(2048)).find("repeat: ") != std::string::npos);
  CHECK(messages_of(std::string(200, '[') + std::string(200, ']')) == "1:65: nested too deep: at most 64 lists and mappings\n");
  CHECK(messages_of(llama("\"" + std::string(100'000, 'x') + "\": 1")).size() < 1'000'000);
}

}  // namespace opledger
