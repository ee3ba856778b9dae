#include "graph/signature.h"

#include "expr/parser.h"
#include "tests/support/ids.h"
#include "tests/support/shapes.h"
#include "tests/support/workshop.h"

namespace opledger {
namespace {

/// Names are numbers: a 0, b 1, … and xy stands for [23 24].
std::string evaluated(const std::string& text) {
  Diagnostics diagnostics;
  ExprPtr formula = parse_expression(text, {}, diagnostics);
  REQUIRE(formula);
  auto lookup = [&](const Expr& name) -> std::optional<DimList> {
    if (name.text == "xy") return dims({23, 24});
    if (name.text.size() == 1) return dims({name.text[0] - 'a'});
    diagnostics.error({}, "unknown `" + name.text + "`");
    return std::nullopt;
  };
  auto dims = evaluate_dims(*formula, lookup, diagnostics);
  if (!dims) return messages(diagnostics);
  std::string result;
  for (DimId d : dims->dims) result += static_cast<char>('a' + d.number());
  return dims->times == 1 ? result : std::to_string(static_cast<int>(dims->times)) + " " + result;
}

}  // namespace

TEST_CASE("signature: formulas over dimensions") {
  const std::pair<std::string, std::string> cases[] = {
      {"a", "a"},         {"[]", ""},           {"[a, b]", "ab"},     {"xy", "xy"},         {"xy + a", "xya"},       {"xy - x", "y"},
      {"xy ^ x", "y"},    {"x ^ xy + a", "ya"}, {"a + x ^ xy", "ay"}, {"xy - x + b", "yb"}, {"2 * (xy - x)", "2 y"}, {"xy * 3", "3 xy"},
      {"[a, xy]", "axy"}, {"a + a", "a"},
  };
  for (const auto& [text, expected] : cases) CHECK(evaluated(text) == expected);
}

TEST_CASE("signature: what is no formula over dimensions") {
  const std::string wrong = "dimensions are combined with + - ^ from names and lists, and counted with NUMBER * at the outside; ";
  CHECK(evaluated("a * b") == wrong + "`a * b` is neither\n");
  CHECK(evaluated("a / b") == wrong + "`a / b` is neither\n");
  CHECK(evaluated("a + 2") == wrong + "`2` is neither\n");
  CHECK(evaluated("a + 2 * b") == wrong + "`a + 2 * b` is neither\n");
  CHECK(evaluated("f(a)") == wrong + "`f(a)` is neither\n");
  CHECK(evaluated("a + zz") == "unknown `zz`\n");
}

TEST_CASE("signature: formulas of a built node") {
  Workshop w(kOperators, kDimensions + R"(
blocks:
  start: {data: {ids: [batch, seq]}, nodes: [{name: e, op: embedding, in: ids, rows: vocab, out: [batch, seq, hidden]}]}
  b: {inputs: {x: [batch, seq, hidden]}, nodes: [{name: n, op: norm, in: x, over: hidden}]}
graph: [{name: s, block: start}, {name: l, block: b}]
)");
  REQUIRE(messages(w.diagnostics) == "");
  const Graph& g = w.graph;
  NodeId n = w.node("l.n");
  const auto& statistics = g.nodes[n].op->inner[0].second;
  auto square = node_dims(g, n, *statistics[0].dims), both = node_dims(g, n, *statistics[1].dims);
  REQUIRE(square);
  REQUIRE(both);
  CHECK(square->dims == DimList{g.dimension("batch"), g.dimension("seq")});
  CHECK(both->times == 2);
  CHECK(named_dims(g, n, "over") == DimList{g.dimension("hidden")});
  CHECK(named_dims(g, n, "seq") == DimList{g.dimension("seq")});
  CHECK(named_dims(g, n, "slot").empty());
}

}  // namespace opledger
