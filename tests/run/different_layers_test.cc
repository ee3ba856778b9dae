#include "tests/support/runs.h"

/// Models with a different block in each layer: one segment per layer.
namespace opledger {
namespace {

std::unique_ptr<Run> with_layers(int layers, int stages, const std::string& more = "") {
  static TemporaryFolder folder;
  std::string text =
      "kind: model\nuses: [embeddings, decoder, heads]\nparameters: {hidden: 256, heads: 4, kv_heads: 4, ffn: 1024, vocab: 1000, seq: 128}\ngraph:\n";
  text += "  - {name: embedding, block: token_embedding}\n";
  for (int i = 0; i < layers; ++i) text += "  - {name: layer_" + std::to_string(i) + ", block: llama_layer, repeat: 1}\n";
  text += "  - {name: head, block: rmsnorm_head}\n";
  const std::string model = folder.write(std::to_string(layers) + ".yaml", text).string();
  return prepare(model, execution("{pp: " + std::to_string(stages) + ", dp: 2, tp: 2}", "megatron", "batch_size: 128\nmicrobatch_size: 1\n" + more),
                 "h100-80g-sxm");
}

/// Returns the evaluation steps of a metric that is evaluated first.
double steps(Run& run, const std::string& metric) {
  value(run, metric);
  return static_cast<double>(run.evaluator().steps());
}

}  // namespace

TEST_CASE("different layers: of twice as many, on twice as many stages, every formula takes twice the steps") {
  for (const std::string metric : {"iteration_time", "memory", "communication_bytes", "offload_time", "link_seconds"}) {
    const double some = steps(*with_layers(24, 6), metric), more = steps(*with_layers(48, 12), metric);
    CHECK_MESSAGE(more < 2.1 * some, metric, ": ", some, ", ", more);
    CHECK_MESSAGE(more > 1.5 * some, metric, ": ", some, ", ", more);
  }
}

TEST_CASE("different layers: they cost what as many equal ones do") {
  const auto equal = [](int stages) {
    static TemporaryFolder folder;
    const std::string text =
        "kind: model\nuses: [embeddings, decoder, heads]\nparameters: {hidden: 256, heads: 4, kv_heads: 4, ffn: 1024, vocab: 1000, seq: 128}\ngraph:\n"
        "  - {name: embedding, block: token_embedding}\n  - {name: layer, block: llama_layer, repeat: 12}\n  - {name: head, block: rmsnorm_head}\n";
    return prepare(folder.write("equal.yaml", text).string(),
                   execution("{pp: " + std::to_string(stages) + ", dp: 2, tp: 2}", "megatron", "batch_size: 128\nmicrobatch_size: 1\n"), "h100-80g-sxm");
  };
  for (const int stages : {1, 3, 4}) {
    const auto one = equal(stages), separate = with_layers(12, stages);
    for (const std::string metric : {"parameters_total", "model_flops", "iteration_time", "memory", "communication_bytes"}) {
      CAPTURE(metric);
      CHECK(near(value(*separate, metric), value(*one, metric), 1e-9));
    }
  }
}

TEST_CASE("different layers: numbers in segments are split like the parameters that they replace") {
  static TemporaryFolder folder;
  // kv_heads = 2 lie on four ranks, so the ranks hold copies; the window and the biases are no dimensions.
  const auto with = [&](const std::string& name, const std::string& parameters, const std::string& numbers) {
    const std::string model =
        folder
            .write(name + ".yaml", "kind: model\nuses: [embeddings, decoder, heads]\nparameters: {hidden: 256, heads: 8, vocab: 1000, seq: 128" + parameters +
                                       "}\ngraph:\n  - {name: embedding, block: token_embedding}\n  - {name: layer, block: llama_layer" + numbers +
                                       ", repeat: 4}\n  - {name: head, block: rmsnorm_head}\n")
            .string();
    return prepare(model, execution("{pp: 2, dp: 2, tp: 4, cp: 2}", "megatron, zero_3, recompute_selective", "batch_size: 8\nmicrobatch_size: 1\n"),
                   "h100-80g-sxm");
  };
  const auto named = with("named", ", kv_heads: 2, ffn: 1024, qkv_bias: true, attention_window: 64", "");
  const auto numbered = with("numbered", ", kv_heads: 8, ffn: 4096", ", kv_heads: 2, ffn: 1024, qkv_bias: true, attention_window: 64");
  for (const std::string metric : {"parameters_total", "model_flops", "iteration_time", "memory", "communication_bytes"}) {
    CAPTURE(metric);
    CHECK(value(*numbered, metric) == value(*named, metric));
  }
}

}  // namespace opledger
