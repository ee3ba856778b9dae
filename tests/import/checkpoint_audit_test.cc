#include "import/checkpoint/checkpoint_audit.h"

#include "base/csv.h"
#include "base/lists.h"
#include "tests/import/written_checkpoint.h"
#include "tests/support/random_count.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

const fs::path kSavedConfigs = fs::path(source_folder()) / "tests" / "data" / "import" / "hf";

/// A small model and a checkpoint of it with the names of its mapping.
struct Family {
  explicit Family(const std::string& config) : imported(kSavedConfigs / (config + ".json")), known(shipped_names(mapping_in(imported.text))) {
    names = names_of(*imported.run, known);
    shapes = shapes_of(names);
  }

  CheckpointAudit audit(const Shapes& changed) const { return audit_checkpoint(names, known, checkpoint_of(changed)); }

  ImportedConfig imported;
  CheckpointNames known;
  TensorNames names;
  Shapes shapes;
};

std::vector<std::string> families() {
  std::vector<std::string> out;
  for (const auto& file : fs::directory_iterator(kSavedConfigs)) {
    if (file.path().extension() == ".json") out.push_back(file.path().stem().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Returns one line for each finding: `NAME TENSORS` and its texts.
std::string lines(const std::vector<TensorFinding>& findings) {
  std::string out;
  for (const TensorFinding& f : findings) {
    out += f.name + " " + std::to_string(f.tensors);
    for (const std::string* text : {&f.found_shape, &f.expected_shape, &f.reason}) out += text->empty() ? "" : " " + *text;
    out += "\n";
  }
  return out;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("checkpoint: what is written by a mapping passes, and every deletion, renaming and change of a shape is found") {
  std::size_t tried = 0;
  for (const std::string& family : testing::some_of(families(), 10)) {
    CAPTURE(family);
    // Two names of some tensors hold the same weights, and the written file has both.
    if (contains(std::vector<std::string>{"axk2", "electra", "nllb_moe"}, family)) continue;
    const Family f(family);
    const CheckpointAudit all = f.audit(f.shapes);
    CHECK(failed(all) == Names{});
    CHECK(lines(all.missing) + lines(all.unknown) + lines(all.misshapen) + lines(all.explained) == "");
    std::size_t number = 0;
    for (const auto& [name, shape] : f.shapes) {
      if (number++ % 17 != 0) continue;  // Layers and experts have equal tensors; a sample is enough.
      CAPTURE(name);
      ++tried;
      Shapes without_value = f.shapes, renamed = f.shapes, larger = f.shapes, turned = f.shapes;
      without_value.erase(name);
      const Names without = failed(f.audit(without_value)), expected = {"tensors_found", "checkpoint_parameters"};
      CHECK_MESSAGE(without == expected, join(without, ", "));
      renamed.erase(name), renamed[name + "x"] = shape;
      // A tensor that the mapping leaves out, such as another head, is missing under its own name and explained under the new one.
      const CheckpointAudit with_new_name = f.audit(renamed);
      const Names missing = {"tensors_found", "checkpoint_parameters"};
      CHECK(failed(with_new_name) == (with_new_name.explained.empty() ? Names{"tensors_found", "tensors_unknown", "checkpoint_parameters"} : missing));
      larger[name].back() += 1;
      CHECK(failed(f.audit(larger)) == Names{"shapes_right", "checkpoint_parameters"});
      std::reverse(turned[name].begin(), turned[name].end());
      CHECK(failed(f.audit(turned)) == (turned[name] == shape ? Names{} : Names{"shapes_right"}));
    }
  }
  CHECK(tried > (testing::one_of(10) == 1 ? 200 : 8));
}

TEST_CASE("checkpoint: every shipped model that says what its checkpoints call its weights has a name for each, and passes") {
  Library library({source_folder()});
  std::size_t models = 0;
  for (const std::string& name : testing::some_of(library.names("model"), 10)) {
    CAPTURE(name);
    Diagnostics diagnostics;
    const Document* document = library.load(name, {"model"}, diagnostics);
    REQUIRE(document != nullptr);
    const Datum* said = document->root.find("checkpoint");
    if (said == nullptr) continue;
    const auto run = prepare(name);
    REQUIRE(run);
    const CheckpointNames known = shipped_names(said->text());
    const TensorNames names = names_of(*run, known);
    const CheckpointAudit audit = audit_checkpoint(names, known, checkpoint_of(shapes_of(names)));
    CHECK(failed(audit) == Names{});
    ++models;
  }
  CHECK(models >= (testing::one_of(10) == 1 ? 29 : 2));
}

TEST_CASE("checkpoint: layers of several kinds are numbered in the order in which they run") {
  const Family jamba("jamba");  // Eight layers: the second of each four has attention, the second of each three has experts.
  CHECK(jamba.shapes.count("model.layers.5.self_attn.q_proj.weight") == 1);
  CHECK(jamba.shapes.count("model.layers.3.self_attn.q_proj.weight") == 0);
  CHECK(jamba.shapes.count("model.layers.3.mamba.A_log") == 1);
  CHECK(jamba.shapes.count("model.layers.4.feed_forward.experts.0.gate_proj.weight") == 1);
  CHECK(jamba.shapes.count("model.layers.0.feed_forward.experts.0.gate_proj.weight") == 0);
  const Family t5("t5");  // Two stacks, each numbered from 0.
  CHECK(t5.shapes.count("encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight") == 1);
  CHECK(t5.shapes.count("encoder.block.1.layer.0.SelfAttention.q.weight") == 1);
  CHECK(t5.shapes.count("decoder.block.0.layer.1.EncDecAttention.q.weight") == 1);
  const Family deepseek("deepseek_v3");
  CHECK(deepseek.shapes.count("model.layers.0.mlp.gate_proj.weight") == 1);
  CHECK(deepseek.shapes.count("model.layers.0.mlp.gate.weight") == 0);
}

TEST_CASE("checkpoint: shapes of several families, by hand") {
  using Shape = std::vector<std::uint64_t>;
  const struct {
    std::string family, tensor;
    Shape shape;
  } cases[] = {
      {"gpt2", "transformer.h.0.attn.c_attn.weight", {32, 96}},                      // Stored as inputs by outputs.
      {"gpt2", "transformer.h.0.attn.c_attn.bias", {96}},                            //
      {"mixtral", "model.layers.0.block_sparse_moe.experts.3.w2.weight", {32, 48}},  //
      {"qwen3_moe", "model.layers.0.mlp.down_proj.weight", {32, 48}},                // A layer without experts.
      {"granitemoe", "model.layers.0.block_sparse_moe.input_linear.weight", {4, 96, 32}},
      {"gpt_oss", "model.layers.0.mlp.experts.gate_up_proj", {4, 32, 96}},
      {"gpt_oss", "model.layers.0.mlp.experts.gate_up_proj_bias", {4, 96}},
      {"gpt_oss", "model.layers.0.self_attn.sinks", {4}},
      {"phi3", "model.layers.0.self_attn.qkv_proj.weight", {64, 32}},
      {"llama", "model.layers.0.self_attn.k_proj.weight", {16, 32}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.tensor);
    const Family f(c.family);
    const auto found = f.shapes.find(c.tensor);
    CHECK(found != f.shapes.end());
    if (found != f.shapes.end()) CHECK(found->second == c.shape);
  }
}

TEST_CASE("checkpoint: tensors other than weights are listed separately and not counted") {
  const Family tied("granite"), untied("llama"), further("deepseek_v3"), gpt2("gpt2");
  Shapes twice = tied.shapes;
  twice["lm_head.weight"] = twice.at("model.embed_tokens.weight");
  twice["model.layers.0.self_attn.rotary_emb.inv_freq"] = {4};
  CHECK(failed(tied.audit(twice)) == Names{});
  CHECK(lines(tied.audit(twice).explained) == "lm_head.weight 1 a copy of a tied weight\nmodel.layers.0.self_attn.rotary_emb.inv_freq 1 a buffer\n");
  twice["lm_head.weight"][0] += 1;
  CHECK(failed(tied.audit(twice)) == Names{"shapes_right"});
  Shapes only_head = tied.shapes;  // Some writers omit the other name of a tied weight.
  only_head["lm_head.weight"] = only_head.at("model.embed_tokens.weight");
  only_head.erase("model.embed_tokens.weight");
  CHECK(failed(tied.audit(only_head)) == Names{});
  Shapes headless = untied.shapes;
  headless.erase("lm_head.weight");
  CHECK(lines(untied.audit(headless).missing) == "lm_head.weight 1\n");

  const std::size_t layers = 3;
  Shapes longer = further.shapes, longer_llama = untied.shapes;
  longer["model.layers.9.eh_proj.weight"] = {32, 64};
  longer_llama["model.layers." + std::to_string(layers) + ".mlp.up_proj.weight"] = {48, 32};
  CHECK(failed(further.audit(longer)) == Names{});
  CHECK(lines(further.audit(longer).explained) == "model.layers.9.eh_proj.weight 1 a layer that predicts further tokens, left out of the model\n");
  CHECK(failed(untied.audit(longer_llama)) == Names{"tensors_unknown"});

  Shapes masks = gpt2.shapes;
  masks["transformer.h.0.attn.bias"] = {1, 1, 64, 64};
  CHECK(failed(gpt2.audit(masks)) == Names{});
}

TEST_CASE("checkpoint: names may begin otherwise") {
  const Family gpt2("gpt2"), gemma("gemma3_text");
  Shapes bare, inside, later;
  for (const auto& [name, shape] : gpt2.shapes) bare[name.substr(name.find('.') + 1)] = shape;
  CHECK(failed(gpt2.audit(bare)) == Names{});
  CHECK(gpt2.audit(bare).naming.from == "transformer.");
  for (const auto& [name, shape] : gemma.shapes) inside["language_model." + name] = shape;
  inside["vision_tower.vision_model.embeddings.patch_embedding.weight"] = {8, 3, 2, 2};
  CHECK(failed(gemma.audit(inside)) == Names{});
  CHECK(lines(gemma.audit(inside).explained) == "vision_tower.vision_model.embeddings.patch_embedding.weight 1 a part around the language model\n");
  inside["language_model.model.layers.0.mlp.extra.weight"] = {8};
  CHECK(failed(gemma.audit(inside)) == Names{"tensors_unknown"});
  for (const auto& [name, shape] : gemma.shapes) later["model.language_model." + name.substr(name.find('.') + 1)] = shape;
  CHECK(failed(gemma.audit(later)) == Names{});
}

TEST_CASE("checkpoint: quantized weights are compared by their bits") {
  const Family llama("llama");
  const TemporaryFolder folder;
  const auto with = [&](const std::string& name, const std::vector<std::uint64_t>& shape, const std::string& type, std::uint64_t bytes) {
    Shapes rest = llama.shapes;
    rest.erase("model.layers.0.mlp.up_proj.weight");
    Diagnostics diagnostics;
    const std::string a = write_bytes(folder.path() / "a.safetensors", file_of(header_of(rest))).string();
    const std::string b = write_bytes(folder.path() / "b.safetensors", file_of(header_of({{name, shape}}, type, bytes))).string();
    return audit_checkpoint(llama.names, llama.known, *read_checkpoint({a, b}, diagnostics));
  };
  const std::string module = "model.layers.0.mlp.up_proj.";
  CHECK(failed(with(module + "qweight", {4, 48}, "I32", 4)) == Names{});  // A matrix of 48 by 32 elements of four bits.
  CHECK(lines(with(module + "qweight", {4, 48}, "I32", 4).explained) == module + "qweight 1 quantized weights, packed: 4 bits each\n");
  CHECK(failed(with(module + "qweight", {7, 48}, "I32", 4)) == Names{"shapes_right", "checkpoint_parameters"});
  CHECK(failed(with(module + "weight", {48 * 32 / 2, 1}, "U8", 1)) == Names{});
  CHECK(failed(with(module + "weight", {48, 32}, "F8_E4M3", 1)) == Names{});
  CHECK(failed(with(module + "weight", {48, 16}, "F8_E4M3", 1)) == Names{"shapes_right", "checkpoint_parameters"});
}

namespace {

/// Returns the states of the checks of an index and its files, one line each: `index_bytes passed`.
std::string states(const CheckpointAudit& audit) {
  std::string out;
  for (const AuditCheck& check : audit.checks) {
    const char* words[] = {"passed", "failed", "skipped"};
    if (check.name != "weights_named" && check.name != "tensors_found" && check.name != "tensors_unknown")
      out += check.name + " " + words[static_cast<std::size_t>(check.state)] + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("checkpoint: an index alone, with some of its files, with all, and with files that are cut off") {
  const Family llama("llama");
  const TemporaryFolder folder;
  Shapes first = llama.shapes, second;
  second["lm_head.weight"] = first.at("lm_head.weight");
  first.erase("lm_head.weight");
  double parameters = 0;
  for (const TensorNames::NamedWeight& weight : llama.names.weights) parameters += weight.elements;
  const auto index = [&](double bytes, const std::string& more = "") {
    std::string map;
    for (const auto& [name, _] : llama.shapes) map += (map.empty() ? "\"" : ",\"") + name + "\":\"" + (second.count(name) > 0 ? "b" : "a") + ".safetensors\"";
    return write_bytes(folder.path() / "m.safetensors.index.json",
                       "{\"metadata\":{\"total_size\":" + std::to_string(static_cast<long long>(bytes)) + more + "},\"weight_map\":{" + map + "}}")
        .string();
  };
  const auto audit = [&](const std::string& path) {
    Diagnostics diagnostics;
    const auto checkpoint = read_checkpoint({path}, diagnostics);
    REQUIRE_MESSAGE(checkpoint, render(diagnostics));
    return states(audit_checkpoint(llama.names, llama.known, *checkpoint));
  };
  const std::string alone = "shapes_right skipped\ncheckpoint_parameters skipped\n";
  CHECK(audit(index(2 * parameters)) == alone + "index_bytes passed\n");
  CHECK(audit(index(4 * parameters)) == alone + "index_bytes passed\n");
  CHECK(audit(index(2 * parameters + 2 * 32)) == alone + "index_bytes passed\n");  // One norm has four bytes an element.
  CHECK(audit(index(2 * parameters - 2)) == alone + "index_bytes failed\n");
  CHECK(audit(index(2 * parameters + 2 * 96 * 32)) == alone + "index_bytes failed\n");
  CHECK(audit(index(2 * parameters, ",\"total_parameters\":5")) == "shapes_right skipped\nindex_parameters failed\nindex_bytes passed\n");

  write_bytes(folder.path() / "a.safetensors", file_of(header_of(first)));
  CHECK(audit(index(2 * parameters)) ==
        "shapes_right passed\ncheckpoint_parameters skipped\nindex_bytes passed\nfiles_found failed\ntensors_where_listed passed\nfiles_whole skipped\n");
  write_bytes(folder.path() / "b.safetensors", file_of(header_of(second)));
  const std::string shapes = "shapes_right passed\ncheckpoint_parameters passed\n", file_checks = "files_found passed\ntensors_where_listed passed\n";
  CHECK(audit(index(2 * parameters)) == shapes + "index_bytes passed\n" + file_checks + "files_whole skipped\n");
  CHECK(audit(index(2 * parameters + 2)) == shapes + "index_bytes failed\n" + file_checks + "files_whole skipped\n");
  write_bytes(folder.path() / "b.safetensors", file_of(header_of(second)) + std::string(100, 'x'));
  CHECK(audit(index(2 * parameters)) == shapes + "index_bytes passed\n" + file_checks + "files_whole failed\n");
  second["model.norm.weight"] = {32};
  first.erase("model.norm.weight");
  write_bytes(folder.path() / "a.safetensors", file_of(header_of(first)));
  write_bytes(folder.path() / "b.safetensors", file_of(header_of(second)));
  second.erase("model.norm.weight");  // The index lists the tensor in the other file.
  CHECK(audit(index(2 * parameters)) == shapes + "index_bytes passed\nfiles_found passed\ntensors_where_listed failed\nfiles_whole skipped\n");
}

}  // namespace opledger
