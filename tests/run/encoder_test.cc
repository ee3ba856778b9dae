#include <algorithm>

#include "accounting/graph_engine.h"
#include "tests/support/runs.h"

/// Encoders, and encoder with decoder: computed by hand, including the encoder's output that all decoder layers read.
namespace opledger {
namespace {

const Segment& segment_of(const Run& run, const Transfer& t) { return run.graph().segments[t.segment]; }

/// Returns the sends to the stages of a segment in a phase, in the order of its inputs.
std::vector<std::string> sent(const Run& run, const std::string& segment, Phase phase) {
  std::vector<std::string> what;
  for (const Transfer& t : run.annotations().transfers) {
    if (t.kind == Collective::point_to_point && t.stages && t.phase == phase && segment_of(run, t).name == segment) what.push_back(t.name);
  }
  return what;
}

/// Returns a named formula of the accounting on a pipeline stage.
double on_stage(Run& run, const std::string& name, std::size_t stage) {
  const Name* formula = run.program().find(name);
  REQUIRE_MESSAGE(formula != nullptr, name);
  Evaluator& e = run.evaluator();
  return e.ask(*formula, e.choose(nowhere(), kStageSet, static_cast<WordId>(stage))).value.scalar.value;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("encoder: BERT as others build on it, and with the heads that it was trained with") {
  CHECK(value(*prepare("bert-base"), "parameters_total") == 109482240);
  CHECK(value(*prepare("bert-base", "single", "", {{"pretraining", "1"}}), "parameters_total") == 110106428);
}

TEST_CASE("encoder: products of ViT-L/16 for one image") {
  // 197 tokens of 1024; in a layer four products of 1024², two of 1024 x 4096, and for each pair of tokens 1024 for the score and 1024 for the value.
  const double s = 197, h = 1024;
  const double layers = 24 * (2 * s * (4 * h * h + 2 * h * 4096) + 2 * 2 * s * s * h), patches = 2 * 196 * 768 * h, head = 2 * h * 1000;
  const auto run = prepare("vit-l-16");
  CHECK(value(*run, "model_matrix_flops") == 3 * layers + 2 * patches + 3 * head);  // Pixels have no gradient.
  CHECK(near((layers + patches + head) / 2, 61.55e9, 0.003));                       // Multiply-adds of a forward pass as stated by torchvision.
}

TEST_CASE("encoder: only causal attention counts less where the causal part is counted") {
  for (const char* model : {"vit-l-16", "bert-base", "t5-base"}) {
    const double full = value(*prepare(model), "model_flops");
    CHECK_MESSAGE(value(*prepare(model, "single", "", {{"attention_flops", "causal"}}), "model_flops") == full, model);
  }
}

TEST_CASE("encoder: the class token of a split sequence is summed, the sequence is not gathered") {
  const auto run = prepare("bert-base", execution("{tp: 2, cp: 2}", "megatron", kBatchOf16 + "sequence_parallel: true\n"));
  int sums = 0;
  for (const Transfer& t : run->annotations().transfers) {
    if (segment_of(*run, t).name != "pooler" || t.stages || t.weight) continue;
    CHECK(t.kind == Collective::all_reduce);
    CHECK(t.name == "pooler.token");
    CHECK(t.dims.size() == 2);  // batch, hidden
    ++sums;
  }
  CHECK(sums == 2);  // A sum over tp and one over cp.
}

TEST_CASE("encoder and decoder: products of T5 base, worked out for one sequence") {
  // s tokens in the encoder, t in the decoder. A product of m x k by k x n is 2 m k n forward and twice that backward.
  const double h = 768, f = 3072, v = 32128, s = 512, t = 128, l = 12;
  const double encoder = l * (2 * s * (4 * h * h + 2 * h * f) + 2 * 2 * s * s * h);
  const double self = 2 * t * 4 * h * h + 2 * 2 * t * t * h;
  const double cross = 2 * t * 2 * h * h + 2 * s * 2 * h * h + 2 * 2 * t * s * h;  // Query and output; key and value for all s; all pairs.
  const double decoder = l * (self + cross + 2 * t * 2 * h * f);
  const auto run = prepare("t5-base");
  CHECK(value(*run, "model_matrix_flops") == 3 * (encoder + decoder + 2 * t * h * v));
  CHECK(value(*run, "tokens") == s);
}

TEST_CASE("encoder and decoder: the lengths are independent") {
  const double h = 768, f = 3072, t = 128, l = 12;
  const auto flops = [](const char* key, const char* n) { return value(*prepare("t5-base", "single", "", {{key, n}}), "model_matrix_flops"); };
  // The encoder has twice the tokens: terms linear in s double, the square of the encoder is four times as large.
  const double linear = 2 * 512 * l * (4 * h * h + 2 * h * f) + l * (2 * 512 * 2 * h * h + 2 * 2 * t * 512 * h), square = l * 2 * 2 * 512.0 * 512 * h;
  CHECK(flops("seq", "1024") - flops("seq", "512") == 3 * (linear + 3 * square));
}

TEST_CASE("encoder and decoder: what the encoder gives is kept once by each stage that reads it") {
  const double b = 1, s = 512, h = 768, whole = 2 * b * s * h;
  const auto one = prepare("t5-base");
  CHECK(on_stage(*one, "held_memory", 0) == whole);
  // Two stages of twelve layers: the decoder is on the second. Three of eight: on the second and on the third.
  const auto two = prepare("t5-base", execution("{pp: 2}", "megatron", kBatchOf16)), three = prepare("t5-base", execution("{pp: 3}", "megatron", kBatchOf16));
  CHECK(on_stage(*two, "held_memory", 0) == 0);
  CHECK(on_stage(*two, "held_memory", 1) == whole);
  CHECK(on_stage(*three, "held_memory", 0) == 0);
  CHECK(on_stage(*three, "held_memory", 1) == whole);
  CHECK(on_stage(*three, "held_memory", 2) == whole);
  // A memory split along the sequence is kept split, and gathered again in every layer. If gathered tensors are kept,
  // each layer has its own copy as well.
  const std::string split = kBatchOf16 + "sequence_parallel: true\nregather: ";
  const auto again = prepare("t5-base", execution("{tp: 2}", "megatron", split + "true\n")),
             kept = prepare("t5-base", execution("{tp: 2}", "megatron", split + "false\n"));
  CHECK(on_stage(*again, "held_memory", 0) == whole / 2);
  CHECK(on_stage(*kept, "held_memory", 0) == whole / 2);
  const auto own_copies = [](const Run& run) {
    const auto& all = run.annotations().saved;
    return std::count_if(all.begin(), all.end(), [&](const Saved& saved) { return run.graph().tensors[saved.tensor].label == "memory" && !saved.once; });
  };
  CHECK(own_copies(*again) == 0);
  CHECK(own_copies(*kept) == 2);  // The first layer's, and the other layers'.
  // A single rank has no second copy.
  const auto alone = prepare("t5-base", execution("{tp: 1}", "megatron", split + "false\n"));
  CHECK(value(*alone, "activation_bytes_per_rank") == value(*prepare("t5-base", execution("{tp: 1}", "megatron", kBatchOf16)), "activation_bytes_per_rank"));
}

TEST_CASE("encoder and decoder: stages are sent what their layers read, and hand on the gradients") {
  const auto run = prepare("t5-base", execution("{pp: 4}", "megatron", kBatchOf16), "a100-80g-sxm");
  CHECK(sent(*run, "encoder", Phase::forward) == Words{"encoder.x"});
  CHECK(sent(*run, "decoder", Phase::forward) == Words{"decoder.x", "decoder.memory"});
  CHECK(sent(*run, "decoder", Phase::agrad) == Words{"d decoder.x", "d decoder.memory"});
  // The widest border is inside the decoder: 128 tokens of its own and 512 of the encoder's.
  Evaluator& e = run->evaluator();
  const Name* hop = run->program().find("hop_bytes");
  REQUIRE(hop != nullptr);
  CHECK(e.ask(*hop, e.choose(nowhere(), kPhaseSet, static_cast<WordId>(Phase::forward))).value.scalar.value == 2.0 * 768 * (128 + 512));
}

TEST_CASE("encoder and decoder: layers that do not read a tensor hand it on to those that do") {
  const TemporaryFolder folder;
  const auto model = folder.write("skip.yaml", R"(kind: model
name: skip
uses: [embeddings, decoder, t5]
parameters: {layers: 4, hidden: 64, heads: 4, vocab: 100, seq: 16, target_seq: 16}
graph:
  - {name: embedding, block: token_embedding}
  - {name: below, block: llama_layer, repeat: layers}
  - {name: between, block: llama_layer, repeat: layers}
  - {name: above, block: t5_decoder_layer, repeat: layers, in: {x: between, memory: {below: {seq: source_seq}}}}
  - {name: head, block: t5_head}
)");
  const auto run = prepare(model.string(), execution("{pp: 3}", "megatron", kBatchOf16));
  CHECK(sent(*run, "below", Phase::forward) == Words{"below.x"});
  CHECK(sent(*run, "between", Phase::forward) == Words{"between.x", "above.memory"});
  CHECK(sent(*run, "between", Phase::agrad) == Words{"d between.x", "d above.memory"});
  CHECK(sent(*run, "above", Phase::forward) == Words{"above.x", "above.memory"});
  CHECK(on_stage(*run, "held_memory", 0) == 0);
  CHECK(on_stage(*run, "held_memory", 1) == 0);  // The stage only forwards the tensor.
  CHECK(on_stage(*run, "held_memory", 2) == 2.0 * 16 * 64);
}

TEST_CASE("encoder and decoder: gradients of what all layers read are brought home by each") {
  // Key and value of a layer are summed first; both stand in one all-reduce, as query, key and value of self-attention do.
  const auto run = prepare("t5-base", execution("{tp: 2}", "megatron", kBatchOf16));
  int sums = 0;
  for (const Transfer& t : run->annotations().transfers) {
    if (t.name != "d decoder.memory (sum of 2)") continue;
    CHECK(t.kind == Collective::all_reduce);
    ++sums;
  }
  CHECK(sums == 1);
}

TEST_CASE("encoder and decoder: a weight that all layers share is there once on a stage") {
  const double table = 32 * 12, tokens = 32128.0 * 768;
  const auto one = prepare("t5-base");
  CHECK(value(*one, "weight_bytes_per_rank") == 2 * value(*one, "parameters_total"));
  // Four stages of six layers, two of each stack. Tables of positions lie on both stages of their stack. The table of
  // tokens lies on the first stage (embedding), on the second (embedding of the decoder, with the last layer of the
  // encoder) and on the last.
  const auto four = prepare("t5-base", execution("{pp: 4}", "megatron", kBatchOf16));
  double sum = 0;
  const Elements& stages = four->evaluator().elements(kStageSet);
  for (std::size_t i = 0; i < stages.names.size(); ++i) sum += stages.fields.at("count")[i].scalar.value * on_stage(*four, "weight_memory", i);
  CHECK(sum == 2 * (value(*four, "parameters_total") + 2 * table + 2 * tokens));
}

}  // namespace opledger
