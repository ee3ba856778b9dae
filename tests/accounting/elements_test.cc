#include "accounting/element_table.h"
#include "accounting/graph_engine.h"
#include "tests/accounting/program.h"

namespace opledger {
namespace {

/// Two segments of 10 layers and of 1; three nodes, the last one in the second; three weights and four transfers on them.
void fill(Evaluator& evaluator) {
  ElementTable segments, nodes, weights, transfers;
  const auto rows = [](ElementTable& table, const char* name, const char* field, const std::vector<double>& values) {
    for (double v : values) {
      table.row(name + std::to_string(static_cast<int>(v)));
      table.field(field, number_value(integer(v), field == std::string("bytes") ? Dimension{{1, 0, 0, 0}} : Dimension{}));
    }
  };
  const auto join = [](ElementTable& table, SetId set, const std::vector<WordId>& words) {
    for (WordId w : words) table.belongs(set, w);
  };
  rows(segments, "s", "layers", {10, 1});
  rows(nodes, "n", "replicas", {1, 2, 3});
  join(nodes, kSegmentSet, {0, 0, 1});
  rows(weights, "w", "stored", {100, 20, 3});
  join(weights, kSegmentSet, {0, 0, 1});
  join(weights, kNodeSet, {0, 1, 2});
  rows(transfers, "t", "bytes", {1, 20, 300, 4000});
  join(transfers, kPhaseSet, {0, 0, 2, 3});
  join(transfers, kNodeSet, {0, 2, kNoWord, 2});
  join(transfers, kSegmentSet, {0, 1, 0, 1});
  evaluator.set_elements(kSegmentSet, segments.take());
  evaluator.set_elements(kNodeSet, nodes.take());
  evaluator.set_elements(kWeightSet, weights.take());
  evaluator.set_elements(kTransferSet, transfers.take());
}

std::string over_elements(const std::string& text) {
  Ledger ledger({"let:\n  stored_here: sum(weight.stored over weight)\n  moved: sum(transfer.bytes over transfer)\n  x: " + text + "\n"});
  if (ledger.evaluator) fill(*ledger.evaluator);
  return ledger.worth("x");
}

}  // namespace

TEST_CASE("elements: an aggregate visits what agrees with what was chosen") {
  const std::pair<const char*, const char*> lines[] = {
      {"stored_here", "123"},
      {"sum(stored_here over segment)", "123"},
      {"max(stored_here over segment)", "120"},
      {"sum(segment.layers * stored_here over segment)", "1203"},
      {"max(stored_here over node)", "100"},
      {"count(over node)", "3"},
      {"sum(count(over node) * segment.layers over segment)", "21"},
      {"sum(sum(stored_here over node) over segment)", "123"},
      {"sum(segment.layers * sum(node.replicas * stored_here over node) over segment)", "1409"},
      {"moved", "4321 byte"},
      {"forward.moved", "21 byte"},
      {"forward.(max(running(transfer.bytes over transfer) over transfer))", "20 byte"},  // the transfers of each segment
      {"sum(max(running(transfer.bytes over transfer) over transfer) over phase)", "4320 byte"},
      {"recompute.moved", "0"},
      {"sum(moved over phase)", "4321 byte"},
      {"sum(moved over node)", "4021 byte"},  // one belongs to no node
      {"sum(wgrad.moved over segment)", "4000 byte"},
      {"sum(if phase == forward then transfer.bytes else 0 over transfer)", "21 byte"},  // an element chooses its words
      {"sum(transfer.bytes over transfer where phase in [agrad, wgrad])", "4300 byte"},
      {"sum(segment.layers * transfer.bytes over transfer)", "7030 byte"},
      {"sum(transfer.bytes over transfer where transfer.bytes > overall.moved / 2)", "4000 byte"},
      {"max(running(weight.stored over weight) over weight)", "120"},
      {"sum(max(running(weight.stored over weight) over weight) over segment)", "123"},
      {"count(over stage)", "4:6: `count(over stage)`: the elements of `stage` are not known before the graph is built\n"},
      {"max(node.replicas over node where weight.stored > 3)", "4:40: `weight.stored`: nothing chooses a weight here\n"},
      {"node.replicas", "4:6: `node.replicas`: nothing chooses a node here\n"},
      {"sum(1 over node where node.weighted)", "4:28: `node.weighted` is not known in this run\n"},
  };
  for (const auto& [text, expected] : lines) CHECK_MESSAGE(over_elements(text) == expected, text);
}

TEST_CASE("elements: those that belong to several words are found in their order, however many there are") {
  const std::string text = "let:\n  moved: sum(transfer.bytes over transfer)\n  list: max(running(transfer.bytes over transfer) over transfer)\n  x: ";
  const auto worth = [&](const std::string& formula) {
    Ledger ledger({text + formula + "\n"});
    ElementTable nodes, transfers;
    for (int n = 0; n < 40; ++n) {
      nodes.row("n");
      nodes.belongs(kSegmentSet, 0);
    }
    for (int t = 0; t < 200; ++t) {
      transfers.row("t");
      transfers.field("bytes", number_value(integer(t), Dimension{{1, 0, 0, 0}}));
      transfers.belongs(kPhaseSet, t % 3);
      transfers.belongs(kNodeSet, t % 5 == 4 ? kNoWord : t % 40);
    }
    ledger.evaluator->set_elements(kNodeSet, nodes.take());
    ledger.evaluator->set_elements(kTransferSet, transfers.take());
    return ledger.worth("x");
  };
  CHECK(worth("moved") == "19900 byte");
  CHECK(worth("agrad.moved") == "6567 byte");                // 2, 5, …, 197
  CHECK(worth("max(moved over node)") == "590 byte");        // node 38: 38, 78, …, 198
  CHECK(worth("max(agrad.moved over node)") == "274 byte");  // node 37: 77 and 197
  CHECK(worth("sum(moved over node)") == "15840 byte");      // elements without a node are left out
  CHECK(worth("sum(sum(moved over node) over phase)") == "15840 byte");
  CHECK(worth("wgrad.moved") == "0");
  CHECK(worth("optimizer.(sum(moved over node))") == "0");
}

TEST_CASE("elements: choosing one chooses what it belongs to, through its node too") {
  Ledger ledger({"let: {x: 1}\n"});
  Evaluator& e = *ledger.evaluator;
  fill(e);
  ElementTable nodes, saved;
  for (WordId component : {4, 5}) {
    nodes.row("n");
    nodes.belongs(kComponentSet, component);
    nodes.belongs(kSegmentSet, component - 4);
  }
  saved.row("s");
  saved.belongs(kNodeSet, 1);
  e.set_elements(kNodeSet, nodes.take());
  e.set_elements(kSavedSet, saved.take());
  const Point p = e.choose(nowhere(), kSavedSet, 0);
  CHECK(p[kSavedSet] == 0);
  CHECK(p[kNodeSet] == 1);
  CHECK(p[kSegmentSet] == 1);
  CHECK(p[kComponentSet] == 5);
  CHECK(p[kPhaseSet] == kNoWord);
}

}  // namespace opledger
