#include "accounting/element_table.h"
#include "accounting/graph_engine.h"
#include "formulas/link/linker.h"
#include "tests/accounting/program.h"

namespace opledger {
namespace {

const std::string kQuantityOps = R"(kind: ops
name: small
sets: {unit: [fast, slow]}
quantities:
  cost: {unit: flop, forward: 1 flop, recompute: forward.cost, else: 0}
  unit_used: fast
  double: cost * 2
ops:
  plain: {params: [m]}
  base:
    params: [m]
    let: {area: m * side, side: 10}
    cost: {forward: 2 flop * area, agrad: forward.cost * 2}
  child: {extends: base, let: {side: 100}, cost: {agrad: inherited + 1 flop}}
  grandchild: {extends: child, cost: inherited * 3, unit_used: slow}
)";

/// Nodes of the operators, each with `m = 1, 2, …`; and definitions of their own, by node.
std::string ask(const std::vector<std::string>& ops, const std::string& formula, const std::vector<std::pair<std::size_t, std::string>>& own = {}) {
  Ledger ledger({kQuantityOps, "let:\n  x: " + formula + "\n"});
  if (!ledger.program) return messages(ledger.diagnostics);
  Evaluator& e = *ledger.evaluator;
  ElementTable nodes;
  NodeFormulas formulas;
  formulas.quantities.resize(ops.size());
  for (const std::string& op : ops) {
    nodes.row(op);
    formulas.operators.push_back(ledger.operators.find(op));
  }
  Linker linker(*ledger.program, e.queries(), ledger.diagnostics);
  for (const auto& [node, text] : own) {
    for (const Definition& d : parse_definitions(datum(text, "node"), ledger.diagnostics)) {
      formulas.quantities[node][d.name] = linker.define(d, *ledger.program->global);
    }
  }
  e.set_elements(kNodeSet, nodes.take());
  e.set_nodes(
      [](WordId node, const std::string& name, WordId extent) -> std::optional<Answer> {
        if (name == "m") return Answer{number_value(integer(node + 1))};
        if (name == "volume") return Answer{number_value(integer(extent == kWhole ? 1000 : 10))};
        return std::nullopt;
      },
      formulas);
  return ledger.worth("x");
}

}  // namespace

TEST_CASE("quantities: the operator's, its parents', the default, word by word") {
  const std::string all = "(sum(cost over node))";
  CHECK(ask({"plain"}, "forward." + all) == "1 flop");
  CHECK(ask({"plain"}, "agrad." + all) == "0 flop");
  CHECK(ask({"plain", "base"}, "forward." + all) == "41 flop");
  CHECK(ask({"base"}, "agrad." + all) == "40 flop");
  CHECK(ask({"base"}, "recompute." + all) == "20 flop");
  CHECK(ask({"child"}, "forward." + all) == "200 flop");  // its own `side`
  CHECK(ask({"child"}, "agrad." + all) == "401 flop");
  CHECK(ask({"grandchild"}, "forward." + all) == "600 flop");
  CHECK(ask({"grandchild"}, "agrad." + all) == "3603 flop");
  CHECK(ask({"grandchild"}, "forward.(sum(double over node))") == "1200 flop");
  CHECK(ask({"base", "grandchild"}, "count(over node where unit_used == slow)") == "1");
  CHECK(ask({"base", "grandchild"}, "count(over node where unit_used == unit.fast)") == "1");
}

TEST_CASE("quantities: a node's own come first") {
  CHECK(ask({"base", "base"}, "forward.(sum(cost over node))", {{1, "{cost: 7 flop}"}}) == "27 flop");
  CHECK(ask({"base"}, "agrad.(sum(cost over node))", {{0, "{cost: {agrad: inherited / 4}}"}}) == "10 flop");
  CHECK(ask({"base"}, "forward.(sum(cost over node))", {{0, "{cost: {agrad: inherited / 4}}"}}) == "20 flop");
  CHECK(ask({"base"}, "forward.(sum(cost over node))", {{0, "{cost: {when: 1 > 2, is: inherited}}"}}) == "0 flop");
}

TEST_CASE("quantities: what the engine knows of a node, on a rank and whole") {
  CHECK(ask({"plain"}, "sum(volume over node)") == "10");
  CHECK(ask({"plain"}, "whole.(sum(volume over node))") == "1000");
  CHECK(ask({"plain"}, "volume") == "2:6: `volume` is a node's, and nothing chooses a node here\n");
  CHECK(ask({"plain"}, "sum(input_bytes over node)") == "2:10: node `plain` has no `input_bytes`\n");
  CHECK(ask({"plain"}, "cost") == "5:3: `cost` varies with node, and nothing chooses one where it is used\n");
}

TEST_CASE("quantities: operators are checked when documents are loaded") {
  const std::string start = "kind: ops\nname: small\nquantities:\n  cost: {unit: flop, is: 1 flop, doc: d}\nops:\n";
  CHECK(checked(start + "  op: {params: [m], cost: 2 * m}\n") == "6:21: `cost` is declared in flop, but its formula is a plain number\n");
  CHECK(checked(start + "  op: {params: [m], cost: {forward: 2 flop * m, agrad: 1 s}}\n") == "6:21: flop and s do not go together\n");
  CHECK(checked(start + "  op: {params: [m], cots: 2 flop}\n") ==
        "6:21: operator `op`: unknown quantity `cots` (did you mean `cost`?); known keys: `cost`, `let`, `out`, `in`, `extends`, `frozen` and 5 more\n");
  CHECK(checked(start + "  op: {params: [m], cost: 2 flop * n}\n") == "6:36: unknown name `n`\n");
}

}  // namespace opledger
