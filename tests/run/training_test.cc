#include "tests/support/runs.h"

/// Duration of a training.
namespace opledger {

TEST_CASE("training: 70B parameters, 15T tokens and 1024 processors of 989 Tflop/s at half of that take 144 days") {
  said() = {};
  RunRequest request;
  request.accounting = "six_nt";
  request.overrides = {{"N", "70e9"}, {"tokens_total", "15e12"}, {"gpus", "1024"}, {"peak", "989"}, {"assumed_mfu", "0.5"}, {"price", "2"}};
  const auto run = Run::prepare(request, shipped(), said());
  REQUIRE_MESSAGE(run, render(said()));
  const double days = 6 * 70e9 * 15e12 / (1024 * 989e12 * 0.5) / 86400;
  CHECK(near(value(*run, "training_days"), days, 1e-12));
  CHECK(std::round(days) == 144);
  CHECK(near(value(*run, "training_rank_hours"), days * 24 * 1024, 1e-12));
  CHECK(near(value(*run, "training_cost"), days * 24 * 1024 * 2, 1e-12));
}

TEST_CASE("training: at the computed rate it takes as many steps as its tokens need") {
  const auto run = prepare("llama-3-70b", "llama-3-70b-64xh100", "h100-80g-sxm", {{"tokens_total", "15e12"}, {"price", "2"}});
  const double steps = value(*run, "training_steps"), step = value(*run, "iteration_time");
  CHECK(steps == std::ceil(15e12 / (128.0 * 8192)));
  CHECK(near(value(*run, "training_time"), steps * step, 1e-6));  // The last step need not be full.
  CHECK(near(value(*run, "training_cost"), value(*run, "training_time") / 3600 * 64 * 2, 1e-12));
}

TEST_CASE("training: at an assumed utilisation the model's own speed does not matter") {
  const Settings settings = {{"tokens_total", "15e12"}, {"assumed_mfu", "0.5"}, {"dp", "32"}, {"batch_size", "1024"}};
  const auto run = prepare("llama-3-70b", "llama-3-70b-64xh100", "h100-80g-sxm", settings);
  const double rate = 0.5 * 1024 * 989.4e12, tokens = 15e12;
  CHECK(near(value(*run, "training_time_by_parameters"), 6 * 70553706496.0 * tokens / rate, 1e-12));
  // 6 N T of the products' weights, and 12 L h T of attention for each key that a query sees, the head included, the embedding not (Chowdhery et al. 2022, appendix B)
  const double products = 70553706496.0 - 128256.0 * 8192 - 161.0 * 8192, attention = 12.0 * 80 * 8192 * (8192 + 1) / 2;
  CHECK(near(value(*run, "training_time"), (6 * products + attention) * tokens / rate, 0.01));
}

}  // namespace opledger
