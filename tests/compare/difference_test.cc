#include "compare/difference.h"

#include <algorithm>
#include <tuple>

#include "tests/support/runs.h"

/// Two accountings of one run, compared down to operators. Entries of pairs add up to the totals of both runs.
namespace opledger {
namespace {

struct Pair {
  Diagnostics diagnostics;
  std::unique_ptr<Run> standard, calculon;

  Pair() {
    RunRequest request;
    request.model = "calculon/gpt3-175B";
    request.execution = "gpt3-175b-64xa100";
    request.system = "calculon/a100_80g";
    request.accounting = "standard";
    standard = Run::prepare(request, shipped(), diagnostics);
    request.accounting = "calculon";
    calculon = Run::prepare(request, shipped(), diagnostics);
    REQUIRE_MESSAGE((standard && calculon), render(diagnostics));
  }
};

/// Returns the sum over all elements of a set and all words of another set.
double total(Run& run, const char* quantity, const char* set, const char* words) {
  Evaluator& evaluator = run.evaluator();
  const Name* const name = run.program().find(quantity);
  const SetId by = words == nullptr ? SetId() : run.program().find_set(words);
  REQUIRE(name != nullptr);
  double sum = 0;
  for (std::size_t w = 0; w < (!by ? 1 : run.program().set(by).words.size()); ++w) {
    const Point point = !by ? nowhere() : evaluator.choose(nowhere(), by, static_cast<WordId>(w));
    const SetId elements = run.program().find_set(set);
    for (const WordId element : evaluator.visit(elements, point)) {
      const Answer answer = evaluator.ask(*name, evaluator.choose(point, elements, element));
      CHECK(answer.known());
      sum += answer.value.scalar.value;
    }
  }
  return sum;
}

double number(const Value& v) { return v.is_number() ? v.scalar.value : 0; }

double reported(const Differences& all, const std::string& quantity) {
  double sum = 0;
  for (const ComparedQuantity& d : all.entries) {
    if (d.name.ends_with(" " + quantity)) sum += number(d.value(1)) - number(d.value(0));
  }
  return sum;
}

}  // namespace

TEST_CASE("values of different kinds differ, and a missing value equals only the number 0") {
  Value zero, one, word, nothing;
  zero.kind = one.kind = Value::Kind::number;
  zero.scalar = integer(0), one.scalar = integer(1);
  const std::string text = "none";
  word.kind = Value::Kind::word;
  word.text = &text;
  const auto differ = [](const Value& a, const Value& b) { return ComparedQuantity{"x", {{a}, {b}}}.differs(); };
  for (const auto& [a, b, expected] : {std::tuple{zero, word, true}, {one, word, true}, {zero, nothing, false}, {one, nothing, true}, {word, nothing, true}}) {
    CHECK(differ(a, b) == expected);
    CHECK(differ(b, a) == expected);
  }
}

TEST_CASE("every operator, message, activation and weight of two accountings is paired with its counterpart") {
  Pair runs;
  const Differences all = differences(*runs.standard, *runs.calculon);
  const Comparison& comparison = runs.calculon->program().compares.at("standard");
  for (const Counterpart& c : comparison.metrics) CHECK_MESSAGE(runs.standard->program().find_published(c.other) != nullptr, c.other);
  for (const ElementComparison& e : comparison.elements) {
    for (const Counterpart& c : e.quantities) CHECK_MESSAGE(runs.standard->program().find(c.other) != nullptr, c.other);
  }
  for (const ComparedQuantity& d : all.entries) {
    CAPTURE(d.name);
    CHECK(d.name.find('.') == std::string::npos);  // Name of an element without a pair.
    CHECK(!d.values[1].why.empty());
  }
}

TEST_CASE("what two accountings' operators and weights differ by adds up to what their graphs differ by") {
  Pair runs;
  const Differences all = differences(*runs.standard, *runs.calculon);
  const double flops = total(*runs.calculon, "flops", "node", "phase");  // The optimizer's FLOPs are included, as part of the weights.
  const double work = total(*runs.standard, "work", "node", "phase") + total(*runs.standard, "step_flops", "weight", nullptr);
  CHECK(reported(all, "work") + reported(all, "step_flops") == doctest::Approx(flops - work).epsilon(1e-12));
  CHECK(reported(all, "stored_bytes") ==
        doctest::Approx(total(*runs.calculon, "weight_bytes", "node", nullptr) - total(*runs.standard, "stored_bytes", "weight", nullptr)));
  CHECK(reported(all, "kept_bytes") ==
        doctest::Approx(number(*runs.calculon->value("block_act_storage_space", runs.diagnostics)) - total(*runs.standard, "kept_bytes", "saved", nullptr)));
  const double layer = 231937671168;  // Three products with biases: 3 (2 b s h² / t + b s h / t), b = 1, s = 2048, h = 12288, t = 8
  const auto found =
      std::find_if(all.entries.begin(), all.entries.end(), [](const ComparedQuantity& d) { return d.name == "queries_keys_values forward work"; });
  REQUIRE(found != all.entries.end());
  CHECK(number(found->value(0)) == layer);
  CHECK(number(found->value(1)) == layer - 3.0 * 2048 * 12288 / 8);
}

TEST_CASE("the order of two accountings only swaps the sides") {
  Pair runs;
  const Differences there = differences(*runs.standard, *runs.calculon), back = differences(*runs.calculon, *runs.standard);
  REQUIRE(there.entries.size() == back.entries.size());
  for (std::size_t i = 0; i < there.entries.size(); ++i) {
    CHECK(there.entries[i].name == back.entries[i].name);
    CHECK(number(there.entries[i].value(0)) == number(back.entries[i].value(1)));
    CHECK(number(there.entries[i].value(1)) == number(back.entries[i].value(0)));
  }
}

}  // namespace opledger
