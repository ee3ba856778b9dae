#include "accounting/declared_marks.h"

#include "accounting/graph_engine.h"
#include "tests/accounting/program.h"

namespace opledger {
namespace {

const std::string kMarks =
    "marks:\n  message:\n    tone: {type: [low, high], default: low}\n    pieces: {type: integer, min: 1, default: 2}\n  weight: {far: {type: boolean, "
    "default: false}}\n";

/// Three messages of 1, 20 and 300 bytes; the last is backward, the second marked. A node belongs to the first two.
std::string with_marks(const std::string& text) {
  Ledger ledger({kMarks + "let:\n  moved: sum(message.bytes over message)\n  said: {low: 1, high: 2}\n  x: " + text + "\n"});
  if (!ledger.program) return messages(ledger.diagnostics);
  const IdVector<MarkId, Mark> marks = {{Marked::message, "tone", "high", {}, {}, {}}, {Marked::message, "pieces", "3 * 2", {}, {}, {}}};
  const IdVector<MarkId, BoundMark> bound = bind_marks(*ledger.program, *ledger.program->graph, ledger.evaluator->queries(), marks, ledger.diagnostics);
  Evaluator& e = *ledger.evaluator;
  Inquiry inquiry(e);
  ElementTable out, pairs, nodes;
  nodes.row("n");
  const double bytes[] = {1, 20, 300};
  for (int i = 0; i < 3; ++i) {
    const MarkList list = i == 1 ? MarkList{MarkId(0), MarkId(1)} : MarkList{};
    out.row("m" + std::to_string(i));
    out.belongs(kPhaseSet, i == 2 ? 2 : 0);
    out.field("bytes", number_value(integer(bytes[i]), Dimension{{1, 0, 0, 0}}));
    add_marks(out, kMessageSet, true, list, bound, inquiry);
    if (i == 2) continue;
    pairs.row("b" + std::to_string(i));
    pairs.belongs(kMessageSet, i);
    pairs.belongs(kNodeSet, 0);
    pairs.belongs(kPhaseSet, 0);
    add_marks(pairs, kMessageSet, false, list, bound, inquiry);
  }
  e.set_elements(kMessageSet, out.take());
  e.set_elements(kMessageNodeSet, pairs.take());
  e.set_elements(kNodeSet, nodes.take());
  return ledger.worth("x");
}

}  // namespace

TEST_CASE("marks: words narrow and choose, numbers are fields") {
  const std::pair<const char*, const char*> lines[] = {
      {"sum(message.bytes over message where tone == high)", "20 byte"},
      {"sum(message.bytes over message where message.tone == low)", "301 byte"},
      {"sum(message.bytes over message where message.phase == forward)", "21 byte"},
      {"sum(said over message)", "4"},
      {"sum(message.pieces over message)", "10"},
      {"high.moved", "20 byte"},
      {"sum(moved over tone)", "321 byte"},
      {"sum(moved over message)", "321 byte"},                    // each is all that agrees with itself
      {"sum(overall.message.(moved) over message)", "342 byte"},  // messages of its phase with any mark: 21 + 21 + 300
      {"sum(overall.message.phase.(moved) over message)", "963 byte"},
      {"sum(overall.(moved) over message)", "963 byte"},
      {"sum(overall.message.(sum(message.bytes over message_node)) over message_node)", "42 byte"},  // messages at the same node
      {"sum(sum(message.bytes over message_node) over message_node)", "21 byte"},
      {"sum(message.tones over message)", "9:10: `message` has no field `tones` (did you mean `tone`?)\n"},
  };
  for (const auto& [text, expected] : lines) CHECK_MESSAGE(with_marks(text) == expected, text);
}

TEST_CASE("marks: what is wrong with a declaration") {
  const auto said = [](const std::string& text, const std::string& more = "") {
    return messages(Ledger({text, more.empty() ? "let: {y: 1}\n" : more}).diagnostics);
  };
  CHECK(said("marks: {node: {a: {type: integer, doc: d}}}\n") == "1:19: mark `a` needs a `type` and a `default`\n");
  CHECK(said("marks: {node: {a: {type: [b, c], default: d}}}\n") == "1:43: `d` is no word of `a`\n");
  CHECK(said("marks: {node: {a: {type: text, default: d}}}\n") == "1:26: mark `a` must be a number, a boolean or a word of a list\n");
  CHECK(said("marks: {node: {a: {type: integer, default: 1}}}\n", "marks: {node: {a: {type: integer, default: 1}}}\n") == "1:16: mark `a` is declared twice\n");
  CHECK(said("marks: {node: {a: {type: [b, c], default: b}}, saved: {a: {type: [b, c], default: c}}}\n").empty());
  CHECK(said("marks: {node: {a: {type: [b, c], default: b}}, saved: {a: {type: [b], default: b}}}\n") == "1:66: `a` has other words elsewhere: b, c\n");
  CHECK(said("marks: {node: {a: {type: [b, c], default: b}}}\nlet: {a: 1}\n") == "2:7: `a` is a set: a name can't be called the same\n");
  CHECK(said("inputs: {a: {type: integer, default: 1}}\nmarks: {node: {a: {type: [b, c], default: b}}}\n") ==
        "2:16: `a` is already the name of an input, a formula or a set\n");
}

TEST_CASE("marks: a formula may choose among the words of a set that there is") {
  const std::string sets = "sets: {size: [small, large]}\ninputs: {usual: {type: size, default: large}}\n";
  const auto said = [&](const std::string& fallback, const std::string& value) {
    Ledger ledger({sets + "marks: {node: {of: {type: size, default: " + fallback + "}}}\nlet: {x: sum(if node.of == small then 1 else 100 over node)}\n"});
    if (!ledger.program) return messages(ledger.diagnostics);
    const IdVector<MarkId, BoundMark> bound =
        bind_marks(*ledger.program, *ledger.program->graph, ledger.evaluator->queries(), {{Marked::node, "of", value, {}, {}, {}}}, ledger.diagnostics);
    if (ledger.diagnostics.has_errors()) return messages(ledger.diagnostics);
    ElementTable nodes;
    Inquiry inquiry(*ledger.evaluator);
    for (const MarkList& list : {MarkList{}, MarkList{}, MarkList{MarkId(0)}}) {
      nodes.row("n");
      add_marks(nodes, kNodeSet, true, list, bound, inquiry);
    }
    ledger.evaluator->set_elements(kNodeSet, nodes.take());
    return ledger.worth("x");
  };
  CHECK(said("small", "large") == "102");
  CHECK(said("usual", "small") == "201");
  CHECK(said("if usual == large then small else large", "usual") == "102");
  CHECK(said("huge", "small").find("`huge` is no word of `of`") != std::string::npos);
  CHECK(said("small", "lareg").find("`of` is small, large, found `lareg` (did you mean `large`?)") != std::string::npos);
}

TEST_CASE("marks: an accounting that extends another may add words") {
  Ledger ledger({kMarks, "extends: a\nmarks: {message: {tone: {type: [low, high, shrill], default: shrill}}}\nlet: {x: count(over tone)}\n"});
  CHECK(ledger.worth("x") == "3");
}

TEST_CASE("marks: what rules say must be known") {
  Ledger ledger({kMarks});
  const auto said = [&](const Mark& mark) {
    Diagnostics diagnostics;
    bind_marks(*ledger.program, *ledger.program->graph, ledger.evaluator->queries(), {mark}, diagnostics);
    return messages(diagnostics);
  };
  CHECK(said({Marked::message, "tonne", "high", {}, {}, {}}).find("the accounting knows no mark `tonne` of a message (did you mean `tone`?)") !=
        std::string::npos);
  CHECK(said({Marked::message, "tone", "hihg", {}, {}, {}}).find("`tone` is low, high, found `hihg` (did you mean `high`?)") != std::string::npos);
  CHECK(said({Marked::weight, "tone", "high", {}, {}, {}}).find("knows no mark `tone` of a weight") != std::string::npos);
  CHECK(said({Marked::message, "pieces", "nosuch", {}, {}, {}}).find("unknown name `nosuch`") != std::string::npos);
  CHECK(said({Marked::weight, "far", "true", {}, {}, {}}).empty());
}

}  // namespace opledger
