#include "expr/parser.h"

#include "base/limits.h"
#include "expr/printer.h"
#include "tests/expr/parse.h"

namespace opledger {
namespace {

struct Quantity {
  std::string text;
  double value;
  std::string dimension;
};

}  // namespace

TEST_CASE("operators bind as the grammar says") {
  const std::pair<std::string, std::string> cases[] = {
      // The second text has every bracket.
      {"a + b * c - d", "(a + (b * c)) - d"},
      {"a - b - c", "(a - b) - c"},
      {"a / b / c * d", "((a / b) / c) * d"},
      {"a // b % c", "(a // b) % c"},
      {"a ^ b ^ c", "a ^ (b ^ c)"},
      {"-a ^ b", "-(a ^ b)"},
      {"a ^ -b", "a ^ (-b)"},
      {"-a * b", "(-a) * b"},
      {"a * -b", "a * (-b)"},
      {"a or b and c or d", "(a or (b and c)) or d"},
      {"not a == b", "not (a == b)"},
      {"not a and b", "(not a) and b"},
      {"not not a", "not (not a)"},
      {"a + b < c * d and e", "((a + b) < (c * d)) and e"},
      {"a in b and c", "(a in b) and c"},
      {"if a then b else c + d", "if (a) then (b) else (c + d)"},
      {"if a then if b then c else d else e", "if a then (if b then c else d) else (e)"},
      {"a.b.c[d].e(f, g)", "((((a.b).c)[(d)]).e)((f), (g))"},
      {"2 flop * a", "(2 flop) * a"},
  };
  for (const auto& [text, bracketed] : cases) CHECK(to_source(*parsed(text)) == to_source(*parsed(bracketed)));
}

TEST_CASE("every construct is understood") {
  using Kind = Expr::Kind;
  struct Case {
    std::string text;
    Kind kind;
    std::size_t args;
  };
  const Case cases[] = {
      {"1", Kind::number, 0},
      {"1 GB/s", Kind::number, 0},
      {"true", Kind::boolean, 0},
      {"'a b'", Kind::text, 0},
      {"null", Kind::null, 0},
      {"inherited", Kind::inherited, 0},
      {"a_1", Kind::name, 0},
      {"a.b", Kind::member, 1},
      {"a.(b + c)", Kind::at, 2},
      {"a.b.(c)", Kind::at, 2},
      {"a . b . (c)", Kind::at, 2},
      {"a[b]", Kind::index, 2},
      {"a(b, c)", Kind::call, 3},
      {"a()", Kind::call, 1},
      {"[]", Kind::list, 0},
      {"[a, b, c]", Kind::list, 3},
      {"a in [b, c]", Kind::in, 2},
      {"if a then b else c", Kind::condition, 3},
      {"sum(a over b)", Kind::aggregate, 1},
      {"sum(a over b where c)", Kind::aggregate, 2},
      {"sum(a over b per c, d)", Kind::aggregate, 1},
      {"sum(per over per per per where per)", Kind::aggregate, 2},
      {"count(over b where c)", Kind::aggregate, 2},
      {"min(a, b)", Kind::call, 3},
      {"max(a over b)", Kind::aggregate, 1},
      {"max(a)", Kind::call, 2},
      {"min()", Kind::call, 1},
      {"sum", Kind::name, 0},
      {"count * 2", Kind::operation, 2},
      {"(a)(b)", Kind::call, 2},
      {"[a, b][0]", Kind::index, 2},
  };
  for (const Case& c : cases) {
    const ExprPtr e = parsed(c.text);
    CHECK_MESSAGE(e->kind == c.kind, c.text);
    CHECK_MESSAGE(e->args.size() == c.args, c.text);
  }
}

TEST_CASE("numbers and their units") {
  const Quantity cases[] = {
      {"0", 0, "1"},
      {"007", 7, "1"},
      {"1.5", 1.5, "1"},
      {"2e3", 2000, "1"},
      {"2E-1", 0.2, "1"},
      {"1.5e+2", 150, "1"},
      {"2 flop", 2, "flop"},
      {"80 GiB", 85899345920, "byte"},
      {"3 GB/s", 3e9, "byte/s"},
      {"1 day", 86400, "s"},
      {"5 min", 300, "s"},
      {"4  \n byte", 4, "byte"},
      {"80GiB", 85899345920, "byte"},
      {"1.5GB/s", 1.5e9, "byte/s"},
      {"2e3us", 2e3 * 1e-6, "s"},
      {"150000 1/s", 150000, "1/s"},
      {"10/s", 10, "1/s"},
      {"3 1/USD/s", 3, "1/s/USD"},
  };
  for (const Quantity& c : cases) {
    const ExprPtr e = parsed(c.text);
    CHECK_MESSAGE(e->number == c.value, c.text);
    CHECK_MESSAGE(to_string(e->dimension) == c.dimension, c.text);
  }
}

TEST_CASE("a unit ends where a formula goes on") {
  CHECK(to_source(*parsed("3 GB/2")) == "3 GB / 2");
  CHECK(to_source(*parsed("3 GB / s")) == "3 GB / s");
  CHECK(to_source(*parsed("1 s/(a)")) == "1 s / a");
  CHECK(to_source(*parsed("if 1 == 2 then 3 else 4")) == "if 1 == 2 then 3 else 4");
  CHECK(to_source(*parsed("2 in [1,2]")) == "2 in [1, 2]");
}

TEST_CASE("digits that letters follow at once are a word, unless the whole is a number or the letters are a unit") {
  for (const char* word : {"1f1b", "1f1b_2", "2x", "10Gib", "1e3x", "0x10", "1_000"}) {
    const ExprPtr e = parsed(word);
    CHECK_MESSAGE(e->kind == Expr::Kind::name, word);
    CHECK_MESSAGE(e->text == word, word);
  }
  for (const char* number : {"1e3", "1s", "10GiB", "2E3"}) CHECK_MESSAGE(parsed(number)->kind == Expr::Kind::number, number);
  for (const char* text : {"schedule == 1f1b", "schedule.1f1b", "1f1b.x + 1f1b.(y)", "f(1f1b, 3)", "x in [gpipe, 1f1b]"})
    CHECK(to_source(*parsed(text)) == text);
}

TEST_CASE("a slash after a number is a rate if a unit follows at once, else it divides") {
  CHECK(to_source(*parsed("10/s")) == "10 1/s");
  CHECK(to_source(*parsed("10 / s")) == "10 / s");
  CHECK(to_source(*parsed("10/layers")) == "10 / layers");
  CHECK(to_source(*parsed("10/count")) == "10 / count");
  CHECK(to_source(*parsed("x >= 10 1/s and y")) == "x >= 10 1/s and y");
}

TEST_CASE("mistakes are found where they are") {
  const std::pair<std::string, std::string> cases[] = {
      {"", "1: expected a value, found the end"},
      {"   ", "1: expected a value, found the end"},
      {"1 +", "4: expected a value, found the end"},
      {"1 + )", "5: expected a value, found `)`"},
      {"a b", "3: expected an operator or the end, found `b`"},
      {"a 'b'", "3: expected an operator or the end, found `'b'`"},
      {"(a", "3: expected an operator or `)`, found the end"},
      {"a)", "2: expected an operator or the end, found `)`"},
      {"a[1", "4: expected an operator or `]`, found the end"},
      {"f(a b)", "5: expected an operator, `,` or `)`, found `b`"},
      {"f(a,)", "5: expected a value, found `)`"},
      {"[a b]", "4: expected an operator, `,` or `]`, found `b`"},
      {"if a b", "6: expected an operator or `then`, found `b`"},
      {"if a then b", "12: expected an operator or `else`, found the end"},
      {"a + if b then c else d", "5: expected a value, found `if`"},
      {"a + not b", "5: expected a value, found `not`"},
      {"a < b < c", "7: comparisons do not chain: join them with `and`"},
      {"a.", "3: expected a name, found the end"},
      {"a.3", "3: expected a name, found `3`"},
      {"a.if", "3: expected a name, found `if`"},
      {"a[1].(b)", "6: only a name may stand before `.(`"},
      {"2(a)", "2: expected an operator or the end, found `(`"},
      {"true.a", "5: expected an operator or the end, found `.`"},
      {"sum(a)", "6: expected an operator or `over`, found `)`"},
      {"sum(a over)", "11: expected a name, found `)`"},
      {"sum(a over b c)", "14: expected `per`, `where` or `)`, found `c`"},
      {"sum(a over b per)", "17: expected a set, found `)`"},
      {"sum(a over b per c,)", "20: expected a set, found `)`"},
      {"sum(a over b per c d)", "20: expected `,`, `where` or `)`, found `d`"},
      {"running(a over b per c)", "18: `running` sums up to the current element and keeps all that is chosen: no `per`"},
      {"sum(a over b where c d)", "22: expected an operator or `)`, found `d`"},
      {"min(a b)", "7: expected an operator, `,`, `over` or `)`, found `b`"},
      {"count(a over b)", "7: expected `over`, found `a`"},
      {"where", "1: expected a value, found `where`"},
      {"2 x", "3: unknown unit `x`"},
      {"2 GB/x", "3: unknown unit `GB/x`"},
      {"1.5x", "4: expected a blank or an operator after `1.5`"},
      {"2e-1x", "5: expected a blank or an operator after `2e-1`"},
      {"2 1", "3: expected an operator or the end, found `1`"},
      {"2 1/x", "3: unknown unit `1/x`"},
      {"2GB/x", "2: unknown unit `GB/x`"},
      {"1e999", "1: `1e999` is beyond the range of numbers"},
      {"1e308 GB", "7: `1e308 GB` is beyond the range of numbers"},
      {"a = b", "3: unexpected `=`: equality is `==`"},
      {"a & b", "3: unexpected character `&`"},
      {"a × b", "3: unexpected character `×`"},
      {"a \xFF b", "3: unexpected character 0xFF"},
      {"a \xC3", "3: unexpected character 0xC3"},
      {"a \x01", "3: unexpected character 0x01"},
      {"'abc", "1: this quote is never closed"},
      {"'a\nb'", "1: this quote is never closed"},
      {"'a\tb'", "3: unexpected character 0x09"},
      {"a \"b\"", "3: unexpected character `\"`"},
      {"1 # comment", "3: unexpected character `#`"},
  };
  for (const auto& c : cases) CHECK_MESSAGE(mistake(c.first) == c.second, c.first);
}

TEST_CASE("a mistake is shown with its line") {
  Diagnostics diagnostics;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"a.yaml", "let:\n  x: 2 * (a + )\n"});
  CHECK_FALSE(parse_expression("2 * (a + )", {file, 2, 6}, diagnostics));
  CHECK(render(diagnostics) == "a.yaml:2:15: error: expected a value, found `)`\n    x: 2 * (a + )\n                ^\n");
}

