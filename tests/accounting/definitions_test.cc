#include "tests/accounting/program.h"

namespace opledger {

TEST_CASE("definitions: a formula by word, the rest by else") {
  const std::string text = "sets: {color: [red, green, blue]}\nlet:\n  n: {red: 1, else: 5}\n  m: {red: 1, green: 2}\n  a: red.n + green.n\n  b: blue.m\n";
  CHECK(worth(text, "a") == "6");
  CHECK(worth(text, "b") == "4:3: `m` has no formula for `blue`\n");
}

TEST_CASE("definitions: when it does not hold the value is 0 or false") {
  const std::string text = "let:\n  a: {when: 1 > 2, is: 1 / 0}\n  b: {when: 2 > 1, is: 7}\n  c: {when: 1 > 2, is: true}\n  x: a + b\n  y: not c\n";
  CHECK(worth(text) == "7");
  CHECK(worth(text, "y") == "true");
}

TEST_CASE("definitions: names of their own") {
  const std::string text = "let:\n  half: 1\n  x:\n    let: {half: full / 2, full: 10}\n    is: half + full\n  y: half\n";
  CHECK(worth(text) == "15");
  CHECK(worth(text, "y") == "1");
}

TEST_CASE("definitions: names of their own vary like any other") {
  const std::string text = "sets: {color: [red, green]}\nlet:\n  x: sum(n over color)\n  n:\n    let: {own: {red: 1, green: 20}}\n    is: own + 1\n";
  CHECK(worth(text) == "23");
}

TEST_CASE("definitions: order means nothing") { CHECK(worth("let:\n  x: y + 1\n  y: z * 2\n  z: 3\n") == "7"); }

TEST_CASE("definitions: a document that extends defines anew") {
  const std::string base = "sets: {color: [red, green]}\nlet:\n  n: {red: 1, green: 2}\n  total: sum(n over color)\n";
  CHECK(Ledger({base, "extends: base\nlet: {n: {green: 20}}\n"}).worth("total") == "21");
  CHECK(Ledger({base, "extends: base\nlet: {n: {green: inherited * 10 + 1}}\n"}).worth("total") == "22");
  CHECK(Ledger({base, "extends: base\nlet: {n: 4}\n"}).worth("total") == "8");
  CHECK(Ledger({base, "extends: base\nlet: {total: inherited + 100}\n"}).worth("total") == "103");
  CHECK(Ledger({base, "extends: base\nlet: {n: {red: inherited + 1}}\n", "extends: more\nlet: {n: {red: inherited * 5}}\n"}).worth("total") == "12");
}

TEST_CASE("definitions: a document that extends defines functions anew") {
  const std::string base = "sets: {color: [red, green]}\nfunctions: {f(x): x + 1, g(x): {red: x, else: f(x)}}\nlet: {a: f(1), b: sum(g(1) over color)}\n";
  const auto over = [&](const std::string& functions) { return "extends: base\nfunctions: {" + functions + "}\n"; };
  CHECK(Ledger({base, over("f(x): x + 100")}).worth("a") == "101");
  CHECK(Ledger({base, over("f(other): inherited * other + 100")}).worth("a") == "102");
  CHECK(Ledger({base, over("f(x): x + 100")}).worth("b") == "102");
  CHECK(Ledger({base, over("'g(y)': {red: inherited * 10 + y}")}).worth("b") == "13");
  CHECK(Ledger({base, over("f(x): inherited + 1"), over("f(x): inherited * 10")}).worth("a") == "30");
  CHECK(Ledger({base, over("'f(x)': {when: x > 1, is: 5}")}).worth("a") == "0");
  CHECK(Ledger({base, over("'f(x)': {unit: byte, is: 5}")}).worth("a") == "2:13: `f` is declared in byte, but its formula is a plain number\n");
  CHECK(Ledger({base, over("f(x): f(x)")}).checked() == "2:13: function `f` calls itself: f -> f\n");
  CHECK(Ledger({base, over("'f(x, y)': x + y")}).checked() ==
        "2:13: `f` takes 2 arguments, but the replaced function takes 1: keep the number, because callers pass as many\n  2:13: `f(x)` is defined here\n");
}

TEST_CASE("definitions: a second definition without extends, or of another kind, is reported") {
  const std::string base = "functions: {f(x): x + 1}\nlet: {a: f(1)}\nquantities: {q: 1}\n";
  const std::pair<const char*, const char*> others[] = {
      {"functions: {f(x): x + 2}", "1:13: `f` is already defined\n  1:13: first defined here\n"},
      {"extends: base\nlet: {f: 3}", "2:7: `f` is already defined\n  1:13: first defined here\n"},
      {"extends: base\nfunctions: {a(x): x}", "2:13: `a` is already defined\n"},
      {"extends: base\nquantities: {a: 2}", "2:14: `a` is already defined, and not as a quantity of nodes\n"},
      {"extends: base\nquantities: {q: {of: color, is: 2}}", "2:22: `color` is no set of operators\n"},
      {"extends: base\nsets: {color: [red]}", ""},
  };
  for (const auto& [text, expected] : others) CHECK_MESSAGE(Ledger({base, std::string(text) + "\n"}).checked() == expected, text);
  const std::string sets = "sets: {color: [red, green]}\ninputs: {n: integer}\n";
  CHECK(Ledger({sets, "extends: base\nsets: {color: [blue]}\n"}).checked() == "2:8: set `color` is declared twice\n");
  CHECK(Ledger({sets, "extends: base\ninputs: {n: number}\n"}).checked() == "2:10: `n` is already defined\n");
  CHECK(Ledger({sets, "extends: base\nlet: {n: 3}\n"}).checked() == "2:7: `n` is already defined\n  2:10: first defined here\n");
}

TEST_CASE("definitions: a document that extends publishes names of what it extends") {
  const std::string base = "let: {n: 3 byte}\n";
  Ledger ledger({base, "extends: base\nmetrics: {n: {unit: byte, doc: d, is: inherited * 2}}\n"});
  REQUIRE(ledger.program);
  REQUIRE(ledger.program->find_published("n") != nullptr);
  CHECK(ledger.worth("n") == "6 byte");
  CHECK(Ledger({base, "extends: base\nmetrics: {n: inherited * 2}\n"}).checked() == "2:11: metric `n` needs a `unit` and a `doc`\n");
}

TEST_CASE("definitions: a unit once declared holds for what replaces it") {
  const std::string base = metric("byte", "1 byte");
  CHECK(Ledger({base, "extends: base\nmetrics: {x: inherited * 2}\n"}).worth("x") == "2 byte");
  CHECK(Ledger({base, "extends: base\nmetrics: {x: 2 s}\n"}).checked() == "2:11: `x` is declared in byte, but its formula is a number in s\n");
}

TEST_CASE("definitions: without extends a name is defined once") {
  const std::string base = "let: {n: 1}\n";
  CHECK(Ledger({base, "let: {n: 2}\n"}).checked() == "1:7: `n` is already defined\n  1:7: first defined here\n");
  CHECK(Ledger({base, "inputs: {n: integer}\n"}).checked() == "1:7: `n` is already defined\n  1:10: first defined here\n");
}

TEST_CASE("definitions: a name wins over a word inside a formula, a word wins before a dot and next to its set") {
  const std::string text =
      "sets: {color: [red, green]}\nlet:\n  red: 5\n  n: {red: 1, green: 2}\n  x: red\n  y: red.n\n  z: green.(color == red)\n  w: green.(color == "
      "color.red)\n";
  CHECK(worth(text) == "5");
  CHECK(worth(text, "y") == "1");
  CHECK(worth(text, "z") == "false");
  CHECK(worth(text, "w") == "false");
}

TEST_CASE("definitions: a word of two sets is distinguished by its set") {
  const std::string text = "sets: {color: [red, none], taste: [sweet, none]}\nlet:\n  x: sum(if taste == none then 1 else 10 over taste)\n  ";
  CHECK(worth(text + "z: {red: 1}\n") == "11");
  CHECK(worth(text + "z: {red: 1, else: 2}\n  y: color.none.z\n", "y") == "2");
  CHECK(worth(text + "y: none.z\n  z: {red: 1}\n", "y") == "4:6: `none` is a word of `color` and of `taste`: write `color.none.z`\n");
}

TEST_CASE("definitions: a cycle shows its way") {
  CHECK(worth("let:\n  x: y + 1\n  y: z\n  z: x * 2\n") == "2:3: `x` depends on itself: x -> y -> z -> x\n");
  CHECK(worth("let: {x: x}\n") == "1:7: `x` depends on itself: x -> x\n");
}

TEST_CASE("definitions: a name may stand on itself at another word") {
  CHECK(worth("sets: {color: [red, green]}\nlet:\n  n: {red: 3, green: red.n * 2}\n  x: green.n\n") == "6");
}

TEST_CASE("definitions: unknown names, with what was meant") {
  const std::string start = "sets: {color: [red, green]}\nfunctions: {twice(n): 2 * n}\nlet:\n  layers: 3\n  n: {red: 1, green: 2}\n  x: ";
  const std::pair<const char*, const char*> lines[] = {
      {"layer + 1", "6:6: unknown name `layer` (did you mean `layers`?)\n"},
      {"reed.n", "6:6: unknown name `reed` (did you mean `red`?)\n"},
      {"twise(1)", "6:6: unknown function `twise` (did you mean `twice`?)\n"},
      {"twice(1, 2)", "6:6: `twice` takes 1 arguments, not 2\n"},
      {"sum(1 over colour)", "6:6: unknown set `colour` (did you mean `color`?)\n"},
      {"node.nam", "6:6: `node` has no field `nam` (did you mean `name`?)\n"},
      {"{red: 1, gren: 2}", "6:15: `gren` is no word of `color` (did you mean `green`?); known words: `green`, `red`\n"},
      {"{wen: 1 > 2, is: 3}", "6:7: unknown key `wen` (did you mean `when`?); known keys: `when`, `let`, `red`, `as`, `doc`, `green` and 19 more\n"},
  };
  for (const auto& [formula, expected] : lines) CHECK_MESSAGE(worth(start + formula + "\n") == expected, formula);
}

TEST_CASE("definitions: no name is one of the engine's sets") {
  CHECK(worth("let: {node: 3}\n", "node") == "1:7: `node` is a set already\n");
  CHECK(worth("inputs: {layer_group: integer}\n", "layer_group") == "1:10: `layer_group` is a set already\n");
  CHECK(worth("let: {share: 3}\n", "share") == "3");                   // a former name of a set is free
  CHECK(worth("let:\n  x: {let: {node: 3}, is: node + 1}\n") == "4");  // hidden by a name of its own
}

TEST_CASE("definitions: sets without end") {
  std::string text = "let: {x: 1}\nsets:\n";
  for (int i = 0; i < 70; ++i) text += "  s" + std::to_string(i) + ": [a, b]\n";
  CHECK(worth(text).find("sets, and at most 62 are possible") != std::string::npos);
}

TEST_CASE("definitions: names nested without end") {
  std::string text = "let:\n  n0: 1\n";
  for (int i = 1; i <= 300; ++i) text += "  n" + std::to_string(i) + ": n" + std::to_string(i - 1) + " + 1\n";
  CHECK(worth(text, "n200") == "201");
  CHECK(worth(text, "n300") == "52:3: `n50` is nested too deeply\n");
}

}  // namespace opledger
