#include <doctest/doctest.h>

#include "search/search.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

/// Accountings of users where a search could confuse candidates: running sums, failing operands, fields of documents, choices in a
/// graph.
namespace opledger {
namespace {

const std::string kOwnSpace = R"(kind: search
name: space
doc: A space.
accounting: own.yaml
mesh: {pp: 1, dp: 1, tp: 1}
rules: [megatron, {zero_1: zero == 1}]
inputs:
  processors: {type: integer, min: 1, doc: how many there are}
  zero: {type: integer, min: 0, max: 2, default: 0, doc: stage of ZeRO}
maximize: tokens_per_second
axes:
)";

struct OwnCase {
  std::string accounting, space;  ///< Texts of both documents.
  std::string model = "gpt2", system = "h100-80g-sxm";
};

SearchAnswer search(const OwnCase& c, const std::vector<std::string>& metrics = {}, std::vector<std::pair<std::string, std::string>> set = {}) {
  const TemporaryFolder folder;
  folder.write("own.yaml", c.accounting);
  Library library({source_folder()});
  SearchRequest request;
  request.run.space = folder.write("space.yaml", c.space).string();
  request.run.model = c.model.find('\n') == std::string::npos ? c.model : folder.write("m.yaml", c.model).string();
  request.run.system = c.system;
  request.run.overrides = std::move(set);
  request.metrics = metrics;
  request.sweep.top = 10;
  Diagnostics diagnostics;
  std::optional<SearchAnswer> answer = opledger::search(request, library, diagnostics);
  REQUIRE_MESSAGE(answer, render(diagnostics));
  return std::move(*answer);
}

const std::vector<std::pair<std::string, std::string>> kEight = {{"processors", "8"}, {"batch_size", "8"}};

double number(const SearchAnswer::Candidate& candidate, std::size_t metric) { return candidate.metrics[metric].scalar.value; }

const std::string kOneMesh = "  - tp: 1\n  - pp: 1\n  - dp: 8\n  - microbatch_size: 1\n";
const std::string kWideMesh = "  - tp: 8\n  - pp: 1\n  - dp: 1\n  - microbatch_size: 1\n";

}  // namespace

TEST_CASE("a running sum that a constraint asks for first is each candidate's own, and each argument's") {
  const std::string accounting = R"(kind: accounting
name: own
extends: standard
functions:
  total(x): sum(running(x * weight.optimizer over weight) over weight)
metrics:
  once: {unit: count, doc: a sum, is: total(1)}
  twice: {unit: count, doc: that of another argument, is: total(2)}
constraints:
  - {require: "total(1) >= 0", message: "none"}
  - {require: "twice <= 1e8", message: "twice is {twice}", reason: twice}
)";
  for (const char* order : {"  - zero: 0, 1\n", "  - zero: 1, 0\n"}) {
    const SearchAnswer answer = search({accounting, kOwnSpace + order + kOneMesh}, {"once", "twice"}, kEight);
    CHECK(answer.result.candidates == 2);
    REQUIRE(answer.best.size() == 1);
    CHECK(answer.best[0].execution[0].scalar.value == 1);
    CHECK(number(answer.best[0], 2) == 2 * number(answer.best[0], 1));
  }
}

TEST_CASE("a side that fails for the first candidate refuses no other") {
  const std::string space = "kind: search\nname: space\ndoc: A space.\naccounting: own.yaml\nmaximize: score\naxes:\n";
  for (const std::string condition : {"(if a > 2 then 5 else l[7]) > 2", "a > 2 or l[7] > 0", "not (a <= 2 and l[7] > 0)"}) {
    CAPTURE(condition);
    const std::string accounting = R"(kind: accounting
name: own
inputs:
  a: {type: integer, min: 1, default: 1, doc: a number}
  l: {type: {list: {type: integer}}, default: [3, 1], doc: two numbers}
metrics:
  score: {unit: count, doc: the number, is: a}
constraints:
  - {require: ")" + condition + "\", message: too small}\n";
    for (const char* order : {"  - a: 1, 2, 3, 4\n", "  - a: 4, 3, 2, 1\n"}) {
      const SearchAnswer answer = search({accounting, space + order, "", ""});
      CHECK(answer.result.feasible == 2);
    }
  }
}

TEST_CASE("the default of an input is checked against its bounds for each candidate") {
  const std::string space = "kind: search\nname: space\ndoc: A space.\naccounting: own.yaml\nmaximize: score\naxes:\n";
  const std::string accounting = R"(kind: accounting
name: own
inputs:
  a: {type: integer, min: 1, default: 1, doc: a number}
  half: {type: integer, min: 2, max: 4, default: a / 2, doc: half of it}
metrics:
  score: {unit: count, doc: the number, is: a}
constraints:
  - {require: half > 0, message: "none"}
)";
  for (const char* order : {"  - a: 4, 6, 2, 10, 7, 8, 12\n", "  - a: 7, 12, 10, 8, 6, 4, 2\n"}) {
    CAPTURE(order);
    const SearchAnswer answer = search({accounting, space + order, "", ""});
    CHECK(answer.result.feasible == 3);
    CHECK((answer.result.infeasible == std::map<std::string, std::uint64_t>{{"`half` must be at least 2, not 1", 1},
                                                                            {"`half` must be at most 4, not 5", 1},
                                                                            {"`half` must be at most 4, not 6", 1},
                                                                            {"`half` must be a whole number, not 3.5", 1}}));
  }
}

