#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "accounting/graph_engine.h"
#include "tests/support/random_count.h"
#include "tests/support/runs.h"

/// Weights that several pipeline stages share: ranks of the gradient reduction, bytes and time.
namespace opledger {
namespace {

/// Returns a named formula of the accounting at a word of a set.
double at(Run& run, const std::string& name, SetId set, std::size_t word) {
  const Name* formula = run.program().find(name);
  REQUIRE_MESSAGE(formula != nullptr, name);
  Evaluator& e = run.evaluator();
  return e.ask(*formula, e.choose(nowhere(), set, static_cast<WordId>(word))).value.scalar.value;
}

/// The largest value of a named formula over the stages.
double largest(Run& run, const std::string& name) {
  double out = 0;
  for (std::size_t stage = 0; stage < run.evaluator().elements(kStageSet).names.size(); ++stage) out = std::max(out, at(run, name, kStageSet, stage));
  return out;
}

struct Reduction {
  std::string ranks;  ///< Name of the communicator.
  double members = 0, bytes = 0, sent_by_all = 0, seconds = 0;
};

/// Returns all-reduces between stages that share a weight, by weight.
std::map<std::string, Reduction> reductions(Run& run) {
  std::map<std::string, Reduction> out;
  const Elements& messages = run.evaluator().elements(kMessageSet);
  const Elements& groups = run.evaluator().elements(kCommunicatorSet);
  for (std::size_t m = 0; m < messages.names.size(); ++m) {
    if (messages.fields.at("between_stages")[m].scalar.value == 0 || messages.fields.at("weights")[m].scalar.value == 0) continue;
    Reduction& r = out[messages.names[m]];
    r.ranks = groups.names[static_cast<std::size_t>(messages.belongs.at(kCommunicatorSet)[m])];
    r.members = messages.fields.at("ranks")[m].scalar.value;
    r.bytes = messages.fields.at("bytes")[m].scalar.value;
    r.sent_by_all = value(run, "ranks") * at(run, "times_on_average", kMessageSet, m) * at(run, "sent_bytes", kMessageSet, m);
    r.seconds = at(run, "link_time", kMessageSet, m);
  }
  return out;
}

const char* const kTokenTable = "d embedding.tokens.table";
const char* const kEncoder = "d encoder_first.attention.positions.table";
const char* const kDecoder = "d decoder_first.attention.positions.table";

/// Returns the stages of T5 that use each weight, by assigning every layer to a stage.
std::map<std::string, std::set<int>> holders(int encoder, int decoder, int stages, int chunks) {
  const int layers = encoder + decoder, pieces = stages * chunks;
  std::vector<int> stage_of;  // Stage by layer.
  for (int piece = 0; piece < pieces; ++piece) {
    // Layers of a stage are distributed over its chunks.
    const int stage = piece % stages, chunk = piece / stages;
    const int on_stage = layers / stages + (stage < layers % stages ? 1 : 0);
    stage_of.insert(stage_of.end(), static_cast<std::size_t>(on_stage / chunks + (chunk < on_stage % chunks ? 1 : 0)), stage);
  }
  std::map<std::string, std::set<int>> out;
  out[kTokenTable] = {0, stage_of[static_cast<std::size_t>(encoder) - 1],
                      (pieces - 1) % stages};  // `target_embedding` is on the stage of the encoder's last layer.
  for (int layer = 0; layer < layers; ++layer) out[layer < encoder ? kEncoder : kDecoder].insert(stage_of[static_cast<std::size_t>(layer)]);
  return out;
}

}  // namespace

TEST_CASE("tied: three of four stages share T5's tokens, two of four each table of positions") {
  const auto run = prepare("t5-base", execution("{pp: 4, dp: 2}", "megatron", kBatchOf16), "a100-80g-sxm", {{"collective_algorithm", "ring"}});
  const auto all = reductions(*run);
  REQUIRE(all.size() == 3);
  // 24 layers, six on each stage: the encoder's on 0 and 1, the decoder's on 2 and 3. Tokens are looked up on 0 and,
  // with the last layer of the encoder, on 1; logits are computed on 3. Gradients are sent in 2 bytes.
  const double m = 2.0 * 32128 * 768;
  CHECK(all.at(kTokenTable).ranks == "pp {0-1, 3}");
  CHECK(all.at(kTokenTable).members == 3);
  CHECK(all.at(kTokenTable).bytes == m);
  CHECK(near(all.at(kTokenTable).sent_by_all, 2.0 * 3 * (2 * m * 2 / 3), 1e-12));  // two groups of three, each rank sends 2 m (3 - 1) / 3
  // The eight processors are one node. A ring of three takes four steps of m / 3 and 10 us each, at 0.65 of 300 GB/s.
  CHECK(near(all.at(kTokenTable).seconds, 4 * (10e-6 + m / 3 / (0.65 * 300e9)), 1e-12));
  CHECK(all.at(kEncoder).ranks == "pp {0-1}");
  CHECK(all.at(kDecoder).ranks == "pp {2-3}");
  CHECK(all.at(kEncoder).sent_by_all == 2 * 2 * (2.0 * 32 * 12));  // two groups of two, each rank sends all of it: 32 buckets, 12 heads, 2 bytes
  // A stage waits for the reductions in which it takes part.
  const double tokens = all.at(kTokenTable).seconds, encoder = all.at(kEncoder).seconds, decoder = all.at(kDecoder).seconds;
  for (const auto& [stage, expected] : {std::pair{0, tokens + encoder}, {1, tokens + encoder}, {2, decoder}, {3, tokens + decoder}})
    CHECK(near(at(*run, "tied_time", kStageSet, static_cast<std::size_t>(stage)), expected, 1e-12));
}

TEST_CASE("tied: a table that one stage holds is not reduced between stages") {
  const auto two = prepare("t5-base", execution("{pp: 2}", "megatron", kBatchOf16), "a100-80g-sxm");
  const auto all = reductions(*two);
  CHECK(all.at(kEncoder).members == 1);
  CHECK(all.at(kEncoder).sent_by_all == 0);
  CHECK(all.at(kEncoder).seconds == 0);
  CHECK(all.at(kDecoder).members == 1);
  CHECK(all.at(kTokenTable).ranks == "pp {0-1}");
  const auto one = prepare("t5-base", execution("{pp: 1}", "megatron", kBatchOf16), "a100-80g-sxm");
  for (const auto& [_, r] : reductions(*one)) CHECK(r.members == 1);
}

TEST_CASE("tied: a node joins the stages that share a weight, or it does not") {
  // Nodes of eight: stages 0 and 1 of four with four processors each are in one, 0 and 3 are not.
  const auto seconds = [](const char* mesh, const char* weight) {
    const auto run = prepare("t5-base", execution(mesh, "megatron", kBatchOf16), "a100-80g-sxm", {{"collective_algorithm", "ring"}});
    return reductions(*run).at(weight).seconds;
  };
  CHECK(seconds("{pp: 4, dp: 4}", kEncoder) == seconds("{pp: 4, dp: 2}", kEncoder));
  CHECK(seconds("{pp: 4, dp: 4}", kDecoder) == seconds("{pp: 4, dp: 4}", kEncoder));  // 2 and 3 are in the second node
  CHECK(seconds("{pp: 4, dp: 4}", kTokenTable) > 3 * seconds("{pp: 4, dp: 2}", kTokenTable));
  CHECK(seconds("{pp: 4, dp: 8}", kEncoder) > seconds("{pp: 4, dp: 4}", kEncoder));
}

TEST_CASE("tied: members and bytes are those of explicit stages, whatever the layers and chunks") {
  std::mt19937 random(7);
  const auto pick = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  for (int round = 0; round < 40; ++round) {
    const int encoder = pick(1, 9), decoder = pick(1, 9), layers = encoder + decoder;
    const int stages = pick(2, std::min(6, layers)), chunks = stages * 2 <= layers ? pick(1, 2) : 1, copies = pick(1, 2);
    const auto run =
        prepare("t5-base", execution("{pp: " + std::to_string(stages) + ", dp: " + std::to_string(copies) + "}", "megatron", kBatchOf16), "a100-80g-sxm",
                {{"layers", std::to_string(encoder)}, {"decoder_layers", std::to_string(decoder)}, {"chunks", std::to_string(chunks)}});
    const auto expected = holders(encoder, decoder, stages, chunks);
    for (const auto& [weight, r] : reductions(*run)) {
      const double n = static_cast<double>(expected.at(weight).size());
      CHECK_MESSAGE(r.members == n, weight, " of ", encoder, " and ", decoder, " layers on ", stages, " stages of ", chunks);
      CHECK(near(r.sent_by_all, copies * n * 2 * r.bytes * (n - 1) / n, 1e-12));
    }
  }
}

TEST_CASE("tied: two copies of a model sum the gradients of a tied weight once") {
  const auto run = prepare("gpt2", execution("{pp: 4}", "megatron", "batch_size: 16\nmicrobatch_size: 1\nschedule: dualpipe\n"));
  // Stage 0 holds three layers twice, positions and the last norm; the table of tokens, which the head uses too, is reduced between the stages that hold it.
  const double layer = 12.0 * 768 * 768 + 13 * 768, others = 1024.0 * 768 + 2 * 768;
  CHECK(at(*run, "copy_gradients", kStageSet, 0) == 2 * (2 * 3 * layer + others));
  CHECK(reductions(*run).at(kTokenTable).ranks == "pp {0, 3}");
}

namespace {

/// Returns bytes that all ranks send in a step for one weight, by phase, collective and ranks: `optimizer all-reduce
/// dp`.
std::map<std::string, double> sent_by_all(Run& run, const std::string& weight) {
  std::map<std::string, double> out;
  const Elements& transfers = run.evaluator().elements(kTransferSet);
  for (std::size_t t = 0; t < transfers.names.size(); ++t) {
    if (transfers.names[t] != weight && transfers.names[t] != "d " + weight) continue;
    const auto word = [&](SetId set) { return static_cast<std::size_t>(transfers.belongs.at(set)[t]); };
    const std::size_t m = word(kMessageSet);
    const double share = transfers.fields.at("bytes")[t].scalar.value / run.evaluator().elements(kMessageSet).fields.at("bytes")[m].scalar.value;
    const double sent = value(run, "ranks") * at(run, "times_on_average", kMessageSet, m) * at(run, "sent_bytes", kMessageSet, m) * share;
    const std::string what = run.program().set(kPhaseSet).words[word(kPhaseSet)] + " " + run.program().set(kCollectiveSet).words[word(kCollectiveSet)];
    if (sent > 0) out[what + " " + run.evaluator().elements(kCommunicatorSet).names[word(kCommunicatorSet)]] += sent;
  }
  return out;
}

const char* const kTable = "embedding.tokens.table";
constexpr double kTableBytes = 2.0 * 50257 * 768;  // GPT-2's, as its gradient travels

}  // namespace

TEST_CASE("tied: every stage that holds a copy reduces it over its own ranks, then all of them add up") {
  // Four stages of two ranks; the first and the last hold the table, which is all that GPT-2's embedding or head sends for it. Of m bytes each rank of two sends
  // m in an all-reduce, m / 2 in a reduce-scatter or all-gather; four ranks take part. Eight microbatches of each rank.
  const double m = kTableBytes, all_reduce = 4 * m, half = 4 * m / 2;
  const struct {
    const char* rules;
    std::map<std::string, double> sent;
  } kCases[] = {
      {"megatron", {{"optimizer all_reduce dp", all_reduce}, {"optimizer all_reduce pp {0, 3}", all_reduce}}},
      {"megatron, zero_1", {{"optimizer reduce_scatter dp", half}, {"optimizer all_reduce pp {0, 3}", all_reduce}, {"optimizer all_gather dp", half}}},
      // Each rank already accumulates its half of the gradient.
      {"megatron, zero_2", {{"wgrad reduce_scatter dp", 8 * half}, {"optimizer all_reduce pp {0, 3}", all_reduce / 2}, {"optimizer all_gather dp", half}}},
      // The gradient of a lookup does not read the table, but that of the head does.
      {"megatron, zero_3",
       {{"forward all_gather dp", 8 * half},
        {"agrad all_gather dp", 8 * half / 2},
        {"wgrad reduce_scatter dp", 8 * half},
        {"optimizer all_reduce pp {0, 3}", all_reduce / 2}}},
  };
  for (const auto& c : kCases) {
    const auto run = prepare("gpt2", execution("{pp: 4, dp: 2}", c.rules, kBatchOf16), "a100-80g-sxm", {{"collective_algorithm", "ring"}});
    std::map<std::string, double> sent = sent_by_all(*run, kTable);
    for (const auto& [what, bytes] : c.sent) CHECK_MESSAGE(near(sent[what], bytes, 1e-12), c.rules, " ", what, ": ", sent[what], " ", bytes);
    CHECK_MESSAGE(sent.size() == c.sent.size(), c.rules);
  }
}

TEST_CASE("tied: uses on one stage add up their gradients before they are reduced, once in a microbatch") {
  const double m = kTableBytes, part = 4 * m * 3 / 4;  // a ring of four ranks sends 3/4
  const auto two = prepare("gpt2", execution("{dp: 4}", "megatron, zero_2", kBatchOf16));
  CHECK(sent_by_all(*two, kTable) == std::map<std::string, double>{{"wgrad reduce_scatter dp", 4 * part}, {"optimizer all_gather dp", part}});
  const auto every = prepare("gpt2", execution("{dp: 4}", "megatron, ddp_every_microbatch", kBatchOf16));
  CHECK(sent_by_all(*every, kTable) == std::map<std::string, double>{{"wgrad all_reduce dp", 4 * 2 * part}});
  // Eleven layers of T5's encoder share the table of positions of the first, 32 x 12; target tokens, logits and tokens another.
  const auto t5 = prepare("t5-base", execution("{dp: 4}", "megatron, zero_2", kBatchOf16));
  CHECK(sent_by_all(*t5, "encoder_first.attention.positions.table").at("wgrad reduce_scatter dp") == 4 * 4 * (2.0 * 32 * 12) * 3 / 4);
  CHECK(sent_by_all(*t5, kTable).at("wgrad reduce_scatter dp") == 4 * 4 * (2.0 * 32128 * 768) * 3 / 4);
  // The additional time of the step: a ring of three steps, in each of four microbatches.
  const Settings ring = {{"collective_algorithm", "ring"}};
  const auto timed = prepare("gpt2", execution("{dp: 4}", "megatron, zero_2, overlap_zero3_prefetch", kBatchOf16), "a100-80g-sxm", ring);
  const double once = 3 * (10e-6 + m / 4 / (0.65 * 300e9));
  const Name* formula = timed->program().find("shared_time");
  REQUIRE(formula != nullptr);
  Evaluator& e = timed->evaluator();
  CHECK(near(e.ask(*formula, e.choose(e.choose(nowhere(), kStageSet, 0), kPhaseSet, 3)).value.scalar.value, once, 1e-12));
}

TEST_CASE("tied: the stage of the head waits for its own reduction") {
  const auto run = prepare("gpt2", execution("{pp: 4, dp: 2}", "megatron", kBatchOf16), "a100-80g-sxm", {{"collective_algorithm", "ring"}});
  // A ring of two takes two steps of half the bytes and 10 us each, at 0.65 of 300 GB/s, or less for small messages.
  // One stage has three layers, one message each, and the table. The last stage also has the norm before the head,
  // the first stage the positions.
  const auto ring = [](double bytes) { return 2 * (10e-6 + bytes / 2 / (0.65 * 300e9)); };
  const double layers = 3 * ring(2 * (12.0 * 768 * 768 + 13 * 768)), table = ring(kTableBytes);
  const auto reduced = [&](std::size_t stage) { return at(*run, "reduce_time", kStageSet, stage); };
  CHECK(near(reduced(1), layers, 1e-12));
  CHECK(near(at(*run, "tied_time", kStageSet, 2), table, 1e-12));
  CHECK(reduced(0) > layers + 2 * table);
  CHECK(reduced(2) > layers + 2 * table);  // stages 1 and 2 are one class
  CHECK(reduced(2) < layers + 2 * table + 25e-6);
}

TEST_CASE("tied: what all ranks send is worked out from parameters alone") {
  const auto run = prepare("gpt2", execution("{pp: 4, dp: 2}", "megatron", kBatchOf16));
  const double parameters = 124439808, act = 2.0 * 2 * 1024 * 768;  // [batch seq hidden] of one sequence on each of two ranks
  // Two ranks send every reduced byte: every parameter, the table once more on the last stage, and once between the
  // stages; three borders, in both directions.
  const double reduced = 2 * (2 * parameters + kTableBytes) + 4 * kTableBytes, sends = 8 * 3 * 2 * act;
  CHECK(near(8 * value(*run, "communication_bytes"), reduced + sends, 1e-12));
}

TEST_CASE("tied: two copies of a model reduce a shared table once on each stage, all else once for each copy") {
  const auto run = prepare("gpt2", execution("{pp: 4, dp: 2}", "megatron", kBatchOf16 + "schedule: dualpipe\n"));
  const std::map<std::string, double> sent = sent_by_all(*run, kTable);
  CHECK(sent.at("optimizer all_reduce dp") == 4 * kTableBytes);
  CHECK(sent.at("optimizer all_reduce pp {0, 3}") == 4 * kTableBytes);
  const double parameters = 124439808, act = 2.0 * 2 * 1024 * 768, others = 2 * parameters - kTableBytes;
  // Two ranks reduce the two copies of all weights but the table; then the two stages with a copy add them up.
  const double reduced = 2 * 2 * others + 2 * 2 * others + 8 * kTableBytes, sends = 8 * 3 * 2 * act;
  CHECK(near(8 * value(*run, "communication_bytes"), reduced + sends, 1e-12));
}

TEST_CASE("tied: parts of a segment that occurs once have one table, whatever is recomputed") {
  for (const char* mesh : {"{dp: 2}", "{pp: 2, dp: 2}", "{pp: 4, tp: 2}", "{pp: 3, dp: 2}"}) {
    const auto plain = prepare("t5-base", execution(mesh, "megatron", kBatchOf16), "a100-80g-sxm");
    for (const char* rule : {"recompute_first", "recompute_block", "recompute_every"}) {
      double before = value(*plain, "memory");
      for (int layers = 0; layers <= 12; layers += 2 * testing::one_of(6)) {
        const std::string said = (rule == std::string("recompute_every") ? "recompute_period: " : "recompute_layers: ") + std::to_string(std::max(layers, 1));
        const auto run = prepare("t5-base", execution(mesh, std::string("megatron, ") + rule, kBatchOf16 + said + "\n"), "a100-80g-sxm");
        const std::string what = std::string(mesh) + " " + rule + " " + said;
        for (const char* metric : {"parameters_total", "gradient_time"})
          CHECK_MESSAGE(near(value(*run, metric), value(*plain, metric), 1e-12), what, " ", metric);
        for (const char* metric : {"weight_memory", "gradient_memory", "optimizer_memory"})
          CHECK_MESSAGE(near(largest(*run, metric), largest(*plain, metric), 1e-12), what, " ", metric);
        const double now = value(*run, "memory");
        if (rule != std::string("recompute_every")) CHECK_MESSAGE(now <= before, what);
        before = now;
      }
    }
  }
}

}  // namespace opledger
