#include "play/streamed_layers.h"

#include "accounting/graph_engine.h"
#include "tests/run/random_overlaps.h"
#include "tests/support/random_count.h"

/// Exposed time of simulated layers, compared with cases worked by hand and with formulas.
namespace opledger::round_numbers {
namespace {

const std::string kPlayed = "batch_size: 1\nexposed: played\n";

double exposed(const std::string& model, const std::string& mesh, const std::string& names, const Machine& m, const std::string& rest = kPlayed) {
  return metric(model, mesh, names, m, "exposed_time", rest);
}

}  // namespace

TEST_CASE("streamed: tensor parallel, during the product that reads or computes the message") {
  // The case of tests/run/overlap_test.cc, for each of two layers. Over 4 ranks each product takes 2 s, in parts of
  // 0.5 s. Four messages of 1.5 MiB are sent: before `up`, after `down`, before the gradient of the input of `down`,
  // after that of `up`. After the last one the weight gradient of `up` is computed: 2 s more that may hide it.
  struct Case {
    const char* rules;
    Machine machine;
    double first_three, last;
  };
  const Case cases[] = {
      {"", {1, 1.5}, 1, 1},                                  // without a rule, computing stops
      {"overlap_tp_ring", {1, 1.5}, 0, 0},                   // 3 pieces of 1/3 s
      {"overlap_tp_ring", {1, 0.75}, 0.5, 0},                // a part waits 1/6 s for each piece of 2/3 s
      {"overlap_tp_ring", {1, 0.1875}, 6.5, 4.5},            // 8 s during 1.5 s of computing, then during 2 s more
      {"overlap_tp_ring", {1, 1.5, 0.25}, 0.25, 0.25},       // hidden, but a quarter of the processor for 1 s
      {"overlap_tp_ring", {1e9, 1.5}, 1, 1},                 // computing is too short to hide messages
      {"overlap_tp_pipelined", {1, 1.5}, 0.25, 0},           // the first piece of 1/4 s, or the last
      {"overlap_tp_pipelined", {1, 0.375}, 2.5, 0.5},        // pieces of 1 s: 4.5 s with the exposed part instead of 2 s; or during 2 s more
      {"overlap_tp_pipelined", {1, 1.5, 0, 0.01}, 0.28, 0},  // 3 steps of 10 ms for each of 4 pieces
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.rules));
    CAPTURE(c.machine.network);
    const std::string names = sequence_parallel() + (*c.rules != 0 ? std::string(", ") + c.rules : "");
    CHECK(exposed(products(), "{tp: 4}", names, c.machine) == doctest::Approx(2 * (3 * c.first_three + c.last)).epsilon(1e-6));
  }
}

TEST_CASE("streamed: what a formula hides and streams can't") {
  // Forward a gather before `up` and a scatter behind `down`, 0.75 s each, said to hide behind `down`: the gather can't, `down` needs its result; nor can the scatter.
  // Two layers, and backward with messages that nothing hides.
  const std::string message_rules = rules(
      "mark:\n  - {match: {axis: tp, phase: forward, carries: activation}, message: {overlap: beside}}\n"
      "  - {match: {name: down}, node: {beside: true}}\n");
  const std::string names = sequence_parallel() + ", " + message_rules;
  CHECK(exposed(products(), "{tp: 4}", names, {1, 2}, "batch_size: 1\n") == doctest::Approx(2 * 1.5));
  CHECK(exposed(products(), "{tp: 4}", names, {1, 2}) == doctest::Approx(2 * 3));
}

TEST_CASE("streamed: another microbatch goes on meanwhile") {
  // A layer has four messages, and 12 s of computing in forward and backward together. Messages of 1 s are nearly
  // hidden; of messages of 15 s the excess over computing is exposed.
  const std::string batches = rules("mark:\n  - {match: {axis: tp}, message: {overlap: batch}}\n  - {match: {op: linear}, node: {beside: true}}\n");
  const auto layer = [&](double network) { return exposed(products(), "{tp: 4}", sequence_parallel() + ", " + batches, {1, network}) / 2; };
  CHECK(layer(1.5) <= 1 + 1e-6);
  CHECK(layer(0.1) >= 4 * 15 - 12 - 1e-6);
  CHECK(layer(0.1) <= 4 * 15 - 12 + 6);
}

TEST_CASE("streamed: sharded weights are gathered while the layer before computes") {
  // The case of tests/run/overlap_test.cc. Backward has 32 s a layer for 16 s of messages; formulas let each half use
  // its own 16 s.
  const std::string sharded = rules("shard: [{batch: dp}]\nweights: [{optimizer: dp, gradient: dp, stored: dp}]\n");
  const std::string batch = "batch_size: 2\nexposed: played\n", names = sharded + ", overlap_zero3_prefetch";
  CHECK(exposed(products(), "{dp: 2}", sharded, {1, 1}, batch) == doctest::Approx(2 * 3 * 8 + 0.125));
  CHECK(exposed(products(), "{dp: 2}", names, {1, 1}, batch) == doctest::Approx(3 * 8 + 0.125));
  CHECK(exposed(products(), "{dp: 2}", names, {1, 0.25}, batch) ==
        doctest::Approx(3 * (2 * 16 + 16) + 0.5));  // 32 s of messages during 16 s of computing, 64 s during 32 s
  CHECK(exposed(products(), "{dp: 2}", names, {1, 1, 0.25}, batch) == doctest::Approx(2 * 3 * 2 + 3 * 6 + 0.125));
}

