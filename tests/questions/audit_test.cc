#include "questions/audit/audit.h"

#include <set>

#include "play/audit_simulation.h"
#include "tests/support/random_count.h"
#include "tests/support/runs.h"

/// Every shipped run passes its audit, and an audit reports inconsistencies.
namespace opledger {
namespace {

using State = AuditCheck::State;

const AuditCheck* find(const Audit& audit, const std::string& name) {
  for (const AuditCheck& check : audit.checks) {
    if (check.name == name) return &check;
  }
  return nullptr;
}

std::string keys(const std::vector<AuditKey>& all) {
  std::string out;
  for (const AuditKey& key : all) out += (out.empty() ? "" : " ") + key.document + "." + key.key;
  return out;
}

Audit audited(Run& run, const std::vector<Expectation>& expectations = {}) {
  std::optional<Audit> result = audit(run, expectations, said());
  REQUIRE_MESSAGE(result, render(said()));
  return std::move(*result);
}

void check_all(Run& run, const std::string& what) {
  std::size_t passed = 0;
  for (const AuditCheck& check : audited(run).checks) {
    CHECK_MESSAGE(check.state != State::failed, what, " ", check.name, " ", check.element, ": ", check.left.scalar.value, " ", check.right.scalar.value);
    if (check.state == State::passed) ++passed;
  }
  CHECK_MESSAGE(passed >= 10, what);
}

/// An accounting with one check in addition to those of the standard accounting.
std::unique_ptr<Run> with_check(const std::string& check) {
  static TemporaryFolder folder;
  said() = {};
  RunRequest request;
  request.model = "gpt2";
  request.accounting = folder.write("mine.yaml", "kind: accounting\nextends: standard\nchecks:\n  mine: {doc: Mine., " + check + "}\n").string();
  static std::deque<Library> all;  // Shared, so that each file is read once.
  all.emplace_back(std::vector<std::filesystem::path>{source_folder()});
  auto run = Run::prepare(request, all.back(), said());
  REQUIRE_MESSAGE(run, render(said()));
  return run;
}

}  // namespace

TEST_CASE("audit: every model agrees with itself under every split") {
  const std::pair<const char*, const char*> kSplits[] = {{"{pp: 1, dp: 2, cp: 1, tp: 4}", "megatron, zero_1"},
                                                         {"{pp: 2, dp: 2, cp: 2, tp: 4}", "megatron, zero_3, recompute_full"},
                                                         {"{pp: 3, dp: 2, cp: 1, tp: 2}", "megatron, recompute_selective"},
                                                         {"{dp: 8}", "megatron, fsdp"}};
  for (const char* model : testing::some_of(std::vector{"mixtral-8x7b", "gpt2", "llama-3-8b", "deepseek-v2-lite", "mistral-7b"}, 3)) {
    for (const auto& [mesh, rules] : kSplits) {
      const auto run = prepare(model, execution(mesh, rules, "batch_size: 32\nmicrobatch_size: 2\nsequence_parallel: true\n"), "h100-80g-sxm");
      check_all(*run, std::string(model) + " " + mesh + " " + rules);
    }
  }
}

// Every strategy on several models, and every model under several strategies. Combinations that a model's sizes do not
// allow are listed by name.
TEST_CASE("audit: shipped models agree with themselves under shipped rules") {
  struct Strategy {
    const char *mesh, *rules, *rest;
  };
  constexpr Strategy kStrategies[] = {
      {"{dp: 2, tp: 4}", "megatron, zero_1", "sequence_parallel: true"},
      {"{dp: 2, cp: 2, tp: 2}", "megatron_positions, megatron, zero_2", "sequence_parallel: true"},
      {"{dp: 2, cp: 4}", "ring, megatron, overlap_cp_ring", ""},
      {"{dp: 2, cp: 2}", "megatron, cp_regather, cp_contiguous", "attention_flops: causal"},
      {"{dp: 2, cp: 4}", "ulysses, megatron", ""},
      {"{dp: 2, cp: 4}", "window_halo, ring, megatron", ""},
      {"{dp: 2, cp: {ring: 2, ul: 2}}", "usp, megatron, zero_3", ""},
      {"{tp: 16}", "megatron_kv, megatron, overlap_tp_ring", "sequence_parallel: true"},
      {"{tp: 16}", "megatron, overlap_tp_pipelined", ""},
      {"{pp: 2, dp: 2, tp: 2}", "megatron, zero_1, recompute_selective, overlap_pp", "chunks: 2"},
      {"{pp: 2, dp: 2}", "megatron, ddp_every_microbatch, recompute_block", "schedule: dualpipe\nrecompute_layers: 1"},
      {"{pp: 3, dp: 2}", "megatron, zero_1, recompute_first, overlap_dp", "schedule: zb_h1\nrecompute_layers: 3"},
      {"{dp: {fsdp: 4}, cp: 2}", "megatron, fsdp, recompute_full, overlap_zero3_prefetch", ""},
      {"{dp: {rep: 2, fsdp: 2}}", "megatron, hsdp, recompute_needed", ""},
      {"{dp: {inter: 2, intra: 2}}", "megatron, hpz, recompute_every, recompute_elements, recompute_latent", "recompute_period: 3"},
      {"{dp: 2, tp: 2}", "megatron, fp8_between, offload_activations", "compute: fp8\noperand_width: 1"},
      {"{dp: 4}", "megatron, fsdp_accumulate, fp8_hidden, offload_weights, offload_optimizer, overlap_offload", "compute: fp8"},
  };
  constexpr Strategy kOfExperts[] = {
      {"{dp: {edp: 2, ep: 4}}", "megatron, zero_1, overlap_expert", ""},
      {"{dp: {edp: 2, ep: 4}, tp: 2}", "megatron, zero_1", "sequence_parallel: true\ncapacity: 1.25"},
      {"{dp: {edp: 2, ep: 2}, cp: 2}", "megatron, zero_1", "imbalance: 1.3"},
      {"{dp: {ep: 4}}", "megatron, fsdp_keep", "capacity: 0.7"},
      {"{dp: {edp: 2, ep: 4}}", "gather_dispatch, megatron", ""},
      {"{dp: {ep: 4}, tp: 2}", "gather_dispatch, megatron", "sequence_parallel: true\nimbalance: 1.1"},
      {"{dp: {edp: 2, ed: 2}, tp: 2, etp: 1, ep: [ed, tp]}", "expert_mesh, megatron", "sequence_parallel: true"},
      {"{dp: 2, tp: 4, ep: [tp]}", "megatron", ""},
  };
  std::size_t next = 0, next_of_experts = 0, audited_runs = 0;
  std::set<const Strategy*> seen;
  for (const std::string& model : testing::some_of(whole_models(), 10)) {
    const bool experts = bool(prepare(model)->graph().dimension("expert"));
    for (int i = 0; i < 4; ++i) {
      const bool of_experts = experts && i < 2;
      const Strategy& s = of_experts ? kOfExperts[next_of_experts++ % std::size(kOfExperts)] : kStrategies[next++ % std::size(kStrategies)];
      said() = {};
      RunRequest request;
      request.model = model;
      request.execution = execution(s.mesh, s.rules, std::string("batch_size: 64\nmicrobatch_size: 1\n") + s.rest + "\n");
      request.system = "h100-80g-sxm";
      const auto run = Run::prepare(request, shipped(), said());
      const std::string what = model + " " + s.mesh + " " + s.rules;
      if (run == nullptr) {
        CHECK_MESSAGE(render(said()).find(" does not divide by ") != std::string::npos, what, "\n", render(said()));
        continue;
      }
      check_all(*run, what);
      seen.insert(&s);
      ++audited_runs;
    }
  }
  CHECK(audited_runs >= 80 / testing::one_of(20));
  if (testing::one_of(4) == 1) CHECK(seen.size() == std::size(kStrategies) + std::size(kOfExperts));
}

TEST_CASE("audit: an operator whose work on a rank is not its part of the whole is noticed") {
  TemporaryFolder folder;
  folder.write("odd_ops.yaml",
               "kind: ops\nuses: [operators]\nops:\n"
               "  forgetful: {extends: gelu, flops: {forward: 8 flop * whole.x, agrad: 13 flop * x}}\n"
               "  careless: {extends: gelu, rank_part: 0.25}\n");
  const std::string model = folder
                                .write("odd.yaml",
                                       "kind: model\nuses: [embeddings, decoder, odd_ops.yaml]\n"
                                       "parameters: {layers: 2, hidden: 64, heads: 4, seq: 8, vocab: 100}\n"
                                       "blocks:\n  odd:\n    inputs: {x: [batch, seq, hidden]}\n    nodes:\n"
                                       "      - {name: a, op: gelu, in: x}\n      - {name: b, op: forgetful, in: a}\n      - {name: c, op: careless, in: b}\n"
                                       "    output: c\n"
                                       "graph:\n  - {name: embedding, block: token_embedding}\n  - {name: odd, block: odd, repeat: layers}\n")
                                .string();
  const auto run = prepare(model, execution("{dp: 2}", "megatron", "batch_size: 2\nmicrobatch_size: 1\n"));
  const Audit result = audited(*run);
  const AuditCheck *flops = find(result, "flops_of_nodes"), *left_out = find(result, "nothing_left_out");
  CHECK(flops->failures == 2);
  CHECK(left_out->failures == 1);
  CHECK(left_out->element == "odd.c");
}

TEST_CASE("audit: published counts are checked wherever a model states one") {
  int stated = 0;
  for (const std::string& model : shipped().names("model")) {
    const Document* document = shipped().load(model, {"model"}, said());
    if (document == nullptr || document->root.find("published") == nullptr) continue;
    const auto run = prepare(model);
    const Audit result = audited(*run);
    CHECK_MESSAGE(find(result, "published_parameters")->state == State::passed, model);
    ++stated;
  }
  CHECK(stated >= 7);
}

TEST_CASE("audit: an axis that splits a weight twice is noticed and so is a share that does not divide") {
  const auto run = prepare("gpt2", execution("{dp: 2, tp: 4}", "megatron"), "");
  auto& notes = const_cast<Annotations&>(run->annotations());
  const auto failed = [&](const char* name) { return find(audited(*run), name)->failures; };
  CHECK(failed("weights_stored") == 0);
  WeightPlacement& first = notes.weights[WeightId(0)];
  const AxisList axes = notes.mesh.expand("tp");
  for (const DimId d : run->graph().weights[WeightId(0)].dims) first.stored.set(d, axes);
  CHECK(failed("weights_stored") == 1);
  CHECK(failed("weights_kept") == 0);
  CHECK(failed("activations_kept") == 0);
  notes.padded.clear();  // 50,257 words over 4 ranks
  CHECK(failed("weights_computed_with") == 1);
}

TEST_CASE("audit: checks are data") {
  const struct {
    const char* check;
    State state;
    const char* why;
  } kCases[] = {
      {"left: parameters_total, right: 124439808", State::passed, ""},
      {"left: parameters_total, right: 124439807", State::failed, ""},
      {"left: parameters_total, right: 124439807, within: 1", State::passed, ""},
      {"left: parameters_total, right: 124e6, tolerance: 0.01", State::passed, ""},
      {"left: parameters_total, right: 124e6, tolerance: 0.001", State::failed, ""},
      {"left: 1, right: 2, when: batch_size > 1", State::skipped, "it does not apply"},
      {"left: 1, right: 2, when: batch_size > 1, skipped: one is few", State::skipped, "one is few"},
      {"left: 1, right: 2, needs: [experts]", State::skipped, "the model has no `experts`"},
      {"left: hidden, right: 768, needs: [hidden]", State::passed, ""},
      {"left: iteration_time, right: 1 s", State::skipped, "it needs a system"},
      {"for: segment, left: segment.layers, right: 1", State::failed, ""},
      {"for: segment, where: not segment.repeated, left: segment.layers, right: 1", State::passed, ""},
      {"for: transfer, left: 1, right: 2", State::skipped, "there is no transfer that it speaks of"},
      {"left: own, right: 12, let: {own: 3 * 4}", State::passed, ""},
  };
  for (const auto& c : kCases) {
    const auto run = with_check(c.check);
    const Audit result = audited(*run);
    const AuditCheck* check = find(result, "mine");
    REQUIRE(check != nullptr);
    CHECK_MESSAGE(check->state == c.state, c.check);
    CHECK_MESSAGE(check->why == c.why, c.check);
  }
  const auto run = with_check("for: segment, left: segment.layers, right: 1");
  const Audit result = audited(*run);
  CHECK(find(result, "mine")->element == "decoder");
  CHECK(find(result, "mine")->failures == 1);
  CHECK(find(result, "mine")->elements == 3);
}

TEST_CASE("audit: expectations") {
  const struct {
    const char *metric, *text;
    bool holds;
  } kCases[] = {{"parameters_total", "124439808", true},    {"parameters_total", "124439809", false},
                {"parameters_total", "124439809+-1", true}, {"parameters_total", "124e6 \u00b1 1%", true},
                {"parameters_total", "124e6+-0.1%", false}, {"memory_capacity", "80 GiB", true},
                {"memory_capacity", "80GiB", true},         {"memory_capacity", "79GiB+-1GiB", true},
                {"memory_capacity", "79GiB+-1%", false},    {"hfu", "100%+-100%", true}};
  const auto run = prepare("gpt2", "gpt2-1xa100", "a100-80g-sxm");
  for (const auto& c : kCases) {
    const Audit result = audited(*run, {{c.metric, c.text}});
    CHECK_MESSAGE((result.checks.back().state == State::passed) == c.holds, c.metric, " ", c.text);
  }
  for (const char* text : {"", "x", "80", "80 GiB+-", "80 GiB+-1 s", "80 GiB+--1%", "1 s", "80 GiB%"}) {
    Diagnostics diagnostics;
    std::vector<AuditCheck> out;
    check_expectations(*run, {{"memory_capacity", text}}, out, diagnostics);
    CHECK_MESSAGE(diagnostics.errors() == 1, text);
  }
}

TEST_CASE("audit: what nothing reads, and what nobody gave") {
  TemporaryFolder folder;
  const std::string model = folder
                                .write("odd.yaml",
                                       "kind: model\nuses: [embeddings, decoder, heads]\n"
                                       "parameters: {layers: 2, hidden: 64, heads: 4, vocab: 100, positions: 8, seq: 8, spare: 3, more: spare + 1}\n"
                                       "graph:\n  - {name: embedding, block: token_position_embedding}\n"
                                       "  - {name: decoder, block: gpt_layer, repeat: layers}\n")
                                .string();
  const auto run = prepare(model, execution("{dp: 1}", "", "batch_size: 1\nmicrobatch_size: 1\nworkspace: 1\n"), "a100-80g-sxm");
  const Audit result = audited(*run);
  CHECK(keys(result.unread).rfind("model.spare model.more", 0) == 0);
  const std::string assumed = " " + keys(result.assumed) + " ";
  CHECK(assumed.find(" execution.optimizer ") != std::string::npos);
  CHECK(assumed.find(" execution.workspace ") == std::string::npos);
  CHECK(keys(result.stated) == "execution.workspace");  // Stated, and still an assumption.
  CHECK(assumed.find(" execution.microbatch_size ") == std::string::npos);
}

}  // namespace opledger
