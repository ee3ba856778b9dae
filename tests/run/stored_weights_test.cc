#include "tests/support/documents.h"
#include "tests/support/runs.h"

namespace opledger {

// Llama-3-8B: 2 * 128,256 * 4,096 elements of embedding and head and 65 norms of 4,096 keep 2 bytes, all others are products of its layers.
TEST_CASE("rules for quantised weights: bytes of Llama-3-8B, worked by hand") {
  const double kept = 2 * 128'256 * 4'096.0 + 65 * 4'096, products = 8'030'261'248 - kept;
  struct {
    const char *rules, *more;
    double width;
  } const cases[] = {{"", "", 2}, {"w4a16", "", 0.5 + 2.0 / 128}, {"w4a16", "quantised_width: 0.51953125 byte\n", 0.5 + 2.5 / 128}, {"w8a8", "", 1}};
  for (const auto& [rules, more, width] : cases) {
    const auto run = prepare("llama-3-8b", execution("{}", rules, std::string("accounting: serving\n") + more), "h100-80g-sxm");
    CAPTURE(rules);
    CHECK(messages(said()) == "");
    CHECK(value(*run, "weight_bytes_per_rank") == products * width + kept * 2);
  }
}

}  // namespace opledger
