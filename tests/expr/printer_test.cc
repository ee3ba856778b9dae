#include "expr/printer.h"

#include <cmath>

#include "tests/expr/parse.h"

namespace opledger {
namespace {

bool equal(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.text != b.text || a.args.size() != b.args.size() || a.per.size() != b.per.size()) return false;
  if (a.kind == Expr::Kind::operation && a.op != b.op) return false;
  if (a.kind == Expr::Kind::aggregate && a.aggregate != b.aggregate) return false;
  if (a.number != b.number || !(a.dimension == b.dimension)) return false;
  for (std::size_t i = 0; i < a.args.size(); ++i) {
    if (!equal(*a.args[i], *b.args[i])) return false;
  }
  for (std::size_t i = 0; i < a.per.size(); ++i) {
    if (!equal(*a.per[i], *b.per[i])) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("brackets that are not needed go, the others stay") {
  const std::pair<std::string, std::string> cases[] = {
      {"((a))", "a"},
      {"a+b*c", "a + b * c"},
      {"(a+b)*c", "(a + b) * c"},
      {"(a - b) - c", "a - b - c"},
      {"a - (b - c)", "a - (b - c)"},
      {"a + (b + c)", "a + (b + c)"},
      {"(a * b) / (c * d)", "a * b / (c * d)"},
      {"(a ^ b) ^ c", "(a ^ b) ^ c"},
      {"a ^ (b ^ c)", "a ^ b ^ c"},
      {"(-a) ^ b", "(-a) ^ b"},
      {"-(a ^ b)", "-a ^ b"},
      {"-(a * b)", "-(a * b)"},
      {"(-a) * b", "-a * b"},
      {"a - (-b)", "a - -b"},
      {"-(-a)", "--a"},
      {"not (a and b)", "not (a and b)"},
      {"(not a) and b", "not a and b"},
      {"not (a == b)", "not a == b"},
      {"(not a) == b", "(not a) == b"},
      {"(a == b) == c", "(a == b) == c"},
      {"(a < b) and (c in d)", "a < b and c in d"},
      {"(a or b) and c", "(a or b) and c"},
      {"a and (b and c)", "a and (b and c)"},
      {"(if a then b else c) + 1", "(if a then b else c) + 1"},
      {"if (if a then b else c) then (if d then e else f) else (g)", "if (if a then b else c) then if d then e else f else g"},
      {"f((if a then b else c), (d))", "f(if a then b else c, d)"},
      {"(a + b).c", "(a + b).c"},
      {"(a.b).c", "a.b.c"},
      {"a.b.((c))", "a.b.(c)"},
      {"(f(a))[(b + c)]", "f(a)[b + c]"},
      {"a in [b,c , 'd e']", "a in [b, c, 'd e']"},
      {"sum((a + b) over node where (c and d))", "sum(a + b over node where c and d)"},
      {"count( over node where a )", "count(over node where a)"},
      {"count(over node)", "count(over node)"},
      {"sum((a) over node per b,c where (d))", "sum(a over node per b, c where d)"},
      {"count(over node per  b)", "count(over node per b)"},
      {"running(sum(a over b) over c)", "running(sum(a over b) over c)"},
      {"(sum)(a)", "(sum)(a)"},
      {"max(a,b)", "max(a, b)"},
      {"(max)(a, b)", "max(a, b)"},
      {"2   GiB * 1.50e+3", "2 GiB * 1.50e+3"},
      {"null", "null"},
      {"if inherited then true else false", "if inherited then true else false"},
  };
  for (const auto& c : cases) {
    CHECK(to_source(*parsed(c.first)) == c.second);
    CHECK_MESSAGE(equal(*parsed(c.first), *parsed(c.second)), c.first);
  }
}

TEST_CASE("numbers that were not written print so that they read back") {
  Expr number;
  number.kind = Expr::Kind::number;
  number.number = 0.1;
  CHECK(to_source(number) == "0.1");
  number.dimension = parse_unit("GB/s")->dimension;
  number.number = 3e9;
  CHECK(to_source(number) == "3000000000 byte/s");
}

TEST_CASE("operations that are written as functions") {
  Expr select;
  select.kind = Expr::Kind::operation;
  select.op = Op::select;
  select.args = {parsed("a"), parsed("b + 1"), parsed("c")};
  CHECK(to_source(select) == "select(a, b + 1, c)");
}

TEST_CASE("values stand in the place of parts") {
  const auto value = [](const Expr& e) -> std::optional<std::string> {
    const std::string text = to_source(e);
    if (text == "a") return "3 GiB";
    if (text == "b") return "-4";
    if (text == "s.t") return "5";
    return std::nullopt;
  };
  const std::pair<std::string, std::string> cases[] = {
      {"a + b", "3 GiB + (-4)"},
      {"b + a", "-4 + 3 GiB"},
      {"2 * b ^ 2", "2 * (-4) ^ 2"},
      {"f(a, b)", "f(3 GiB, -4)"},
      {"a(b)", "a(-4)"},    // A function's name is no value.
      {"a.(b)", "a.(-4)"},  // A prefix is no value.
      {"s.t * x.t", "5 * x.t"},
      {"u[b].a", "u[-4].a"},
      {"if b then a else c", "if -4 then 3 GiB else c"},
      {"sum(a over node where b > 1)", "sum(3 GiB over node where -4 > 1)"},
      {"b", "-4"},
  };
  for (const auto& [text, printed] : cases) CHECK(to_source(*parsed(text), value) == printed);
}

}  // namespace opledger