TEST_CASE("a refusal without a reason is counted by its message with the values of each candidate") {
  const std::string accounting = "kind: accounting\nname: own\nextends: standard\n";
  for (const char* order : {"  - tp: 1, 2, 4, 8\n", "  - tp: 8, 4, 1, 2\n"}) {
    CAPTURE(order);
    const std::string rest = "  - pp: 1\n  - dp: 8 / tp\n  - microbatch_size: 1\n  - zero: 0, 1\n  - sequence_parallel: true\n";
    const SearchAnswer answer = search({accounting, kOwnSpace + order + rest, "vit-l-16"}, {}, kEight);
    std::map<std::string, std::uint64_t> expected;
    for (const char* tp : {"2", "4", "8"}) expected[std::string("embedding.positions: seq = 197 does not divide by tp = ") + tp + " (megatron.shard[11])"] = 2;
    CHECK((answer.result.infeasible == expected));
  }
}

TEST_CASE("runs that differ in a field of a document, or in what a node says itself, are not the same") {
  const std::string metrics = "metrics:\n  flagged: {unit: count, doc: a flag, is: \"if system.networks[0].in_network_reduction then 1 else 2\"}\n";
  const std::string standard = "kind: accounting\nname: own\nextends: standard\n";
  const std::string flags = kOwnSpace + kWideMesh + "  - system.networks[0].in_network_reduction: true, false\n" + metrics;
  const SearchAnswer field = search({standard, flags, "llama-3-8b"}, {"flagged"}, kEight);
  REQUIRE(field.best.size() == 2);
  CHECK(number(field.best[0], 1) + number(field.best[1], 1) == 3);

  const std::string model = R"(kind: model
name: m
doc: A model.
source: none.
uses: [embeddings, decoder, heads]
parameters: {layers: 4, hidden: 768, heads: 12, vocab: 50257, positions: 1024, seq: 1024, ffn: 3072, t: true}
blocks:
  own:
    doc: A block.
    source: none.
    inputs: {x: [batch, seq, hidden]}
    nodes:
      - {name: norm, op: layernorm, in: x, over: hidden, component: norm}
      - {name: up, op: linear, in: norm, out: [batch, seq, ffn]}
      - when: t
        nodes: [{name: act, op: gelu, in: up, flops: {let: {c: 100000}, unit: flop, is: c * 1 Gflop}}]
        else: [{name: act, op: gelu, in: up, flops: {let: {c: 300000}, unit: flop, is: c * 1 Gflop}}]
      - {name: down, op: linear, in: act, out: [batch, seq, hidden]}
      - {name: res, op: add, in: [x, down], component: mlp}
graph:
  - {name: embedding, block: token_position_embedding}
  - {name: decoder, block: own, repeat: layers}
  - {name: head, block: layernorm_head, weights: {logits.w: embedding.tokens.table}}
)";
  const SearchAnswer said = search({standard, kOwnSpace + kOneMesh + "  - t: true, false\n", model}, {"hardware_flops"}, kEight);
  REQUIRE(said.best.size() == 2);
  CHECK(number(said.best[0], 1) != number(said.best[1], 1));
}

TEST_CASE("recomputation that finds nothing to recompute is one run under two names") {
  const std::string standard = "kind: accounting\nname: own\nextends: standard\n";
  const std::string rules = R"(kind: search
name: space
doc: A space.
accounting: own.yaml
mesh: {pp: 1, dp: 1, tp: 1}
rules: [megatron, {recompute_selective: recompute == selective}]
inputs:
  processors: {type: integer, min: 1, doc: how many there are}
  recompute: {type: [none, selective], default: none, doc: what is computed again}
maximize: tokens_per_second
axes:
  - recompute: none, selective
)" + kWideMesh;
  const SearchAnswer flash = search({standard, rules, "llama-3-8b"}, {}, kEight);
  CHECK(flash.result.feasible == 2);
  REQUIRE(flash.best.size() == 1);
  CHECK(flash.best[0].multiplicity == 2);
}

