#include <algorithm>

#include "expr/kernel.h"
#include "tests/support/runs.h"

/// A run recorded on a tape, and its kernel compared with separate runs of the candidates.
namespace opledger {
namespace {

const std::vector<std::string> kTapeInputs = {"batch_size", "microbatch_size", "pp", "dp", "tp"};
const std::vector<std::string> kTapeMetrics = {"iteration_time",      "memory",           "model_flops", "hardware_flops", "mfu",
                                               "communication_bytes", "parameters_total", "bubble_time", "gradient_time"};

using Candidate = std::vector<double>;

Settings settings(const Candidate& c) {
  Settings out;
  for (std::size_t i = 0; i < kTapeInputs.size(); ++i) out.emplace_back(kTapeInputs[i], exact(c[i]));
  return out;
}

struct RecordedSearch {
  std::unique_ptr<Run> run;
  Diagnostics diagnostics;
  Tape tape;
  std::vector<Scalar> outputs;  ///< Metrics, then guards.

  RecordedSearch(const std::string& model, const std::string& path, const Candidate& sample) : run(prepare(model, path, "a100-80g-sxm", settings(sample))) {
    Evaluator evaluator(run->program(), Evaluator::Mode::numbers, &tape);
    Inquiry inquiry(evaluator);
    for (const std::string& input : kTapeInputs) evaluator.make_symbolic(*run->program().find(input));
    REQUIRE_MESSAGE(fill_sets(evaluator, run->graph_run(), diagnostics), render(diagnostics));
    for (const std::string& metric : kTapeMetrics) outputs.push_back(inquiry.ask(*run->program().find(metric)).scalar);
    REQUIRE_MESSAGE(inquiry.good(), render(inquiry.messages()));
    for (const Tape::Guard& guard : tape.guards()) outputs.push_back(guard.condition);
  }

  std::vector<double> evaluate(const Candidate& c) const {
    std::vector<const double*> inputs;
    for (const std::string& name : tape.inputs()) {
      const auto at = std::find(kTapeInputs.begin(), kTapeInputs.end(), name);
      inputs.push_back(&c[static_cast<std::size_t>(at - kTapeInputs.begin())]);
    }
    std::vector<double> results(outputs.size());
    std::vector<double*> places;
    for (double& r : results) places.push_back(&r);
    Kernel(tape, outputs).run(inputs, places, 1);
    return results;
  }

  bool agrees(const std::vector<double>& results) const {
    for (std::size_t g = 0; g < tape.guards().size(); ++g) {
      if (results[kTapeMetrics.size() + g] != tape.guards()[g].value) return false;
    }
    return true;
  }
};

/// Returns how many candidates satisfy the sample's guards. Each of their metrics must be equal to the last bit.
int compare(const std::string& model, const std::string& rules, const Candidate& sample, const std::vector<Candidate>& candidates) {
  const std::string path = execution("{pp: 2, dp: 2, tp: 2}", rules, "batch_size: 8\nsequence_parallel: true\n");
  const RecordedSearch recorded(model, path, sample);
  int compared = 0;
  for (const Candidate& c : candidates) {
    const std::vector<double> found = recorded.evaluate(c);
    if (!recorded.agrees(found)) continue;
    const auto direct = prepare(model, path, "a100-80g-sxm", settings(c));
    for (std::size_t m = 0; m < kTapeMetrics.size(); ++m) CHECK_MESSAGE(found[m] == value(*direct, kTapeMetrics[m]), model, " ", rules, " ", kTapeMetrics[m]);
    ++compared;
  }
  return compared;
}

}  // namespace

TEST_CASE("tape: a run of symbols gives the same bits") {
  const std::vector<Candidate> candidates = {{512, 1, 8, 16, 4}, {512, 2, 8, 16, 4}, {1024, 4, 8, 32, 8},
                                             {256, 1, 8, 8, 2},  {512, 1, 8, 8, 4},  {512, 1, 4, 16, 4}};
  for (const char* rules : {"megatron", "megatron, zero_1, recompute_selective", "megatron, zero_3, recompute_full"}) {
    CHECK_MESSAGE(compare("gpt3-175b", rules, candidates[0], candidates) == 5, rules);  // the last one has other stages; all use the same networks
  }
  CHECK(compare("llama-3-8b", "megatron, zero_1", candidates[0], candidates) == 5);
}

TEST_CASE("tape: a candidate that does not divide is another structure") {
  const std::string path = execution("{pp: 2, dp: 2, tp: 2}", "megatron", "batch_size: 8\nsequence_parallel: true\n");
  const RecordedSearch recorded("gpt3-175b", path, {512, 1, 8, 16, 4});
  CHECK(recorded.agrees(recorded.evaluate({512, 1, 8, 16, 8})));
  CHECK(!recorded.agrees(recorded.evaluate({512, 1, 8, 16, 5})));
}

}  // namespace opledger
