#include "import/hf.h"

#include <fstream>
#include <iterator>

#include "accounting/linker.h"
#include "base/csv.h"
#include "expr/parser.h"
#include "tests/import/made.h"
#include "tests/support/documents.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

const fs::path kConfigs = fs::path(source_folder()) / "tests" / "data" / "import" / "hf";

/// What a worked count comes to: `96*32 + 3*(2*32 + 4*32*32)`.
double worked(const std::string& arithmetic) {
  Diagnostics diagnostics;
  std::optional<Program> program = link_program({}, diagnostics);
  REQUIRE(program);
  const Formula* formula = link_formula(*program, parse_expression(arithmetic, {}, diagnostics), *program->global, diagnostics);
  REQUIRE_MESSAGE(formula != nullptr, render(diagnostics));
  return Evaluator(*program, diagnostics).evaluate(*formula).scalar.value;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Messages of an import, the file called `c.json`; the model's text where there is none.
std::string said_of(const std::string& config, const std::string& mapping = "") {
  const TemporaryFolder folder;
  Library library({source_folder()});
  Diagnostics diagnostics;
  const std::string text = import_hf({folder.write("c.json", config).string(), "c", mapping}, library, diagnostics);
  std::string said = messages(diagnostics);
  const std::size_t known = said.find("known are ");  // of all families, which would have to be told here again
  if (known != std::string::npos) said.replace(known + 10, said.find(';', known) - known - 10, "…");
  return diagnostics.all().empty() ? text : said;
}

}  // namespace

// Small configs, one or more for each family. Counts are worked by hand from the tensors that each family is published with: in tests/data/import/hf/counts.csv,
// embeddings first, then layers, then what stands behind them.
TEST_CASE("hf: every family counts as worked by hand, every weight is in one tensor of its checkpoints, and a run costs something") {
  auto source = std::make_shared<SourceFile>();
  source->text = text_of(kConfigs / "counts.csv");
  Diagnostics diagnostics;
  const auto counts = parse_csv(source, diagnostics);
  REQUIRE_MESSAGE(counts, render(diagnostics));
  const std::string split = execution("{pp: 1, dp: 2, tp: 2}", "megatron", "batch_size: 4\nmicrobatch_size: 1\n");
  for (const Csv::Row& row : counts->rows) {
    CAPTURE(row.cells[0]);
    Made made(kConfigs / (row.cells[0] + ".json"));
    if (!made.run) continue;
    CHECK((made.messages == "") == (row.cells[0] != "llama4"));  // it has more than its language model
    CHECK(value(*made.run, "parameters_total") == worked(row.cells[1]));
    CHECK(value(*made.run, "parameters_active") == worked(row.cells[2]));
    made.checkpoint();
    const auto costs = prepare((made.folder.path() / "made.yaml").string(), split, "h100-80g-sxm");
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

/// A config of what the family needs, and on a second line more.
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
      {R"({"hidden_size": 32})", "1:1: this says no `model_type`, by which a mapping is found: is it the config.json of a model? --mapping names a mapping\n"},
      {R"({"model_type": ["llama"]})",
       "1:16: this says no `model_type`, by which a mapping is found: is it the config.json of a model? --mapping names a mapping\n"},
      {R"({"model_type": "rotary"})",
       "1:16: no mapping knows the family `rotary`\n"
       "  known are …; --mapping takes one of your own\n"},
      {R"({"model_type": "llama", "vocab_size": 96, "hidden_size": null, "intermediate_size": 48, "num_hidden_layers": 3})",
       "1:58: `hidden_size` is null, and the mapping `llama` needs it\n"
       "1:1: `num_attention_heads` is missing, and the mapping `llama` needs it\n"},
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
      {llama(R"("my_note": "hello")"), "2:1: the mapping `llama` doesn't know `my_note`: taken to change no shape\n"},
      {llama(R"("add_cross_attention": true)"), "2:24: a decoder with cross-attention is not known to this mapping\n"},
      {llama(R"("layer_types": ["full_attention"])"), "1:108: layer_types lists 1 layers, and num_hidden_layers is 3\n"},
      {llama(R"("layer_types": ["full_atention", "full_attention", "full_attention"])"),
       "2:17: `layer_types[0]`: `full_atention` is none of full_attention, sliding_attention, chunked_attention (did you mean `full_attention`?)\n"},
      {llama(R"("head_dim": 7)"), "2:13: head_dim = 7 is odd, and rotary positions turn pairs of elements\n"},
      {R"({"model_type": "llama", "vocab_size": 96, "hidden_size": 30, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4})",
       "1:134: hidden_size = 30 is no multiple of num_attention_heads = 4, and no head_dim is given\n"
       "1:1: head_dim = 7 is odd, and rotary positions turn pairs of elements\n"},
      {R"({"model_type": "llama", "vocab_size": 96, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1000000, "num_attention_heads": 4})",
       "1:108: 1000000 layers: there may be 1 to 100000\n"},
      {R"({"model_type": "llama", "vocab_size": 96, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": -2, "num_attention_heads": 4})",
       "1:108: `num_hidden_layers` must be at least 1\n"},
      {R"({"model_type": "llama", "vocab_size": 1e30, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4})",
       "1:39: `vocab_size`: expected a whole number, found a number\n"},
      {R"({"model_type": "gpt2", "n_positions": 64, "n_ctx": 32})",
       "1:1: `vocab_size` is missing, and the mapping `gpt2` needs it\n"
       "1:1: `n_embd` or `hidden_size` is missing, and the mapping `gpt2` needs it\n"
       "1:1: `n_layer` or `num_hidden_layers` is missing, and the mapping `gpt2` needs it\n"
       "1:1: `n_head` or `num_attention_heads` is missing, and the mapping `gpt2` needs it\n"
       "1:52: `n_ctx` says 32 and `n_positions` says 64: they are two names of one thing\n"
       "  1:39: `n_positions` is here\n"},
      {R"({"model_type": "llava", "text_config": {"hidden_size": 32}})",
       "1:40: only `text_config` is imported: what else the model has is not counted\n"
       "1:40: this says no `model_type`, by which a mapping is found: is it the config.json of a model? --mapping names a mapping\n"},
      {R"({"model_type": "llama", )",
       "1:25: a key must be text, and this is nothing\n"
       "1:25: a `: ` is missing after this key\n"
       "1:25: this is not how a `{...}` goes on: `,` or `}` is missing before here\n"},
      {"[1, 2]", "1:1: a document is a mapping, and this is a list\n"},
      {"kind: model\ngraph: []", "2:8: expected at least one value in the list for `graph`\n"},
  };
  for (const auto& [config, expected] : cases) {
    CAPTURE(config);
    CHECK(said_of(config) == expected);
  }
}

TEST_CASE("hf: an unknown field that is null says nothing, and parameters tell where they are from") {
  CHECK(said_of(llama(R"("num_experts": null, "num_key_value_heads": 2, "tie_word_embeddings": true)")) ==
        R"yaml(# Imported with the mapping `llama`. Comments say what a number comes from; all of this may be edited.
kind: model
name: c
doc: "Llama, and what else is built like it. RMSNorms, rotary attention, a gated MLP."
source: "c.json (Hugging Face, model_type llama)"
uses: [embeddings, decoder, heads]
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

}  // namespace opledger
