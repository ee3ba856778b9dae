#include "tests/accounting/program.h"

/// Sets on which names depend: `per SETS` of an aggregate, and `for: SETS` of a group of `let`s.
namespace opledger {
namespace {

std::string with(const std::string& formula) { return worth("sets: {color: [red, blue], shape: [round, square]}\n" + formula); }

std::string checked_lets(const std::string& groups) { return checked("sets: {color: [red, blue], shape: [round, square], rank: range(3)}\nlet:\n" + groups); }

}  // namespace

TEST_CASE("per: an aggregate forgets what is chosen of other sets, and what it visits forgets it too") {
  const std::string lets = "let:\n  n: {red: 1, blue: 20}\n  m: {round: 1, square: 300}\n";
  CHECK(with(lets + "  x: red.round.(sum(n * m over color))\n") == "21");
  CHECK(with(lets + "  x: red.round.(sum(n * m over color per shape))\n") == "21");
  CHECK(with(lets + "  x: square.(sum(n * sum(m over shape per color) over color))\n") == "6321");
  CHECK(with(lets + "  x: square.(sum(n * (sum(m over shape per color) + m) over color per shape))\n") == "12621");
  CHECK(with(lets + "  x: square.(sum(n * m over color per color))\n") ==
        "4:3: `m` varies with shape, and nothing chooses one where it is used: write round.m or aggregate over shape\n");
  CHECK(with(lets + "  x: square.(count(over color per shape where m == 300))\n") == "2");
}

TEST_CASE("per: elements belong to the words that are kept, and to all others") {
  const std::string text = "marks:\n  message:\n    hidden: {type: [yes, no], default: no}\n";
  const std::string at = metric("byte", "forward.step.(sum(message.bytes over message per phase))", text);
  Ledger ledger({at});
  REQUIRE_MESSAGE(ledger.program, messages(ledger.diagnostics));
  const auto varies = [&](const std::string& formula) {
    Ledger one({text + "let:\n  x: " + formula + "\n"});
    REQUIRE_MESSAGE(one.program, messages(one.diagnostics));
    std::string sets;
    for (const SetId set : one.name("x").variance.key) sets += one.program->set(set).name + " ";
    return sets;
  };
  CHECK(varies("sum(message.bytes over message)") == "phase cadence collective segment communicator hidden ");
  CHECK(varies("sum(message.bytes over message per phase)") == "phase ");
  CHECK(varies("sum(message.bytes over message per phase, hidden)") == "phase hidden ");
  CHECK(varies("sum(message_node.reads over message_node per message)") == "phase cadence collective segment communicator message hidden ");
  CHECK(varies("sum(message_node.reads over message_node per node, phase)") == "phase component segment kernel node ");
  CHECK(varies("sum(stage.count * message.bytes over message per segment)") == "segment ");
}

TEST_CASE("per: mistakes") {
  CHECK(with("let:\n  x: sum(1 over color per shap)\n") == "3:27: unknown set `shap` (did you mean `shape`?)\n");
  CHECK(with("let:\n  x: sum(1 over color per shape, per)\n") == "3:34: unknown set `per`\n");
  CHECK(with("let:\n  per: 2\n  x: sum(per over color per shape where per == 2)\n") == "4");  // `per` is an ordinary name here
}

TEST_CASE("for: names may vary with less than is declared, with what it belongs to, and with what always has a word") {
  CHECK(checked_lets("  - for: color\n    n: {red: 1, blue: 2}\n    one: 1\n  - for: [color, shape]\n    m: {round: n, square: 3}\n  - for: []\n    all: sum(n "
                     "over color)\n") == "");
  CHECK(checked_lets("  - for: message\n    kind: {forward: message.bytes, else: 0 byte}\n    wide: segment.layers * message.bytes\n") == "");
  CHECK(checked_lets("  - for: node\n    size: volume\n  - free: {red: 1, blue: 2}\n") == "");  // extent: `rank` where nothing chooses
  CHECK(checked("inputs: {style: {type: [plain, bold], default: plain}}\nlet:\n  - for: []\n    n: {plain: 1, bold: 2}\n") == "");
}

TEST_CASE("for: a name that varies with more sets is reported, with the names on the path and the position") {
  CHECK(checked_lets("  - for: shape\n    n: {red: 1, blue: 2}\n") ==
        "4:5: `n` is declared `for: [shape]` and varies with color: choose a color, aggregate over it, or declare it\n"
        "  4:5: `n` is defined by the words of color\n");
  CHECK(checked_lets("  - for: []\n    m: 1 + mid\n  - mid: {when: n > 1, is: 3}\n    n: {red: 1, blue: 2}\n") ==
        "4:5: `m` is declared `for: []` and varies with color, through `mid` -> `n`: choose a color, aggregate over it, or declare it\n"
        "  6:5: `n` is defined by the words of color\n");
  CHECK(checked_lets("  - for: segment\n    m: segment.layers * rank\n") ==
        "4:5: `m` is declared `for: [segment]` and varies with rank: choose a rank, aggregate over it, or declare it\n"
        "  4:25: the current rank is read here\n");
  CHECK(checked_lets("  - for: segment\n    m: volume\n") ==
        "4:5: `m` is declared `for: [segment]` and varies with node: choose a node, aggregate over it, or declare it\n"
        "  4:8: `volume` is a value of the current node\n");
  CHECK(checked("sets: {color: [red, blue]}\nfunctions:\n  f(x): {red: x, blue: 2}\nlet:\n  - for: phase\n    m: f(3)\n") ==
        "6:5: `m` is declared `for: [phase]` and varies with color, through `f`: choose a color, aggregate over it, or declare it\n"
        "  3:3: `f` is defined by the words of color\n");
  CHECK(checked("quantities: {size: volume}\nlet:\n  - for: phase\n    m: size\n") ==
        "4:5: `m` is declared `for: [phase]` and varies with node, through `size`: choose a node, aggregate over it, or declare it\n"
        "  1:14: every node has its own `size`\n");
}

TEST_CASE("for: an aggregate that visits only agreeing elements is reported, with a spelling that visits all") {
  CHECK(checked_lets("  - for: segment\n    m: sum(volume over node)\n") ==
        "4:5: `m` is declared `for: [segment]` and varies with kernel: choose a kernel, aggregate over it, visit all `per segment`, or declare it\n"
        "  4:8: `over node` visits only what belongs to the current kernel\n");
  CHECK(checked_lets("  - for: segment\n    m: sum(volume over node per segment)\n") == "");
  CHECK(checked_lets("  - for: [kernel, component]\n    m: sum(volume over node)\n") == "");
}

TEST_CASE("for: of several undeclared sets the set is reported to whose elements the other sets belong") {
  CHECK(checked_lets("  - for: [node, phase]\n    m: sum(message.bytes over message_node)\n") ==
        "4:5: `m` is declared `for: [node, phase]` and varies with message: choose a message, aggregate over it, visit all `per node, phase`, or declare it\n"
        "  4:8: `over message_node` visits only what belongs to the current message\n");
}

TEST_CASE("for: of names that share a mistake the innermost is reported") {
  CHECK(checked_lets("  - for: shape\n    n: {red: 1, blue: 2}\n    m: n + 1\n  - for: []\n    k: m\n") ==
        "4:5: `n` is declared `for: [shape]` and varies with color: choose a color, aggregate over it, or declare it\n"
        "  4:5: `n` is defined by the words of color\n");
}

TEST_CASE("for: of names with the same mistake that lead through each other one is reported") {
  CHECK(checked_lets("  - for: []\n    a: agrad.b + m\n  - for: phase\n    b: {agrad: n, else: a}\n  - n: {red: 1, blue: 2}\n    m: {red: 3, blue: 4}\n") ==
        "4:5: `a` is declared `for: []` and varies with color, through `b` -> `n`: choose a color, aggregate over it, or declare it\n"
        "  7:5: `n` is defined by the words of color\n");
}

TEST_CASE("for: it holds for what replaces the name, unless that declares anew") {
  const std::string base = "sets: {color: [red, blue]}\nlet:\n  - for: []\n    n: 1\n    m: sum(n over color)\n";
  const std::string more = "extends: base\nlet: {n: {red: inherited, blue: 2}}\n";
  CHECK(Ledger({base, more}).checked() ==
        "2:7: `n` is declared `for: []` and varies with color: choose a color, aggregate over it, or declare it\n"
        "  2:7: `n` is defined by the words of color\n");
  const std::string anew = "extends: base\nlet:\n  - for: color\n    n: {red: inherited, blue: 2}\n";
  CHECK(Ledger({base, anew}).checked() == "");
  CHECK(Ledger({base, anew}).worth("m") == "3");
}

TEST_CASE("for: names of groups are as global as others") {
  const std::string text = "sets: {color: [red, blue]}\nlet:\n  - for: color\n    n: {red: 1, blue: 2}\n  - n2: sum(n over color)\n";
  CHECK(worth(text, "n2") == "3");
  CHECK(worth(text + "metrics: {n2: 3}\n", "n2") == "6:11: `n2` is already defined\n  5:5: first defined here\n");
  CHECK(worth("let:\n  - for: colour\n    n: 1\n", "n") == "2:10: unknown set `colour`\n");
  CHECK(worth("let:\n  - for: [phase, colour]\n    n: 1\n", "n") == "2:18: unknown set `colour`\n");
}

TEST_CASE("positions: the current item's fields are the set's") {
  const std::string text = R"(documents:
  machine:
    networks: {list: {name: text, size: integer, gain: {steps: MB}}}
sets: {network: machine.networks, rank: range(3)}
let:
)";
  const auto worth_of = [&](const std::string& formula) {
    return Ledger({text + "  x: " + formula + "\n"}, {}, {},
                  {{"machine", "networks: [{name: near, size: 8, gain: [[0, 0.5]]}, {name: far, size: 64, gain: 1}]"}})
        .worth("x");
  };
  CHECK(worth_of("sum(network.size over network)") == "72");
  CHECK(worth_of("sum(network.gain(1 MB) over network where network.name == 'near')") == "0.5");
  CHECK(worth_of("min(network over network where network.size > 8)") == "1");
  CHECK(worth_of("max(network.size / machine.networks[0].size over network)") == "8");
  CHECK(worth_of("sum(network.sise over network)") == "6:10: `network.sise`: there is no `sise` (did you mean `size`?)\n");
  CHECK(worth_of("sum(rank.size over rank)") == "6:10: `rank.size`: a plain number has no fields\n");
  CHECK(worth_of("network.size") == "6:6: nothing chooses a word of `network` here\n");
}

}  // namespace opledger