TEST_CASE("streamed: copies to the host and back") {
  // Each layer copies 10 MiB out in forward and in again in backward: 40 s at 0.25 MiB/s. Forward has 16 s of
  // computing, backward 32 s; formulas know of 16 s alone. The first copy out and the last copy in are exposed.
  const std::string names =
      rules("shard: [{batch: dp}]\n") + ", " + rules("mark:\n  - {match: {segment: decoder}, saved: {on_host: true}}\n") + ", overlap_offload";
  const auto figure = [&](const Machine& m) { return metric(products(), "{dp: 1}", names, m, "offload_time", kPlayed); };
  CHECK(figure({}) == doctest::Approx(20));
  CHECK(figure({1, 1, 0, 0, 0.25}) == doctest::Approx(2 * (40 - 16) + 2 * (40 - 32) + 16 + 32));
  CHECK(figure({1e9, 1}) == doctest::Approx(40));
}

namespace {

/// Returns passes and simulation of every layer of a run.
std::vector<std::pair<InterleavedPasses, StreamedLayer>> layers_of(Run& run) {
  std::vector<std::pair<InterleavedPasses, StreamedLayer>> out;
  SectionFormulas section(*find_section(run, "streams"), "streams", run.evaluator(), said());
  LayerWorkReader reader(section, run.evaluator(), run.graph_run(), said());
  for (const SegmentId s : run.graph().segments.ids()) {
    const auto passes = reader.read(s);
    REQUIRE_MESSAGE(passes, render(said()));
    for (const InterleavedPasses& p : *passes) {
      const auto played = simulate_layer(p, {}, said());
      REQUIRE_MESSAGE(played, render(said()));
      out.emplace_back(p, *played);
    }
  }
  return out;
}

/// Returns the seconds of a layer of a segment, over its phases.
double layer_compute(Run& run, SegmentId s) {
  double out = 0;
  for (WordId phase = 0; phase < 4; ++phase) {
    const Point at = run.evaluator().choose(run.evaluator().choose(nowhere(), kSegmentSet, s.number()), kPhaseSet, phase);
    out += run.evaluator().ask(*run.program().find("layer_compute"), at).value.scalar.value;
  }
  return out;
}

}  // namespace

TEST_CASE("streamed: a layer computes what the accounting counts, and loses at most what its messages take") {
  for_shipped([](Run& run) {
    double counted = 0, computed = 0;
    for (const SegmentId s : run.graph().segments.ids()) counted += layer_compute(run, s);
    for (const auto& [passes, layer] : layers_of(run)) {
      double own = 0, lost = 0;
      for (const PassWork& p : passes) own += p.computing();
      computed += own;
      for (const StreamedLayer::Exposed& e : layer.messages) lost += e.seconds;
      for (const double copies : layer.copies) lost += copies;
      CHECK(layer.computing == doctest::Approx(own).epsilon(passes.size() > 1 ? 0.03 : 1e-9));  // two microbatches are not quite in step
      CHECK(layer.seconds == doctest::Approx(layer.computing + lost).epsilon(passes.size() > 1 ? 0.03 : 1e-9));
      std::size_t at = 0;
      for (const PassWork& p : passes) {
        for (const MessageWork& m : p.messages) CHECK(layer.messages[at++].seconds <= m.seconds * (1 + 1e-9) + 1e-15);
      }
    }
    CHECK(computed == doctest::Approx(counted).epsilon(1e-9));
  });
}

TEST_CASE("streamed: where nothing overlaps, formulas and streams agree on every message") {
  int messages = 0;
  for_shipped([&](Run& run) {
    Evaluator& e = run.evaluator();
    const auto ask = [&](const char* name, WordId message) {
      return e.ask(*run.program().find(name), e.choose(nowhere(), kMessageSet, message)).value.scalar.value;
    };
    const std::vector<Value> ranks = e.elements(kMessageSet).fields.at("ranks").all();
    for (WordId m = 0; m < static_cast<WordId>(ranks.size()); ++m) {
      if (value(run, "exposed_seconds") != value(run, "link_seconds")) return;  // some of it overlaps
      CAPTURE(e.elements(kMessageSet).names[static_cast<std::size_t>(m)]);
      CHECK(ask("exposed_as_played", m) == doctest::Approx(ask("exposed_by_formula", m)).epsilon(1e-9));
      ++messages;
    }
  });
  CHECK(messages > 50);
}

TEST_CASE("streamed: whatever overlaps, a step is never shorter than its computing or its links, and its layers lose no more than is sent") {
  RandomOverlaps random(5);
  for (int i = 0; i < 24; i += testing::one_of(6)) {
    Overlappable o = random.next();
    for (const auto& [rule, options] : o.more) {
      o.rules += ", " + rule;
      o.fields += options;
    }
    const auto played = run_of(o.model, o.mesh, o.rules, o.machine, o.fields + "exposed: played\n");
    const auto formula = run_of(o.model, o.mesh, o.rules, o.machine, o.fields);
    CAPTURE(o.model);
    CAPTURE(o.mesh);
    CAPTURE(o.rules);
    CAPTURE(o.fields);
    CHECK(value(*played, "forward_time") == doctest::Approx(value(*formula, "forward_time")));
    const double step = value(*played, "iteration_time");
    CHECK(step >= value(*played, "forward_time") + value(*played, "backward_time") + value(*played, "recompute_time"));
    CHECK(value(*played, "exposed_time") >= 0);
    for (const auto& [passes, layer] : layers_of(*played)) {
      double sent = 0, lost = 0;
      for (const PassWork& p : passes) {
        for (const MessageWork& m : p.messages) sent += m.seconds;
      }
      for (const StreamedLayer::Exposed& e : layer.messages) lost += e.seconds;
      CHECK(lost <= sent * (1 + 1e-9));
    }
  }
}

}  // namespace opledger::round_numbers
