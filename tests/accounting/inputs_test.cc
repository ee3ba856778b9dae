#include "tests/accounting/program.h"

namespace opledger {
namespace {

std::string ask(const std::string& inputs, const Fields& execution, const Fields& overrides = {}, const std::string& formula = "n") {
  return Ledger({"inputs:\n  n: " + inputs + "\nlet: {x: " + formula + "}\n"}, execution, overrides).worth("x");
}

const std::string kMachine = R"(sets: {network: machine.networks, unit: [fast, slow]}
documents:
  machine:
    memory: {capacity: GiB, gain: {steps: MB}}
    networks: {list: {name: text, size: {type: integer, min: 1}}}
    peak: {per: unit, of: Tflop/s}
    combine: [both, one]
    price: {type: USD/hour, default: 0}
let:
  x: )";
const std::string kGood = R"(memory: {capacity: 2 GiB, gain: [[10 MB, 0.9], [0 byte, 0.5]]}
networks: [{name: near, size: 8}, {name: far, size: 64}]
peak: {fast: 3 Tflop/s, slow: 1}
combine: one
)";

std::string machine(const std::string& formula, const std::string& text = kGood) {
  return Ledger({kMachine + formula + "\n"}, {}, {}, {{"machine", text}}).worth("x");
}

}  // namespace

TEST_CASE("inputs: the command line wins over the execution, the execution over the default") {
  const std::string type = "{type: integer, default: 1}";
  CHECK(ask(type, {}) == "1");
  CHECK(ask(type, {{"n", "2"}}) == "2");
  CHECK(ask(type, {{"n", "2"}}, {{"n", "3"}}) == "3");
  CHECK(ask(type, {{"n", "2"}}, {{"n", "3"}, {"n", "4"}}) == "4");
}

TEST_CASE("inputs: what a value may be") {
  struct Line {
    const char* type;
    const char* value;
    const char* expected;
  };
  const Line lines[] = {
      {"integer", "12", "12"},
      {"integer", "1.5", "1:1: `n`: expected a whole number, found a number\n"},
      {"integer", "true", "1:1: `n`: expected a number, found true or false\n"},
      {"integer", "[1]", "1:1: `n`: expected a number, found a list\n"},
      {"integer", "3 GiB", "1:1: `n`: expected a number in 1, found byte\n"},
      {"number", "0.5", "0.5"},
      {"number", "1e999", "1:1: `1e999` is beyond the range of numbers\n"},
      {"GiB", "2", "2147483648 byte"},
      {"GiB", "3 byte", "3 byte"},
      {"GiB", "3 s", "1:1: `n`: expected a number in byte, found s\n"},
      {"boolean", "true", "true"},
      {"boolean", "1", "1:1: `n`: expected true or false, found a number\n"},
      {"text", "hello", "`hello`"},
      {"[near, far]", "far", "`far`"},
      {"[near, far]", "fare", "1:1: `n`: `fare` is none of near, far (did you mean `far`?)\n"},
      {"{type: integer, min: 1}", "0", "1:1: `n` must be at least 1\n"},
      {"{type: number, max: 1}", "1.5", "1:1: `n` must be at most 1\n"},
      {"{type: integer, min: 1}", "3 * 4", "12"},
      {"{type: integer, min: 1}", "3 - 4", "1:1: `n` must be at least 1, not -1\n"},
      {"integer", "7 / 2", "1:1: `n` must be a whole number, not 3.5\n"},
      {"integer", "2 s * 2", "1:1: `n` must be a whole number, not a number in s\n"},
      {"GiB", "1 + 1", "2147483648 byte"},
      {"boolean", "1 < 2", "true"},
      {"boolean", "1 + 2", "1:1: `n` must be true or false, not a plain number\n"},
  };
  for (const Line& line : lines) CHECK_MESSAGE(ask(line.type, {{"n", line.value}}) == line.expected, line.type, " ", line.value);
}

TEST_CASE("inputs: a missing input is reported when a formula needs it") {
  CHECK(ask("integer", {}) == "`n` has no value: give it in the execution, or with --set n=…\n");
  CHECK(ask("integer", {}, {}, "if true then 1 else n") == "1");
}

TEST_CASE("inputs: fields that nothing knows") {
  CHECK(ask("integer", {{"m", "2"}, {"n", "2"}}) == "1:1: unknown field `m`; known fields: `n`\n");
  CHECK(ask("integer", {{"n", "2"}}, {{"o", "2"}}) == "1:1: unknown field `o`; known fields: `n`\n");
}

TEST_CASE("inputs: a field that is nearly one") {
  CHECK(Ledger({"inputs: {layers: integer}\nlet: {x: 1}\n"}, {{"layer", "2"}}).worth("x") == "1:1: unknown field `layer` (did you mean `layers`?)\n");
}

TEST_CASE("inputs: the words of one are a set at whose word the run stands") {
  const std::string text =
      "inputs: {mode: {type: [small, large], default: small}}\nlet: {size: {small: 1, large: 100}, x: size, y: large.size + sum(size over mode)}\n";
  CHECK(Ledger({text}).worth("x") == "1");
  CHECK(Ledger({text}, {{"mode", "large"}}).worth("x") == "100");
  CHECK(Ledger({text}).worth("y") == "201");
}