TEST_CASE("the name of a stage is a text like others, whichever layout is looked up") {
  const std::string accounting = R"yaml(kind: accounting
name: own
extends: standard
metrics:
  firsts: {unit: count, doc: stages of this name, is: "sum((if stage.name == '0' then stage.count else 0) over stage)"}
)yaml";
  const std::string axes = "  - zero: 0, 1\n  - tp: 1\n  - pp: 2, 4\n  - dp: 8 // pp\n  - microbatch_size: 1\n";
  const SearchAnswer answer = search({accounting, kOwnSpace + axes}, {"firsts"}, kEight);
  REQUIRE(answer.best.size() == 4);
  for (const SearchAnswer::Candidate& candidate : answer.best) CHECK(number(candidate, 1) == 1);
}

TEST_CASE("the simplest candidate is the one with the fewest axes among those almost as good as the best") {
  // The score prefers depth: 1 point for each of tp = 1, 2, 4, 8, and a gain below or above the allowed loss.
  const std::string accounting = R"(kind: accounting
name: own
extends: standard
inputs:
  gain: {type: number, default: 0.005, doc: gain of each doubling}
metrics:
  score: {unit: count, doc: A score that grows with tp., is: 100 * (1 + gain * log2(tp))}
  width: {unit: count, doc: Ranks of tp., is: tp}
)";
  const std::string space = R"X(kind: search
name: space
doc: A space.
accounting: own.yaml
mesh: {pp: 1, dp: 1, tp: 1}
rules: [megatron]
inputs:
  widest: {type: integer, min: 1, default: "parameter(layers, 1) // 3", doc: ranks of tp at most}
  deep: {type: boolean, default: false, doc: "true: stages too"}
  narrow: {type: integer, min: 1, default: "parameter(no_such_parameter, 7)",
                    doc : not read by an axis
}
maximize: score
simplest: {minimize: width, within: 0.011}
axes:
  - tp: 1, 2, 4, 8 where it <= widest
  - pp: 1, 2 where deep or it == 1
  - dp: 1
  - microbatch_size: 1
)X";
  const auto simple = search({accounting, space}, {}, {{"batch_size", "8"}});
  // gpt2 has 12 layers: tp up to 4. The best is tp 4 with 101; 1.1 % of 101 allows 99.9 and more, hence tp 1.
  REQUIRE(simple.simplest);
  CHECK(simple.result.feasible == 3);
  CHECK(number(simple.best[0], 0) == doctest::Approx(101));
  CHECK(number(*simple.simplest, 0) == doctest::Approx(100));
  REQUIRE(simple.held_axes.size() == 1);
  CHECK(simple.held_axes[0].axis == "pp");
  CHECK(simple.held_axes[0].value.scalar.value == 1);
  CHECK(simple.held_axes[0].inputs == std::vector<std::string>{"deep"});
  // With a gain of 1 % a doubling, tp 1 loses 2 %, and tp 2 1 %.
  const auto steeper = search({accounting, space}, {}, {{"batch_size", "8"}, {"gain", "0.01"}});
  REQUIRE(steeper.simplest);
  CHECK(number(*steeper.simplest, 0) == doctest::Approx(101));
  // With deep stages, no axis is held.
  CHECK(search({accounting, space}, {}, {{"batch_size", "8"}, {"deep", "true"}}).held_axes.empty());
}

TEST_CASE("`parameter` is an error outside of models, and names what to do") {
  const TemporaryFolder folder;
  const std::string own =
      folder.write("own.yaml", "kind: accounting\nname: own\nextends: standard\nmetrics:\n  x: {unit: count, doc: X., is: \"parameter(layers, 1)\"}\n")
          .string();
  Library library({source_folder()});
  SearchRequest request;
  request.run.space = folder.write("space.yaml", kOwnSpace + kOneMesh).string();
  request.run.model = "gpt2";
  request.run.system = "h100-80g-sxm";
  request.run.overrides = kEight;
  Diagnostics diagnostics;
  CHECK_FALSE(opledger::search(request, library, diagnostics));
  CHECK(render(diagnostics).find("`parameter` reads a model") != std::string::npos);
}

}  // namespace opledger