TEST_CASE("parts know where they begin") {
  const ExprPtr e = parsed("a + b * f(c, -d)");
  CHECK(e->span.column == 1);
  CHECK(e->args[1]->span.column == 5);
  CHECK(e->args[1]->args[1]->args[1]->span.column == 11);
  CHECK(e->args[1]->args[1]->args[2]->span.column == 14);
}

TEST_CASE("nesting is limited") {
  const auto limit = static_cast<int>(kMaxFormulaDepth);
  const std::string message = ": the formula is nested more than 200 deep";
  CHECK(parsed(repeat("(", limit - 1) + "a" + repeat(")", limit - 1))->kind == Expr::Kind::name);
  CHECK(mistake(repeat("(", limit) + "a" + repeat(")", limit)) == "201" + message);
  CHECK(mistake(repeat("-", 5000) + "a") == "201" + message);
  CHECK(mistake(repeat("not ", 4000) + "a") == "801" + message);
  CHECK(mistake(repeat("2^", 5000) + "a") == "401" + message);
  CHECK(mistake(repeat("[", 16000)) == "201" + message);
  CHECK(mistake(repeat("f(", 8000)) == "401" + message);
  CHECK(mistake(repeat("max(", 4000)) == "801" + message);
  CHECK(mistake(repeat("if ", 5000)) == "601" + message);
}

