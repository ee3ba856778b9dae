#include "tests/accounting/program.h"

namespace opledger {

TEST_CASE("units: a metric keeps to what it declares") {
  const std::pair<std::string, std::string> lines[] = {
      {metric("byte", "2 * 4 byte"), ""},
      {metric("GiB", "2 * 4 byte"), ""},
      {metric("byte", "0"), ""},
      {metric("byte", "if 1 > 2 then 0 else 3 byte"), ""},
      {metric("byte", "sum(0 over node)"), ""},
      {metric("byte", "2 * 4"), "2:3: `x` is declared in byte, but its formula is a plain number\n"},
      {metric("s", "2 byte / 1 flop"), "2:3: `x` is declared in s, but its formula is a number in byte/flop\n"},
      {metric("ratio", "true"), "2:3: `x` is declared in ratio, but its formula is true or false\n"},
      {metric("byte", "1 byte + 2 s"), "5:9: byte and s do not go together\n"},
      {metric("byte", "if 1 > 2 then 1 s else 3 byte"), "5:9: s and byte do not go together\n"},  // a branch that is never taken too
      {metric("byte", "max(1 byte, 2)"), "5:9: byte and 1 do not go together\n"},
      {metric("byte", "1 byte where 2"), "5:16: expected an operator or the end, found `where`\n"},
      {"metrics: {x: {unit: byte, is: 1 byte}}\n", "1:11: metric `x` needs a `unit` and a `doc`\n"},
      {"metrics: {x: {doc: d, is: 1}}\n", "1:11: metric `x` needs a `unit` and a `doc`\n"},
      {"metrics: {x: {doc: d, unit: byts, is: 1}}\n", "1:29: unknown unit `byts`\n"},
  };
  for (const auto& [text, expected] : lines) CHECK_MESSAGE(checked(text) == expected, text);
}

TEST_CASE("units: every word of a definition is checked") {
  const std::string sets = "sets: {color: [red, green, blue]}\nlet:\n  n: {red: 1 s, green: 2 s, blue: 3 byte}\n";
  CHECK(checked(sets + metric("s", "sum(n over color)")) == "8:9: s and byte do not go together\n");
  CHECK(checked(sets + metric("s", "red.n")) == "");
}

TEST_CASE("units: a metric that varies with something nobody chose") {
  const std::string sets = "sets: {color: [red, green]}\nlet:\n  n: {red: 1 s, green: 2 s}\n  m: n * 2\n";
  CHECK(checked(sets + metric("s", "m")) ==
        "6:3: `x` varies with color, through `m`: choose a color, aggregate over it, or publish it `as: …<color>…`\n"
        "3:3: `n` varies with color, and nothing chooses one where it is used: write red.n or aggregate over color\n");
  CHECK(checked(sets + "metrics:\n  x: {unit: s, doc: d, as: x_<color>, is: m}\n") == "");
  CHECK(checked(sets + metric("s", "max(m over color)")) == "");
  CHECK(checked(metric("byte", "node.replicas * 1 byte")) == "2:3: `x` varies with node: choose a node, aggregate over it, or publish it `as: …<node>…`\n");
}

TEST_CASE("units: inputs are of their types") {
  const std::string inputs = "inputs: {n: integer, size: GiB, on: boolean, mode: [a, b]}\n";
  CHECK(checked(inputs + metric("byte", "if on and mode == a then size * n else 0")) == "");
  CHECK(checked(inputs + metric("byte", "size + n")) == "6:9: byte and 1 do not go together\n");
  CHECK(checked(inputs + metric("byte", "if n then size else 0")) == "6:9: a condition must be true or false, not a plain number\n");
  CHECK(checked(inputs + metric("byte", "mode * size")) == "6:9: `*` works on numbers, not on a word and a number in byte\n");
}

TEST_CASE("units: constraints and tables too") {
  const std::string inputs = "inputs: {size: GiB}\n";
  CHECK(checked(inputs + "constraints: [{require: size, message: no}]\n") == "2:25: a condition must be true or false, not a number in byte\n");
  CHECK(checked(inputs + "constraints: [{require: size > 1 s, message: no}]\n") == "2:25: byte and s do not go together\n");
  CHECK(checked(inputs + "constraints: [{require: size > 1 byte, message: \"{size + 1 s} is too much\"}]\n") == "2:51: byte and s do not go together\n");
  CHECK(checked(inputs + "tables: {t: {rows: node, columns: {c: node.replicas + size}}}\n") == "2:39: 1 and byte do not go together\n");
}

TEST_CASE("units: a curve is over its unit") {
  const std::string inputs = "inputs: {gain: {steps: MB}}\n";
  CHECK(checked(inputs + metric("ratio", "gain(3 byte)")) == "");
  CHECK(checked(inputs + metric("ratio", "gain(3 s)")) == "6:9: `gain(3 s)`: the curve is over byte, not a number in s\n");
}

}  // namespace opledger
