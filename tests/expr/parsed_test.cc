#include "expr/parsed.h"

#include <doctest/doctest.h>

#include <random>

#include "base/bytes.h"
#include "expr/parser.h"
#include "tests/expr/whole.h"

namespace opledger {
namespace {

const std::vector<std::string> kFormulas = {
    "a + b * c ^ 2 - -d // e % 3",
    "if a <= 1 and not b or c != 'x' then sum(n.x over node per stage, axis where n.kind in [p, q]) else 80 GiB",
    "count(over node)",
    "count(over node where true) / 2",
    "  system.networks[0].bandwidth(1e9, 2.5 us)",
    "min() + max(1, 2) + min(x over stage) + f(a, [], [1, [null]], inherited)",
    "running(x over stage) > decode.(latency + 3)",
    "sum(a\n  over node\n\n  where b)",
    "(((a) + (b)))",
};

std::shared_ptr<SourceFile> document(const std::string& text, const std::string& formulas) {
  auto out = std::make_shared<SourceFile>("f.yaml", text);
  out->formulas = formulas;
  return out;
}

}  // namespace

TEST_CASE("parsed: a stored formula equals the parser's tree at any position") {
  const std::string kept = encode_formulas(kFormulas);
  for (const std::string& formula : kFormulas) {
    for (const std::string before : {"", "\"", "# \u00fc\nx: ", ">\n   "}) {
      const std::string text = before + formula;
      const std::uint32_t line = before[0] == '#' ? 2 : 1, column = before[0] == '#' ? 4 : 1;
      Diagnostics said;
      const ExprPtr parsed = parse_expression(formula, {document(text, ""), line, column}, said);
      REQUIRE_MESSAGE(parsed, formula, " ", render(said));
      const ExprPtr found = find_formula(formula, {document(text, kept), line, column});
      REQUIRE_MESSAGE(found, formula);
      CHECK(whole(*found) == whole(*parsed));
      CHECK(parse_expression(formula, {document(text, kept), line, column}, said) != nullptr);
    }
  }
}

TEST_CASE("parsed: invalid and trivial formulas are not stored") {
  CHECK(encode_formulas({"a", "12 GiB", "a +", "", "some text.", "= 3"}).empty());
  const std::string kept = encode_formulas({"a + b", "a + b", "a +"});
  CHECK(ByteReader(kept).fixed(4) == 1);
  CHECK(find_formula("a + c", {document("a + c", kept), 1, 1}) == nullptr);
  CHECK(find_formula("a + b", {document("a + b", ""), 1, 1}) == nullptr);
  CHECK(find_formula("a + b", {}) == nullptr);
  CHECK(find_formula("", {document("", kept), 1, 1}) == nullptr);
}

TEST_CASE("parsed: stored formulas may be any bytes") {
  const std::string good = encode_formulas(kFormulas);
  std::mt19937 random(5);
  const auto look = [](const std::string& kept) {
    for (const std::string& formula : kFormulas) {
      if (const ExprPtr found = find_formula(formula, {document(formula, kept), 1, 1})) whole(*found);
    }
  };
  for (std::size_t size = 0; size < good.size(); ++size) look(good.substr(0, size));
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = good;
    for (int n = 0; n < 1 + i % 4; ++n) damaged[random() % good.size()] = static_cast<char>(random());
    look(damaged);
  }
  ByteWriter deep, tree;  // nested brackets, far deeper than any formula
  for (int i = 0; i < 100'000; ++i) {
    tree.byte(static_cast<std::uint8_t>(Expr::Kind::list));
    tree.number(0);
    tree.number(1);
  }
  const std::string row = encode_formulas({"a + b"}).substr(4, 8);
  deep.fixed(1, 4);
  deep.plain(row);
  deep.text("a + b");
  deep.text(tree.take());
  CHECK(find_formula("a + b", {document("a + b", deep.take()), 1, 1}) == nullptr);
}

}  // namespace opledger