TEST_CASE("chains are limited") {
  const std::string message = "1: the formula has more than 1000 operations in a row";
  CHECK(parsed("1" + repeat("+1", 999))->depth == 1000);
  CHECK(mistake("1" + repeat("+1", 1000)) == message);
  CHECK(mistake("a" + repeat(".a", 8000)) == message);
  CHECK(mistake("a" + repeat("[1]", 5000)) == message);
  CHECK(mistake("a" + repeat("()", 8000)) == message);
  CHECK(mistake("a" + repeat(" and a", 2000)) == message);
}

TEST_CASE("length is limited") {
  CHECK(mistake(std::string(kMaxFormulaBytes + 1, ' ')) == "1: a formula may have at most 16384 characters, this one has 16385");
}

TEST_CASE("domains") {
  Diagnostics diagnostics;
  Domain domain;
  CHECK(parse_domain("1, 2 * a, 'b' where it > 1 and c", {}, diagnostics, domain));
  CHECK(domain.values.size() == 3);
  CHECK(to_source(*domain.where) == "it > 1 and c");
  CHECK(parse_domain("divisors(a)", {}, diagnostics, domain));
  CHECK(domain.values.size() == 1);
  CHECK(domain.where == nullptr);
  CHECK_FALSE(diagnostics.has_errors());
}

