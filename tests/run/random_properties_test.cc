#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>

#include "accounting/graph_engine.h"
#include "accounting/sizes.h"
#include "tests/support/runs.h"

/// Invariants of every model on every mesh, for random ones with fixed seeds.
namespace opledger {
namespace {

/// A mesh with its degrees and further settings.
struct RandomMesh {
  std::vector<std::pair<std::string, std::string>> axes;  ///< Name and degree, or a composite.
  int replicas = 1;

  std::string text() const {
    std::string out;
    for (const auto& [name, degree] : axes) out += (out.empty() ? "" : ", ") + name + ": " + degree;
    return "{" + out + "}";
  }
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::string model() { return one({"llama-3-8b", "gpt3-175b", "mixtral-8x7b", "deepseek-v2-lite", "mistral-7b"}); }
  std::string rules() { return one({"", ", ulysses", ", ring", ", cp_regather"}); }
  std::string state() { return one({"", ", zero_1", ", zero_2", ", zero_3"}); }
  bool coin() { return random_() % 2 == 0; }
  int power(unsigned most) { return 1 << random_() % most; }

  /// Returns degrees for which every model like `model` has enough heads, experts, tokens and layers, or rules for
  /// uneven sizes.
  RandomMesh mesh(const std::string& model) {
    RandomMesh m;
    const int expert = model == "mixtral-8x7b" || model == "deepseek-v2-lite" ? power(3) : 1, rest = power(2);
    m.replicas = expert * rest;
    m.axes = {{"dp", fmt::format("{{edp: {}, ep: {}}}", rest, expert)}, {"cp", std::to_string(power(2))}, {"tp", std::to_string(power(4))}};
    if (model != "deepseek-v2-lite") m.axes.emplace_back("pp", std::to_string(power(3)));
    std::shuffle(m.axes.begin(), m.axes.end(), random_);
    return m;
  }

  RandomMesh shuffled(RandomMesh m) {
    std::shuffle(m.axes.begin(), m.axes.end(), random_);
    return m;
  }

 private:
  std::string one(const std::vector<const char*>& list) { return list[random_() % list.size()]; }
  std::mt19937 random_;
};

std::string rest(bool sequence_parallel, int microbatch = 1) {
  return fmt::format("batch_size: 64\nmicrobatch_size: {}\nsequence_parallel: {}\naccounting: {}/tests/data/strategies/conserved.yaml\n", microbatch,
                     sequence_parallel, source_folder());
}

/// Returns bytes of each saved tensor on all ranks of a stage, with repetitions counted once. The first of several
/// copies counts.
std::map<std::string, double> kept(Run& run) {
  std::map<std::string, double> bytes;
  Inquiry inquiry(run.evaluator());
  Sizes sizes(inquiry, run.graph_run());
  const Elements& all = run.evaluator().elements(kSavedSet);
  for (std::size_t i = 0; i < all.names.size(); ++i) {
    double distinct = 1;
    for (const auto& [_, axes] : run.annotations().saved[i].placement.shard) distinct *= sizes.degrees(axes).value;
    bytes.emplace(all.names[i], all.fields.at("bytes")[i].scalar.value * distinct);
  }
  return bytes;
}

}  // namespace

TEST_CASE("random: all ranks together do and keep what one would, but for what is repeated") {
  Generator random(3);
  for (int i = 0; i < 12; ++i) {
    const std::string model = random.model();
    const RandomMesh mesh = random.mesh(model);
    const std::string rules = "megatron" + random.rules() + random.state();
    const bool sp = random.coin();
    const auto run = prepare(model, execution(mesh.text(), rules, rest(sp)));
    const auto alone = prepare(model, execution("{dp: 1}", "megatron", rest(false, mesh.replicas)));
    const std::string what = model + " " + mesh.text() + " " + rules + (sp ? " sp" : "");
    CHECK_MESSAGE(near(value(*run, "distinct_work"), value(*run, "whole_work"), 1e-12), what);
    CHECK_MESSAGE(value(*run, "whole_work") == value(*alone, "whole_work"), what);
    CHECK_MESSAGE(value(*run, "work_of_all") >= value(*run, "whole_work") * (1 - 1e-12), what);
    CHECK_MESSAGE(value(*run, "parameters_total") == value(*alone, "parameters_total"), what);
    CHECK_MESSAGE(kept(*run) == kept(*alone), what);
  }
}

TEST_CASE("random: every figure is finite and not negative") {
  Generator random(5);
  for (int i = 0; i < 12; ++i) {
    const std::string model = random.model();
    const RandomMesh mesh = random.mesh(model);
    const std::string rules = "megatron" + random.rules() + random.state() + (random.coin() ? ", recompute_full" : "");
    const auto run = prepare(model, execution(mesh.text(), rules, rest(random.coin())), "h100-80g-sxm");
    for (const Name* metric : run->program().metrics) {
      if (!metric->published.empty() || metric->name == "memory_free") continue;  // A rank may lack memory.
      const double v = value(*run, metric->name);
      CHECK_MESSAGE((std::isfinite(v) && v >= 0), model, " ", mesh.text(), " ", rules, " ", metric->name);
    }
  }
}

TEST_CASE("random: the order of the mesh changes only how far messages go") {
  Generator random(7);
  for (int i = 0; i < 8; ++i) {
    const std::string model = random.model(), rules = "megatron" + random.rules() + random.state(), options = rest(random.coin());
    const RandomMesh mesh = random.mesh(model), other = random.shuffled(mesh);
    const auto first = prepare(model, execution(mesh.text(), rules, options)), second = prepare(model, execution(other.text(), rules, options));
    for (const char* metric : {"memory", "model_flops", "hardware_flops", "communication_bytes", "activation_bytes_per_rank", "parameters_total"})
      CHECK_MESSAGE(near(value(*first, metric), value(*second, metric), 1e-12), model, " ", mesh.text(), " ", other.text(), " ", rules, " ", metric);
  }
}

// ZeRO 3 gathers weights for a time: the largest layer and the next. With few layers or ranks these can exceed the
// weights that it no longer stores. So the test compares the peak without them, and with them if every stage saves at
// least as many bytes.
TEST_CASE("random: memory doesn't grow with the stage of ZeRO, nor with recomputation") {
  Generator random(11);
  for (int i = 0; i < 6; ++i) {
    const std::string model = random.model(), rules = "megatron" + random.rules(), options = rest(random.coin());
    const RandomMesh mesh = random.mesh(model);
    const std::string what = model + " " + mesh.text() + " " + rules;
    auto before = prepare(model, execution(mesh.text(), rules, options));
    const auto recomputed = prepare(model, execution(mesh.text(), rules + ", recompute_full", options));
    CHECK_MESSAGE(value(*recomputed, "memory") <= value(*before, "memory"), what);
    for (const char* stage : {", zero_1", ", zero_2", ", zero_3"}) {
      auto now = prepare(model, execution(mesh.text(), rules + stage, options));
      CHECK_MESSAGE(value(*now, "settled_memory") <= value(*before, "settled_memory"), what, stage);
      const bool outweighed = value(*before, "weights_least") - value(*now, "weight_bytes_per_rank") < value(*now, "gathered_most");
      if (!outweighed || stage != std::string(", zero_3")) CHECK_MESSAGE(value(*now, "memory") <= value(*before, "memory"), what, stage);
      before = std::move(now);
    }
  }
}

}  // namespace opledger
