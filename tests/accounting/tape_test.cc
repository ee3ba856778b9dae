#include <random>

#include "expr/kernel.h"
#include "tests/accounting/program.h"

/// Formulas evaluated on numbers and on symbols: a kernel of the recorded tape must give equal bits.
namespace opledger {
namespace {

using Candidate = std::vector<double>;

std::string input_name(std::size_t i) { return std::string(1, static_cast<char>('a' + i)); }

Fields fields(const Candidate& c) {
  Fields out;
  for (std::size_t i = 0; i < c.size(); ++i) out.emplace_back(input_name(i), exact(c[i]));
  return out;
}

/// Returns `x`, recorded with the candidate as the sample and run for another candidate. Empty if the guards fail.
class RecordedSearch {
 public:
  RecordedSearch(const std::string& text, const Candidate& sample) : ledger_({text}, fields(sample)) {
    Evaluator evaluator(*ledger_.program, Evaluator::Mode::numbers, &tape_);
    for (std::size_t i = 0; i < sample.size(); ++i) evaluator.make_symbolic(ledger_.name(input_name(i)));
    const Answer answer = evaluator.ask(ledger_.name("x"));
    REQUIRE_MESSAGE(answer.report(ledger_.diagnostics), render(ledger_.diagnostics));
    outputs_.push_back(answer.value.scalar);
    for (const Tape::Guard& guard : tape_.guards()) outputs_.push_back(guard.condition);
  }

  std::optional<double> run(const Candidate& c) const {
    std::vector<const double*> inputs;
    for (const std::string& name : tape_.inputs()) inputs.push_back(&c[static_cast<std::size_t>(name[0] - 'a')]);
    std::vector<double> results(outputs_.size());
    std::vector<double*> places;
    for (double& r : results) places.push_back(&r);
    Kernel(tape_, outputs_).run(inputs, places, 1);
    for (std::size_t g = 0; g < tape_.guards().size(); ++g) {
      if (results[g + 1] != tape_.guards()[g].value) return std::nullopt;
    }
    return results[0];
  }
  std::size_t guards() const { return tape_.guards().size(); }