TEST_CASE("wrong domains") {
  const std::pair<std::string, std::string> cases[] = {
      {"1, where a", "expected a value, found `where`"},
      {"1 where", "expected a value, found the end"},
      {"1 where a, b", "expected an operator or the end, found `,`"},
      {"a b", "expected an operator, `,`, `where` or the end, found `b`"},
  };
  for (const auto& [text, message] : cases) {
    Diagnostics diagnostics;
    Domain domain;
    CHECK_FALSE(parse_domain(text, {}, diagnostics, domain));
    REQUIRE(diagnostics.all().size() == 1);
    CHECK(diagnostics.all()[0].message == message);
  }
}

TEST_CASE("signatures") {
  Diagnostics diagnostics;
  Signature signature;
  CHECK(parse_signature(" both ( x, y_2 ) ", {}, diagnostics, signature));
  CHECK(signature.name == "both");
  CHECK(signature.parameters == std::vector<std::string>{"x", "y_2"});
  CHECK(parse_signature("f()", {}, diagnostics, signature));
  CHECK(signature.parameters.empty());
}

TEST_CASE("wrong signatures") {
  const std::pair<std::string, std::string> cases[] = {
      {"f", "expected `(`, found the end"},      {"f(a", "expected `,` or `)`, found the end"}, {"f(a,)", "expected a name, found `)`"},
      {"f(if)", "expected a name, found `if`"},  {"f(1)", "expected a name, found `1`"},        {"f(a, a)", "parameter `a` occurs twice"},
      {"f(a) b", "expected the end, found `b`"}, {"f(a b)", "expected `,` or `)`, found `b`"},
  };
  for (const auto& [text, message] : cases) {
    Diagnostics diagnostics;
    Signature signature;
    CHECK_FALSE(parse_signature(text, {}, diagnostics, signature));
    REQUIRE(diagnostics.all().size() == 1);
    CHECK(diagnostics.all()[0].message == message);
  }
}

TEST_CASE("quantities") {
  const Quantity cases[] = {
      {"80 GiB", 85899345920, "byte"}, {" 0.9 ", 0.9, "1"}, {"-1", -1, "1"}, {"312 Tflop/s", 312e12, "flop/s"}, {"- 3 us", -3 * 1e-6, "s"}};
  for (const Quantity& c : cases) {
    double value = 0;
    Dimension dimension;
    CHECK_MESSAGE(parse_quantity(c.text, value, dimension), c.text);
    CHECK_MESSAGE(value == c.value, c.text);
    CHECK_MESSAGE(to_string(dimension) == c.dimension, c.text);
  }
}

TEST_CASE("texts that are no quantities") {
  for (const std::string text : {"", "-", "a", "1 + 1", "--1", "80Gib", "1f1b", "1 x", "1 GiB 2", "+1", "'1'", "true"}) {
    double value = 7;
    Dimension dimension;
    CHECK_FALSE_MESSAGE(parse_quantity(text, value, dimension), text);
    CHECK(value == 7);
  }
}

}  // namespace opledger
