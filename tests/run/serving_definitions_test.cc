#include <cmath>

#include "tests/run/deployments.h"

/// Serving by the definitions of other calculators, with their figures for Llama 3 8B and DeepSeek-V3. Differing
/// definitions are documents of tests/data/serving.
namespace opledger::deployments {
namespace {

Deployment defined(const std::string& accounting, const Settings& settings, const std::string& model = "llama-3-8b", const std::string& tp = "1") {
  return {model, document_of("plain"), accounting, {{"tp", tp}}, settings};
}

Deployment of_llm_analysis(const Settings& more, const std::string& tp = "1") {
  return defined(document_of("llm_analysis"), {{"generates", "true"}, {"page", "1"}}, "llama-3-8b", tp).with(more);
}

}  // namespace

TEST_CASE("definitions of llm-analysis: operations of a step and of a prompt") {
  // 2 operations for each of 7,504,658,432 weights of products and, with one key, 4 · 4096 in each of 32 layers; the
  // context does not matter
  for (const char* context : {"1", "2304", "100000"}) CHECK(value(*of_llm_analysis({{"seq", "1"}, {"context", context}}).run(), "matrix_flops") == 15009841152);
  // the full square, and logits of all tokens
  CHECK(value(*of_llm_analysis({{"seq", "2048"}, {"context", "2048"}, {"sampled", "2048"}}).run(), "matrix_flops") == 32938104193024);
}

TEST_CASE("definitions of llm-analysis: keys and values") {
  CHECK(value(*of_llm_analysis({{"seq", "1"}, {"context", "2304"}}).run(), "cache_bytes_per_rank") == 301989888);
  CHECK(value(*of_llm_analysis({{"seq", "1"}, {"context", "2304"}, {"sequences", "16"}}, "16").run(), "cache_bytes_per_rank") == 603979776);
}

TEST_CASE("definitions of llm-analysis: a step on an A100 at its peak, which it gives to three digits") {
  const Settings a100 = {{"system.memory.bandwidth", "2039 GB/s"}, {"system.processors.matrix.peak.bf16", "312 Tflop/s"}};
  const auto run = of_llm_analysis({{"seq", "1"}, {"context", "2304"}}).with(a100).run();
  // weights of products in layers, the table, twice the cache, 64 norms of 4096 numbers in layers; operations of the head
  const double bytes = 2 * 6979321856.0 + 2 * 525336576.0 + 2 * 301989888.0 + 64 * 4096 * 4.0, head = 2 * 525336576.0;
  CHECK(near(value(*run, "their_step"), bytes / 2039e9 + head / 312e12, 1e-12));
  CHECK(std::round(value(*run, "their_step") * 1e5) == 766);  // 7.66 ms
}

TEST_CASE("definitions of aiconfigurator: what a token leaves") {
  const Settings requests = {{"prompt", "2048"}, {"output", "256"}, {"page", "1"}};
  const auto of_token = [&](const char* model, const char* tp) { return value(*defined("serving", requests, model, tp).run(), "cache_bytes_per_token"); };
  CHECK(of_token("llama-3-8b", "1") == 131072);
  CHECK(of_token("llama-3-8b", "16") == 16384);
  for (const char* tp : {"1", "8"}) CHECK(of_token("deepseek-v3", tp) == 70272);
}

TEST_CASE("definitions of aiconfigurator: contexts of steps") {
  // a response's step i reads the prompt and i tokens; sequences that decode together are half-way through their responses
  const auto run = defined("serving", {{"prompt", "2048"}, {"output", "9"}, {"samples", "8"}}).run();
  const std::vector<std::string> steps = {"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"};
  for (std::size_t i = 0; i < steps.size(); ++i)
    CHECK(at(*run, "context", {{"pass", "response"}, {"stretch", steps[i]}}) == 2048.0 + static_cast<double>(i) + 1);
  CHECK(at(*run, "context", {{"pass", "decode"}}) == 2048 + 4.5);
}

TEST_CASE("definitions of aiconfigurator: a mixed step is products of all tokens together, and attention of each kind") {
  const auto run = defined(document_of("kinds_of_attention"), {{"prompt", "2048"}, {"output", "256"}, {"decoding", "16"}, {"budget", "2048"}}).run();
  // 16 sequences at 2048 + 128 keys; the other 2032 tokens of a pass are halves of prompts, of which the second has 1024 tokens more behind it, on average 512
  const auto alone = defined(document_of("calls"), {{"generates", "true"},
                                                    {"first.seq", "2048"},
                                                    {"first.context", "2048"},
                                                    {"second.sequences", "16"},
                                                    {"second.seq", "1"},
                                                    {"second.context", "2176"},
                                                    {"third.seq", "1024"},
                                                    {"third.context", "1536"},
                                                    {"third.sequences", "{mean: 2032 / 1024}"}})
                         .run();
  const auto part = [&](const char* name, const char* word) { return at(*alone, name, {{"call", word}}); };
  CHECK(near(at(*run, "products_time", {{"pass", "mixed"}}), part("products_time", "first"), 1e-12));
  CHECK(near(at(*run, "attending_time", {{"pass", "mixed"}}), part("attending_time", "second") + part("attending_time", "third"), 1e-12));
  // the roofline of both kinds in one kernel is no longer
  const auto together = defined("serving", {{"prompt", "2048"}, {"output", "256"}, {"decoding", "16"}, {"budget", "2048"}}).run();
  CHECK(value(*together, "mixed_pass") <= value(*run, "mixed_pass"));
}

TEST_CASE("variants of a deployment have the times of deployments with as many decoding sequences") {
  const auto run = defined("serving", {{"decoding", "16"}}).run();
  const std::pair<const char*, const char*> variants[] = {{"eighth", "2"}, {"half", "8"}, {"twice", "32"}, {"eight_times", "128"}};
  for (const auto& [word, decoding] : variants) {
    CAPTURE(word);
    const auto other = defined("serving", {{"decoding", decoding}}).run();
    for (const char* metric : {"tpot", "output_tokens_per_second", "memory"}) CHECK(near(at(*run, metric, {{"variant", word}}), value(*other, metric), 1e-12));
  }
}

}  // namespace opledger::deployments