TEST_CASE("inputs: types that make no sense") {
  CHECK(worth("inputs: {n: integr}\nlet: {x: 1}\n") == "1:13: unknown type `integr` (did you mean `integer`?)\n");
  CHECK(worth("inputs: {n: {type: integer, minimum: 1}}\nlet: {x: 1}\n") ==
        "1:29: unknown key `minimum`; known keys: `min`, `max`, `mean`, `default`, `doc`, `neutral` and 1 more\n");
  CHECK(worth("inputs: {n: {type: integer, doc: [a]}}\nlet: {x: 1}\n") == "1:34: expected text for `doc`, found a list\n");
  CHECK(worth("inputs: {n: {type: integer, neutral: maybe}}\nlet: {x: 1}\n") == "1:38: expected true or false for `neutral`, found text\n");
  CHECK(worth("inputs: {n: [a, a]}\nlet: {x: 1}\n") == "1:17: expected distinct words\n");
  CHECK(worth("inputs: {n: {per: nothing, of: s}}\nlet: {x: 1}\n") == "1:19: unknown set `nothing`\n");
}

TEST_CASE("documents: records, lists, curves, words") {
  const std::pair<const char*, const char*> lines[] = {
      {"machine.memory.capacity", "2147483648 byte"},
      {"machine.networks[1].size", "64"},
      {"machine.networks[0].name", "`near`"},
      {"machine.peak[fast]", "3000000000000 flop/s"},
      {"machine.peak[slow]", "1000000000000 flop/s"},
      {"machine.price", "0 USD/s"},
      {"machine.combine == one", "true"},
      {"machine.memory.gain(10 MB)", "0.9"},
      {"machine.memory.gain(9 MB)", "0.5"},
      {"sum(machine.networks[network].size over network)", "72"},
      {"min(network over network where machine.networks[network].size >= 9)", "1"},
      {"max(machine.peak[unit] over unit)", "3000000000000 flop/s"},
      {"machine.networks[2].size", "10:6: `machine.networks[2]`: there is no item 2 in a list of 2\n"},
      {"machine.networks[0.5].size", "10:6: `machine.networks[0.5]`: there is no item 0.5 in a list of 2\n"},
      {"machine.networks[fast].size", "10:6: `machine.networks[fast]`: a position must be a number, or an element of a set\n"},
      {"machine.peak[1]", "10:6: `machine.peak[1]`: there is no value for a plain number\n"},
      {"machine.memry", "10:6: `machine.memry`: there is no `memry` (did you mean `memory`?)\n"},
      {"machine + 1", "10:6: `+` works on numbers, not on a record and a plain number\n"},
  };
  for (const auto& [formula, expected] : lines) CHECK_MESSAGE(machine(formula) == expected, formula);
}

TEST_CASE("documents: what does not fit its type") {
  const std::string rest = "memory: {capacity: 2 GiB, gain: [[0 byte, 0.5]]}\nnetworks: []\ncombine: one\npeak: ";
  CHECK(machine("1", rest + "{fast: 1}\n") == "1");
  CHECK(machine("1", rest + "{fats: 1}\n") == "4:8: `machine.peak`: `fats` is no word of `unit` (did you mean `fast`?); known words: `fast`, `slow`\n");
  CHECK(machine("1", rest + "3\n") == "4:7: `machine.peak`: expected a mapping, found a number\n");
  CHECK(machine("machine.peak[slow]", rest + "{fast: 1}\n") == "10:6: `machine.peak[slow]`: there is no value for `slow`\n");
  CHECK(machine("1", rest + "{fast: 1 s}\n") == "4:14: `machine.peak.fast`: expected a number in flop/s, found s\n");
  CHECK(machine("1", rest + "{fast: 1}\nprise: 3\n") ==
        "5:1: `machine`: unknown key `prise` (did you mean `price`?); known keys: `price`, `peak`, `combine`, `memory`, `networks`\n");
  CHECK(machine("1", "networks: []\ncombine: one\npeak: {}\n") == "1:1: `machine`: missing key `memory` (it needs `memory`, `networks`, `peak`, `combine`)\n");
  CHECK(machine("1", "memory: {capacity: 1, gain: [[1 MB, 1], [2 MB, 1]]}\nnetworks: []\ncombine: one\npeak: {}\n") ==
        "1:41: `machine.memory.gain`: thresholds must fall\n");
  CHECK(machine("1", "memory: {capacity: 1, gain: []}\nnetworks: [{name: a, size: 0}]\ncombine: one\npeak: {}\n") ==
        "1:29: `machine.memory.gain`: expected steps of MB: [[threshold, value], …], found a list\n2:28: `machine.networks[0].size` must be at least 1\n");
}

TEST_CASE("documents: a plain number is a curve of one step, and words that are left out have their default") {
  const std::string rest = "networks: []\ncombine: one\npeak: {}\nmemory: {capacity: 1, gain: ";
  CHECK(machine("machine.memory.gain(1 MB)", rest + "0.7}\n") == "0.7");
  CHECK(machine("machine.memory.gain(0 byte)", rest + "0.7}\n") == "0.7");
  CHECK(machine("1", rest + "much}\n") == "4:29: `machine.memory.gain`: expected a number, found text\n");
  const std::string text =
      "sets: {unit: [fast, slow]}\ninputs: {n: {type: {per: unit, of: {type: integer, default: 7}}, default: {}}}\nlet: {x: 'n[fast] * 10 + n[slow]'}\n";
  CHECK(Ledger({text}).worth("x") == "77");
  CHECK(Ledger({text}, {{"n", "{fast: 2}"}}).worth("x") == "27");
}

TEST_CASE("documents: one that was not given") { CHECK(Ledger({kMachine + "machine.price\n"}).worth("x") == "this needs a machine, and none is given\n"); }

}  // namespace opledger
