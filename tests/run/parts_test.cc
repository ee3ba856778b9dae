#include <map>

#include "accounting/graph_engine.h"
#include "tests/support/random_count.h"
#include "tests/support/runs.h"

/// Separate layers: rules for some layers of a repeated segment.
namespace opledger {
namespace {

std::unique_ptr<Run> with(const std::string& model, const std::string& mesh, const std::string& rules, const std::string& options = "") {
  return prepare(model, execution(mesh, "megatron, " + rules, "batch_size: 16\nmicrobatch_size: 1\n" + options), "a100-80g-sxm");
}

/// Compares every published number of two runs.
void compare(Run& a, Run& b, const std::string& what) {
  int compared = 0;
  for (const Name* metric : a.program().metrics) {
    const auto x = a.value(metric->name, said()), y = b.value(metric->name, said());
    REQUIRE(x.has_value() == y.has_value());
    if (!x || !x->is_number()) continue;
    CHECK_MESSAGE(near(x->scalar.value, y->scalar.value, 1e-12), what, " ", metric->name, ": ", x->scalar.value, " ", y->scalar.value);
    ++compared;
  }
  CHECK(compared > 35);
}

std::string segments(Run& run) {
  std::string text;
  const Elements& all = run.evaluator().elements(kSegmentSet);
  for (std::size_t i = 0; i < all.names.size(); ++i)
    text += all.names[i] + " " + std::to_string(static_cast<int>(all.fields.at("layers")[i].scalar.value)) + "; ";
  return text;
}

const std::pair<const char*, const char*> kMeshes[] = {
    {"llama-2-7b", "{dp: 2, tp: 2}"}, {"llama-2-7b", "{pp: 4, tp: 2}"}, {"deepseek-v2-lite", "{dp: 2}"}, {"gpt2", "{pp: 3}"},
    {"gemma-2-9b", "{pp: 3}"},        {"jamba-v0.1", "{pp: 4, tp: 2}"}, {"t5-base", "{pp: 2}"}};

}  // namespace

TEST_CASE("parts: the first 0 layers are none, the first n of n or more are all") {
  for (const auto& [model, mesh] : testing::some_of(kMeshes, 3)) {
    const auto none = with(model, mesh, "zero_1"), full = with(model, mesh, "zero_1, recompute_full");
    compare(*none, *with(model, mesh, "zero_1, recompute_first", "recompute_layers: 0"), "none");
    compare(*full, *with(model, mesh, "zero_1, recompute_first", "recompute_layers: layers"), "all");
    compare(*full, *with(model, mesh, "zero_1, recompute_first", "recompute_layers: 1000"), "more");
    compare(*full, *with(model, mesh, "zero_1, recompute_every", "recompute_period: 1"), "every");
    compare(*none, *with(model, mesh, "zero_1, recompute_every", "recompute_period: 1000"), "every 1000th");
  }
}

TEST_CASE("parts: in between, every layer that is recomputed adds and frees the same") {
  for (const char* metric : {"hardware_flops", "activation_bytes_per_rank", "recompute_time"}) {
    const auto at = [&](int n) { return value(*with("llama-2-7b", "{tp: 2}", "recompute_first", "recompute_layers: " + std::to_string(n)), metric); };
    const double none = at(0), all = at(32);
    CHECK(none != all);
    for (const int n : {1, 7, 31}) CHECK_MESSAGE(near(at(n), none + n * (all - none) / 32, 1e-12), metric, " ", n);
  }
}

TEST_CASE("parts: segments, their order and their parameters") {
  struct Line {
    const char *model, *rules, *options, *segments;
  };
  const Line lines[] = {
      {"llama-2-7b", "recompute_first", "recompute_layers: 5", "embedding 1; decoder.first 5; decoder.rest 27; head 1; "},
      {"llama-2-7b", "recompute_every", "recompute_period: 5", "embedding 1; decoder.every 6; decoder.rest 26; head 1; "},
      {"llama-2-7b", "recompute_block", "recompute_layers: 3", "embedding 1; decoder.block 3; decoder.rest 29; head 1; "},
      // several segments are one row of layers
      {"deepseek-v2-lite", "recompute_first", "recompute_layers: 5", "embedding 1; dense.first 1; dense.rest 0; decoder.first 4; decoder.rest 22; head 1; "},
      {"deepseek-v2-lite", "recompute_every", "recompute_period: 9", "embedding 1; dense.every 0; dense.rest 1; decoder.every 3; decoder.rest 23; head 1; "},
      // Alternating segments by rounds: five of nine layers are local; of 27 layers, the first and last five of a round
      // make eleven of each eight.
      {"gemma-2-9b", "recompute_first", "recompute_layers: 9", "embedding 1; local.first 5; local.rest 16; global.first 4; global.rest 17; head 1; "},
      {"gemma-2-9b", "recompute_every", "recompute_period: 4", "embedding 1; local.every 5; local.rest 16; global.every 5; global.rest 16; head 1; "},
      {"jamba-v0.1", "recompute_first", "recompute_layers: 11",
       "embedding 1; layer0.first 2; layer0.rest 2; layer1.first 2; layer1.rest 2; layer2.first 2; layer2.rest 2; layer3.first 1; layer3.rest 3; layer4.first "
       "1; "
       "layer4.rest 3; layer5.first 1; layer5.rest 3; layer6.first 1; layer6.rest 3; layer7.first 1; layer7.rest 3; head 1; "},
      {"gpt-oss-20b", "fp8_between", "layers_at_start: 3\nlayers_at_end: 2",
       "embedding 1; local.start 2; local.rest 9; local.end 1; global.start 1; global.rest 10; global.end 1; head 1; "},
      // an encoder and a decoder are two stacks: the first of each
      {"t5-base", "recompute_first", "recompute_layers: 4",
       "embedding 1; encoder_first.first 1; encoder_first.rest 0; encoder.first 3; encoder.rest 8; memory 1; target_embedding 1; decoder_first.first 1; "
       "decoder_first.rest 0; decoder.first 3; decoder.rest 8; head 1; "},
      {"t5-base", "fp8_between", "layers_at_start: 0\nlayers_at_end: 11",
       "embedding 1; encoder_first.start 0; encoder_first.rest 1; encoder_first.end 0; encoder.start 0; encoder.rest 0; encoder.end 11; memory 1; "
       "target_embedding 1; "
       "decoder_first.start 0; decoder_first.rest 1; decoder_first.end 0; decoder.start 0; decoder.rest 0; decoder.end 11; head 1; "},
  };
  for (const Line& line : lines) {
    const auto run = with(line.model, "{dp: 1}", line.rules, line.options);
    CHECK(segments(*run) == line.segments);
    CHECK(value(*run, "parameters_total") == value(*prepare(line.model), "parameters_total"));
  }
}

TEST_CASE("parts: a tied table counts once though the layers between are cut") {
  const auto run = with("gpt3-175b", "{pp: 8}", "recompute_first", "recompute_layers: 10"), plain = with("gpt3-175b", "{pp: 8}", "zero_1");
  CHECK(value(*run, "parameters_total") == value(*plain, "parameters_total"));
  CHECK(value(*run, "parameters_per_rank") == value(*plain, "parameters_per_rank"));
}

TEST_CASE("parts: on every stage as many layers of 8") {
  const auto at = [&](const std::string& rules, const std::string& options) { return value(*with("llama-2-7b", "{pp: 4}", rules, options), "memory"); };
  const double none = at("zero_1", ""), full = at("recompute_full", "");
  const double two = at("recompute_block", "recompute_layers: 2");
  CHECK(two < none);
  CHECK(two > full);
  CHECK(near(at("recompute_block", "recompute_layers: 8"), full, 1e-12));
  // the first stage is the fullest: two of its eight layers keep only their input for each of its four microbatches
  const auto kept = [&](const std::string& rules, const std::string& options) {
    return value(*with("llama-2-7b", "{pp: 4}", rules, options), "activation_bytes_per_rank");
  };
  const double all = kept("zero_1", ""), inputs = kept("recompute_full", "");
  CHECK(near(kept("recompute_block", "recompute_layers: 2"), all + (inputs - all) * 2 / 8, 1e-12));
}

TEST_CASE("parts: on every stage as many layers, also where segments take turns") {
  for (const auto& [model, mesh] : {std::pair{"gpt-oss-20b", "{pp: 3}"}, {"gemma-2-9b", "{pp: 3}"}, {"jamba-v0.1", "{pp: 4}"}}) {
    for (const int layers : {1, 2, 3, 5, 7}) {
      const auto run = with(model, mesh, "recompute_block", "recompute_layers: " + std::to_string(layers));
      const Elements& shares = run->evaluator().elements(kStageLayersSet);
      std::map<WordId, int> of_stage;
      for (std::size_t s = 0; s < shares.names.size(); ++s) {
        const SegmentId segment(shares.belongs.at(kSegmentSet)[s]);
        const WordId stage = shares.belongs.at(kStageSet)[s];
        const bool chosen = run->graph().segments[segment].name.find(".block") != std::string::npos;
        of_stage[stage] += chosen ? static_cast<int>(shares.fields.at("layers")[s].scalar.value) : 0;
      }
      for (const auto& [stage, found] : of_stage) CHECK_MESSAGE(found == layers, model, " ", stage, " ", layers);
    }
  }
}

}  // namespace opledger