 private:
  Ledger ledger_;
  Tape tape_;
  std::vector<Scalar> outputs_;
};

std::optional<double> direct(const std::string& text, const Candidate& c) {
  Ledger ledger({text}, fields(c));
  const Answer answer = ledger.evaluator->ask(ledger.name("x"));
  return answer.known() ? std::optional(answer.value.scalar.value) : std::nullopt;
}

/// Returns the number of random candidates that pass the sample's guards; their values must agree.
int compare(const std::string& text, std::size_t inputs, std::mt19937_64& random, int candidates) {
  const auto any = [&] {
    Candidate c;
    for (std::size_t i = 0; i < inputs; ++i) c.push_back(static_cast<double>(1 + random() % 24));
    return c;
  };
  Candidate sample = any();
  for (int i = 0; i < 20 && !direct(text, sample); ++i) sample = any();
  if (!direct(text, sample)) return 0;  // every candidate divides by zero
  const RecordedSearch recorded(text, sample);
  int compared = 0;
  for (int i = 0; i < candidates; ++i) {
    const Candidate c = any();
    const std::optional<double> expected = direct(text, c), found = recorded.run(c);
    if (!expected || !found) continue;
    CHECK_MESSAGE(*found == *expected, text);
    ++compared;
  }
  return compared;
}

const std::string kInputs = "inputs: {a: integer, b: integer, c: integer, d: integer}\n";

/// A formula over a, b, c, d and small numbers.
std::string random_number_formula(std::mt19937_64& random, int depth);

std::string random_condition(std::mt19937_64& random, int depth) {
  const auto number = [&] { return random_number_formula(random, depth - 1); };
  if (depth > 1 && random() % 4 == 0)
    return "(" + random_condition(random, depth - 1) + (random() % 2 ? " and " : " or ") + random_condition(random, depth - 1) + ")";
  if (random() % 6 == 0) return "(not " + random_condition(random, depth - 1) + ")";
  const char* signs[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
  return "(" + number() + signs[random() % 6] + number() + ")";
}

std::string random_number_formula(std::mt19937_64& random, int depth) {
  if (depth <= 0) return random() % 3 == 0 ? std::to_string(random() % 5) : input_name(random() % 4);
  const auto part = [&] { return random_number_formula(random, depth - 1); };
  const char* signs[] = {" + ", " - ", " * ", " / ", " // ", " % "};
  const char* functions[] = {"min", "max", "ceil_div", "gcd"};
  const char* unary[] = {"floor", "ceil", "abs"};
  switch (random() % 6) {
    case 0:
      return "(if " + random_condition(random, depth) + " then " + part() + " else " + part() + ")";
    case 1: {
      const std::size_t f = random() % 4;
      const auto whole = [&] { return f == 3 ? "abs(floor(" + part() + "))" : part(); };  // gcd is one of whole numbers
      const std::string first = whole();
      return std::string(functions[f]) + "(" + first + ", " + whole() + ")";
    }
    case 2:
      return std::string(unary[random() % 3]) + "(" + part() + ")";
    default:
      return "(" + part() + signs[random() % 6] + part() + ")";
  }
}

}  // namespace

TEST_CASE("tape: random formulas give the same bits") {
  std::mt19937_64 random(7);
  int compared = 0;
  for (int i = 0; i < 150; ++i) compared += compare(kInputs + "let:\n  x: " + random_number_formula(random, 4) + "\n", 4, random, 12);
  CHECK(compared > 500);
}

TEST_CASE("tape: a closed accounting gives the same bits") {
  const std::string text = kInputs + R"(sets: {part: [first, middle, last], way: [near, far]}
functions:
  hop(n): if n > 3 then far.cost * n else near.cost * (n + 0.5)
let:
  cost: {near: 1.25, far: 7 / 3}
  ways: {first: a, middle: b * c, last: c + d}
  portion: ways / sum(ways over part)
  each: ceil_div(b * c, a) * hop(portion * d)
  large: ways > 12
  deepest: max(running(ways over part where ways % 2 == 0) over part)
  x: sum(each / (1 + portion) over part) + mean(ways over part) + (if any(large over part) then deepest else -1) + count(over part where large)
)";
  std::mt19937_64 random(3);
  int compared = 0;
  for (int i = 0; i < 20; ++i) compared += compare(text, 4, random, 40);
  CHECK(compared > 20);
}

TEST_CASE("tape: a condition between numbers is a choice, one between words a guard") {
  const std::string words = kInputs + "sets: {way: [near, far]}\nlet:\n  w: if a > b then near else far\n  ";
  CHECK(RecordedSearch(kInputs + "let: {x: if a > b then c else d}\n", {1, 2, 3, 4}).guards() == 0);
  const RecordedSearch guarded(words + "x: if w == near then c else d\n", {1, 2, 3, 4});
  CHECK(guarded.guards() == 1);
  CHECK(guarded.run({1, 5, 6, 8}) == 8);
  CHECK(guarded.run({5, 1, 6, 8}) == std::nullopt);
}

TEST_CASE("tape: what the sample does not need may fail") {
  const RecordedSearch branch(kInputs + "let: {x: if a > 1 then b / (d - 4) else b}\n", {1, 2, 3, 4});
  CHECK(branch.run({1, 5, 6, 4}) == 5);
  const std::string zero = "let: {zero: 0, x: ";
  CHECK(RecordedSearch(kInputs + zero + "if a > 1 then b / zero else b}\n", {1, 2, 3, 4}).run({1, 5, 6, 4}) == 5);
  CHECK(RecordedSearch(kInputs + zero + "if a > 1 then b / zero else b}\n", {1, 2, 3, 4}).run({2, 5, 6, 4}) == std::nullopt);
  CHECK(RecordedSearch(kInputs + zero + "if a == 1 or b / zero > 2 then c else d}\n", {1, 2, 3, 4}).run({1, 5, 6, 4}) == 6);
  CHECK(
      RecordedSearch(kInputs + "sets: {part: [one, two]}\nlet: {zero: 0, x: 'sum(if part == one then a else b / zero over part where part == one or a > 1)'}\n",
                     {1, 2, 3, 4})
          .run({0, 5, 6, 4}) == 0);
}

TEST_CASE("tape: a definition that does not occur is 0, or false") {
  const std::string text =
      kInputs + "let:\n  n: {when: a > b, is: c}\n  t: {when: a > b, is: c > d}\n  x: n + (if t then 100 else 0) + (if not t then 1000 else 0)\n";
  const RecordedSearch recorded(text, {1, 2, 3, 4});
  for (const Candidate& c : std::vector<Candidate>{{1, 2, 3, 4}, {2, 1, 3, 4}, {2, 1, 5, 4}}) CHECK(recorded.run(c) == direct(text, c));
  CHECK(recorded.guards() == 0);
}

TEST_CASE("tape: aggregates over what may or may not count are structure only where there must be something") {
  const std::string part = kInputs + "sets: {part: [first, last]}\nlet:\n  n: {first: a, last: b}\n  ";
  CHECK(RecordedSearch(part + "x: sum(n over part where n > c)\n", {1, 2, 3, 4}).guards() == 0);
  CHECK(RecordedSearch(part + "x: max(n over part where n > c)\n", {1, 2, 3, 4}).guards() == 0);
  CHECK(RecordedSearch(part + "x: min(n over part where n > c)\n", {1, 2, 0, 4}).guards() == 1);
  CHECK(RecordedSearch(part + "x: mean(n over part where n > c)\n", {1, 2, 0, 4}).guards() == 1);
  CHECK(RecordedSearch(part + "x: last.(running(n over part where n > c))\n", {1, 2, 3, 4}).guards() == 2);
  std::mt19937_64 random(11);
  for (const char* aggregate : {"sum", "max", "min", "mean", "product", "count"}) {
    CAPTURE(aggregate);
    const std::string what = std::string(aggregate) == "count" ? "" : "n - d ";
    CHECK(compare(part + "x: " + aggregate + "(" + what + "over part where n > c)\n", 4, random, 200) > 50);
  }
}

TEST_CASE("tape: what depends on no symbol is computed at once") {
  Ledger ledger({kInputs + "let: {x: a * b + c}\n"}, {{"a", "2"}, {"b", "3"}, {"c", "4"}});
  Tape tape;
  Evaluator evaluator(*ledger.program, Evaluator::Mode::numbers, &tape);
  evaluator.make_symbolic(ledger.name("c"));
  const Value v = evaluator.ask(ledger.name("x")).value;
  CHECK(v.scalar.value == 10);
  CHECK(tape.inputs() == std::vector<std::string>{"c"});
  CHECK(tape.instructions().size() == 2);  // the input and one addition
}

TEST_CASE("tape: curves and positions of a list") {
  const std::string text = R"(sets: {network: machine.networks}
documents: {machine: {networks: {list: {speed: number, size: integer}}, gain: {steps: count}}}
inputs: {a: integer, b: integer}
let:
  tier: min(network over network where machine.networks[network].size >= a)
  x: machine.networks[tier].speed * machine.gain(a * b)
)";
  const std::string machine = "networks: [{speed: 3, size: 8}, {speed: 0.7, size: 100}]\ngain: [[100, 0.9], [10, 0.5], [0, 0.1]]\n";
  const auto value = [&](Ledger& ledger) { return ledger.evaluator->ask(ledger.name("x")).value.scalar.value; };
  Ledger sample({text}, {{"a", "4"}, {"b", "3"}}, {}, {{"machine", machine}});
  REQUIRE_MESSAGE(sample.program, render(sample.diagnostics));
  Tape tape;
  Evaluator evaluator(*sample.program, Evaluator::Mode::numbers, &tape);
  for (const char* name : {"a", "b"}) evaluator.make_symbolic(sample.name(name));
  const Answer answer = evaluator.ask(sample.name("x"));
  REQUIRE_MESSAGE(answer.report(sample.diagnostics), render(sample.diagnostics));
  const Scalar x = answer.value.scalar;
  const Kernel kernel(tape, std::vector<Scalar>{x});
  for (double b = 1; b < 60; b += 7) {
    const double a = 4;
    std::vector<const double*> inputs;
    for (const std::string& name : tape.inputs()) inputs.push_back(name == "a" ? &a : &b);
    double found = 0;
    std::vector<double*> places{&found};
    kernel.run(inputs, places, 1);
    Ledger direct({text}, {{"a", "4"}, {"b", exact(b)}}, {}, {{"machine", machine}});
    CHECK(found == value(direct));
  }
}

