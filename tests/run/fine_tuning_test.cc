#include "tests/support/probe.h"

/// Memory and time of fine-tuning: frozen weights in few bits, heads in chunks, gradients that come one after the
/// other, and reference models. Computed by hand for Llama 3 8B.
namespace opledger::fine_tuning {
namespace {

constexpr double kTokens = 8192, kHidden = 4096, kFfn = 14336, kLayers = 32, kVocab = 128256;
constexpr double kProducts = kLayers * (2 * kHidden * kHidden + 2 * kHidden * 1024 + 3 * kHidden * kFfn);
constexpr double kOther = 2 * kVocab * kHidden + (2 * kLayers + 1) * kHidden;  // Tables and norms.
constexpr double kAdapters = 83886080;                                         // Rank 32 on all products.

/// Runs on one H100 whose capacity is no limit.
std::unique_ptr<Run> run_of(const std::string& rules, const std::string& rest, Settings settings = {}) {
  settings.emplace_back("system.memory.capacity", "4 TiB");
  return prepare("llama-3-8b", execution("{dp: 1}", rules, "microbatch_size: 1\n" + rest), "h100-80g-sxm", settings);
}

const std::string kFour = "batch_size: 4\nlora_rank: 32\n", kOne = "batch_size: 1\n";

}  // namespace

TEST_CASE("fine-tuning: frozen products in four bits, all else as it was") {
  const auto weights = [](const std::string& rest) { return value(*run_of("megatron, lora, nf4", kFour + rest), "weight_bytes_per_rank"); };
  CHECK(weights("adapter_width: 4 byte\n") == 6037839872);
  CHECK(weights("") == 0.515869140625 * kProducts + 2 * (kOther + kAdapters));
  CHECK(weights("double_quantized: false\n") == 0.5625 * kProducts + 2 * (kOther + kAdapters));
  CHECK(weights("frozen_width: 4 byte\n") == 0.515869140625 * kProducts + 4 * kOther + 2 * kAdapters);
  CHECK(value(*run_of("megatron, lora, gptq4", kFour), "weight_bytes_per_rank") == 0.51953125 * kProducts + 2 * (kOther + kAdapters));
  CHECK(value(*run_of("megatron, lora, int8_frozen", kFour), "weight_bytes_per_rank") == kProducts + 2 * (kOther + kAdapters));
  // Adapters wider than the weights are their own master copy.
  const auto run = run_of("megatron, lora, nf4", kFour + "adapter_width: 4 byte\noptimizer: adamw_8bit\n");
  CHECK(value(*run, "gradient_bytes_per_rank") == 4 * kAdapters);
  CHECK(value(*run, "optimizer_bytes_per_rank") == 2.03125 * kAdapters);
}

TEST_CASE("fine-tuning: a weight in few bits is widened for each product, and can't be trained") {
  const auto plain = run_of("megatron, lora", kFour), narrow = run_of("megatron, lora, nf4", kFour);
  // Seven products of a layer read 0.516 bytes of an element and write 2, forward and for the input gradient.
  const double kernels = 7 * kLayers * 1.35e-6, bytes = 2.515869140625 * kProducts;
  for (const char* phase : {"forward_time", "backward_time"}) {
    const double longer = (value(*narrow, phase) - value(*plain, phase)) / 4;
    CHECK_MESSAGE(longer > bytes / 3350e9, phase);
    CHECK_MESSAGE(longer < 1.1 * (kernels + bytes / 3117e9) * 1.05, phase);
  }
  // One product at a time has a wide copy: here gate, up or down.
  const double less = (2 - 0.515869140625) * kProducts;
  CHECK(value(*plain, "memory") - value(*narrow, "memory") <= less);
  CHECK(value(*plain, "memory") - value(*narrow, "memory") >= less - 2 * kHidden * kFfn);
  const auto trained = run_of("megatron, nf4", kOne);
  const auto found = trained->violations(said());
  CHECK(std::any_of(found.begin(), found.end(), [](const Violation& v) { return v.message.find("can't be trained") != std::string::npos; }));
}

TEST_CASE("fine-tuning: weights in few bits are gathered as they are stored") {
  const auto bytes = [](const std::string& rules) {
    const auto run =
        prepare("llama-3-8b", execution("{dp: {fsdp: 4}}", rules, "batch_size: 4\nlora_rank: 32\n"), "h100-80g-sxm", {{"system.memory.capacity", "4 TiB"}});
    return value(*run, "communication_bytes");
  };
  const double less = bytes("megatron, fsdp, lora") - bytes("megatron, fsdp, lora, nf4");
  // Each rank sends three quarters of the products forward and backward.
  CHECK(near(less, 2 * 0.75 * (2 - 0.515869140625) * kProducts, 1e-2));
}

TEST_CASE("fine-tuning: logits in chunks are never whole") {
  const auto peak = [](const std::string& rules, const std::string& rest) {
    return value(*run_of("megatron, recompute_full, lora" + rules, kFour + rest), "memory");
  };
  const double logits = kTokens * kVocab, whole = peak("", ""), chunked = peak(", chunked_loss", "loss_chunks: 64\n");
  CHECK(whole - chunked > 2 * logits);
  CHECK(peak(", chunked_loss", "loss_chunks: 1\n") >= chunked);
  CHECK(peak(", liger_loss", "loss_chunks: 64\n") == chunked);
  // The head runs forward once more in backward, unless forward makes the gradient too.
  const auto again = [](const std::string& rules) { return value(*run_of("megatron, lora" + rules, kFour), "recompute_time"); };
  CHECK(again("") == 0);
  CHECK(again(", liger_loss") == 0);
  CHECK(again(", chunked_loss") > 0);
}

TEST_CASE("fine-tuning: gradients that exist only after their layer's backward") {
  const std::string head = "megatron, recompute_full";
  const auto metric = [&](const std::string& rest, const char* name) { return value(*run_of(head, kOne + rest), name); };
  const double gradients = 4 * (kProducts + kOther), table = 4 * kVocab * kHidden;
  const double late = metric("", "memory") - metric("fresh_gradients: true\n", "memory");
  CHECK(late > 0);
  CHECK(late <= gradients - table);
  // The peak is that of a long sequence's head: nothing but the head's own gradient exists.
  const std::string longer = "seq: 65536\n";
  CHECK(metric(longer, "memory") - metric(longer + "fresh_gradients: true\n", "memory") == gradients - table);
  CHECK(metric("", "gradient_bytes_per_rank") == gradients);
  CHECK(metric("update_in_backward: true\n", "gradient_bytes_per_rank") == 2 * table);
  CHECK(metric("fresh_gradients: true\n", "iteration_time") == metric("", "iteration_time"));
  for (const char* rest : {"", "fresh_gradients: true\n", "update_in_backward: true\n", "foreach: true\n"}) {
    double parts = 0;
    for (const char* part : {"weight_bytes_per_rank", "gradient_bytes_per_rank", "optimizer_bytes_per_rank", "peak_activation_bytes", "peak_working_bytes"})
      parts += metric(rest, part);
    CHECK_MESSAGE(near(parts, metric(rest, "memory"), 1e-12), rest);
  }
}

TEST_CASE("fine-tuning: an optimizer that copies all that is trained") {
  const std::string tiny = "seq: 16\nstates: bf16\nmaster_width: 0 byte\ngradients: bf16\n";
  const auto peak = [&](const std::string& rest) { return value(*run_of("megatron, recompute_full", kOne + tiny + rest), "memory"); };
  CHECK(peak("foreach: true\n") - 2 * (kProducts + kOther) * 5 == 0);  // Weights, gradients, two moments, and the copy.
}

TEST_CASE("fine-tuning: pairs of sequences and a reference") {
  const auto metric = [](const std::string& rest, const char* name) { return value(*run_of("megatron, recompute_full, lora", kFour + rest), name); };
  CHECK(metric("rows_per_sample: 2\n", "model_flops") == doctest::Approx(2 * metric("", "model_flops")));
  CHECK(metric("rows_per_sample: 2\n", "activation_bytes_per_rank") == 2 * metric("", "activation_bytes_per_rank"));
  CHECK(metric("reference_forward: true\n", "forward_time") == doctest::Approx(2 * metric("", "forward_time")));
  CHECK(metric("reference_forward: true\n", "backward_time") == metric("", "backward_time"));
  CHECK(metric("reference_forward: true\n", "memory") == metric("", "memory"));  // The model without its adapters.
  CHECK(metric("reference_forward: true\n", "hardware_flops") > metric("", "hardware_flops"));
  const double stored = metric("reference_width: 2 byte\n", "memory") - metric("", "memory");
  CHECK(stored == 2 * (kProducts + kOther + kAdapters));
}

TEST_CASE("fine-tuning: eager attention keeps whole scores") {
  const auto layer = [](const std::string& rules) { return value(*run_of("megatron" + rules, kOne + "seq: 2048\n"), "layer_activation_bytes"); };
  CHECK(near(layer(", eager_attention") - layer(""), 32.0 * 2048 * 2048 * 8, 1e-4));
  CHECK(value(*run_of("megatron, eager_attention", kOne), "forward_time") > value(*run_of("megatron", kOne), "forward_time"));
}

}  // namespace opledger::fine_tuning