TEST_CASE("tape: a condition between records leaves open which of them is meant, until a word differs") {
  const std::string text =
      R"(documents: {machine: {slow: {speed: number, basis: text, name: text}, fast: {speed: number, basis: text, name: text}, best: {speed: number, basis: text, name: text}}}
inputs: {a: number}
let:
  way: if a < 3 then machine.slow else if a < 6 then machine.fast else machine.best
  told: if way.basis == way.basis then 1 else 2
  x: way.speed * a + told
  y: if way.name == machine.slow.name then a else x
)";
  const std::string machine = R"(slow: {speed: 0.1, basis: measured, name: slow}
fast: {speed: 0.7, basis: measured, name: fast}
best: {speed: 3, basis: measured, name: best}
)";
  Ledger sample({text}, {{"a", "4"}}, {}, {{"machine", machine}});
  REQUIRE_MESSAGE(sample.program, render(sample.diagnostics));
  Tape tape;
  Evaluator evaluator(*sample.program, Evaluator::Mode::numbers, &tape);
  evaluator.make_symbolic(sample.name("a"));
  const Answer answer = evaluator.ask(sample.name("x"));
  REQUIRE_MESSAGE(answer.report(sample.diagnostics), render(sample.diagnostics));
  CHECK(tape.guards().empty());
  const Kernel kernel(tape, std::vector<Scalar>{answer.value.scalar});
  for (const double a : {1.0, 2.5, 3.0, 5.0, 6.0, 9.0}) {
    Ledger direct({text}, {{"a", exact(a)}}, {}, {{"machine", machine}});
    CHECK(kernel.run({a})[0] == direct.evaluator->ask(direct.name("x")).value.scalar.value);
  }
  REQUIRE(evaluator.ask(sample.name("y")).known());
  CHECK(tape.guards().size() == 1);
}

}  // namespace opledger
