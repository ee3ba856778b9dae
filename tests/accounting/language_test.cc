#include "tests/accounting/program.h"

namespace opledger {
namespace {

const std::string kSections = R"(sets: {color: [red, green, blue], taste: [sweet, sour]}
functions:
  twice(n): 2 * n
  weigh(n):
    red: n
    else: 10 * n
let:
  rank_of: {red: 1, green: 2, blue: 4}
  liked: {red: true, else: false}
  size: {sweet: 8 byte, sour: 2 byte}
  five: 5
  inner: green.rank_of
)";

struct Line {
  const char* formula;
  const char* expected;
};

std::string of_formula(const std::string& text) { return worth(kSections + "  x: " + text + "\n"); }

}  // namespace

TEST_CASE("language: arithmetic") {
  const Line lines[] = {
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * 3", "9"},
      {"2 ^ 3 ^ 2", "512"},
      {"-2 ^ 2", "-4"},
      {"7 // 2", "3"},
      {"-7 // 2", "-4"},
      {"7 % 4", "3"},
      {"-7 % 4", "1"},
      {"7 / 2", "3.5"},
      {"10 - 3 - 2", "5"},
      {"min(3, 1, 2)", "1"},
      {"max(3, 1, 2)", "3"},
      {"floor(-0.5)", "-1"},
      {"ceil(0.5)", "1"},
      {"abs(-3)", "3"},
      {"ceil_div(7, 2)", "4"},
      {"ceil_div(8, 2)", "4"},
      {"ceil_div(4.5, 2)", "3"},
      {"if 4 in divisors(12) then 1 else 0", "1"},
      {"if 5 in divisors(12) or 0 in divisors(12) or 1.5 in divisors(3) then 1 else 0", "0"},
      {"sqrt(9)", "3"},
      {"log2(8)", "3"},
      {"gcd(12, 18)", "6"},
      {"five * five", "25"},
      {"twice(twice(3))", "12"},
      {"0.1 + 0.2", "0.30000000000000004"},
  };
  for (const Line& line : lines) CHECK_MESSAGE(of_formula(line.formula) == line.expected, line.formula);
}

TEST_CASE("language: units") {
  const Line lines[] = {
      {"2 byte * 3", "6 byte"},
      {"1 GiB", "1073741824 byte"},
      {"6 byte / 2 byte", "3"},
      {"6 byte / 3 s", "2 byte/s"},
      {"2 ms + 1 s", "1.002 s"},
      {"7 byte // 2 byte", "3"},
      {"7 byte % 4 byte", "3 byte"},
      {"max(1 byte, 0)", "1 byte"},
      {"0 + 2 flop", "2 flop"},
      {"if five > 6 then 1 s else 0", "0"},
      {"abs(-2 s)", "2 s"},
      {"ceil_div(7 byte, 2 byte)", "4"},
      {"3 Tflop/s * 2 s", "6000000000000 flop"},
      {"-1 byte", "-1 byte"},
      {"1 hour / 1 min", "60"},
      {"2 USD/hour * 30 min", "1 USD"},
  };
  for (const Line& line : lines) CHECK_MESSAGE(of_formula(line.formula) == line.expected, line.formula);
}

TEST_CASE("language: conditions and logic") {
  const Line lines[] = {
      {"if 1 < 2 then 3 else 4", "3"},
      {"if 1 > 2 then 3 else if 2 == 2 then 5 else 6", "5"},
      {"not (1 == 2) and 3 >= 3", "true"},
      {"true or 1 / 0 == 1", "true"},  // decided without its right side
      {"false and 1 / 0 == 1", "false"},
      {"if true then 1 else 1 / 0", "1"},  // the branch not taken is not computed
      {"3 in [1, 2, 3]", "true"},
      {"4 in [1, 2, 3]", "false"},
      {"1 != 2", "true"},
      {"true == false", "false"},
      {"('a' == 'a')", "true"},
      {"null == null", "true"},
      {"five != null", "true"},
      {"5 s > 0", "true"},
      {"1 byte == 8 byte / 8", "true"},
  };
  for (const Line& line : lines) CHECK_MESSAGE(of_formula(line.formula) == line.expected, line.formula);
}

TEST_CASE("language: lists after `in`") {
  const Line lines[] = {
      {"3 in primes", "true"},          {"4 in primes", "false"},        {"5 in five", "true"},  // one value is a list of one
      {"'b' in ['a', 'b']", "true"},    {"[five, 2] in primes", "true"},                         // all of its items
      {"[five, 4] in primes", "false"}, {"[five] in [1, 5]", "true"},
  };
  for (const Line& line : lines) CHECK_MESSAGE(worth(kSections + "  primes: [2, 3, five]\n  x: \"" + line.formula + "\"\n") == line.expected, line.formula);
}

TEST_CASE("language: words") {
  const Line lines[] = {
      {"red.rank_of", "1"},
      {"blue.(rank_of * 2 + five)", "13"},
      {"inner", "2"},
      {"red.inner", "2"},  // the nearest word counts
      {"sour.blue.(rank_of * (size / 1 byte))", "8"},
      {"blue.color", "`blue`"},
      {"red.(color == red)", "true"},
      {"red.(color in [green, blue])", "false"},
      {"green.(if color == color.green then 1 else 0)", "1"},
      {"red.weigh(3)", "3"},
      {"green.weigh(3)", "30"},
      {"green.liked", "false"},
  };
  for (const Line& line : lines) CHECK_MESSAGE(of_formula(line.formula) == line.expected, line.formula);
}

TEST_CASE("language: aggregates") {
  const Line lines[] = {
      {"sum(rank_of over color)", "7"},
      {"product(rank_of over color)", "8"},
      {"max(rank_of over color)", "4"},
      {"min(rank_of over color)", "1"},
      {"mean(rank_of over color)", "2.3333333333333335"},
      {"mean(rank_of over color where rank_of > 1)", "3"},
      {"count(over color)", "3"},
      {"count(over color where rank_of > 1)", "2"},
      {"any(liked over color)", "true"},
      {"all(liked over color)", "false"},
      {"sum(rank_of over color where color != red)", "6"},
      {"sum(rank_of over color where rank_of > 9)", "0"},
      {"product(rank_of over color where rank_of > 9)", "1"},
      {"max(size over taste where size > 9 byte)", "0"},
      {"any(rank_of > 9 over color where rank_of > 9)", "false"},
      {"all(rank_of > 9 over color where rank_of > 9)", "true"},
      {"max(running(rank_of over color) over color)", "7"},
      {"green.(running(rank_of over color))", "3"},
      {"blue.(running(rank_of over color where rank_of != 2))", "5"},
      {"sum(rank_of * sum(size over taste) over color)", "70 byte"},
      {"green.(sum(rank_of over color))", "7"},  // visits all colors; the current one does not matter
      {"sum(five over color)", "15"},
      {"sum(sum(running(rank_of over color where size > rank_of * 1 byte) over color) over taste)", "14"},
  };
  for (const Line& line : lines) CHECK_MESSAGE(of_formula(line.formula) == line.expected, line.formula);
}

TEST_CASE("language: what can't be computed says where and why") {
  const Line lines[] = {
      {"1 / (five - 5)", "13:6: division by zero: `1 / (five - 5)`\n"},
      {"five % 0", "13:6: division by zero: `five % 0`\n"},
      {"ceil_div(1, 0)", "13:6: division by zero: `ceil_div(1, 0)`\n"},
      {"10 ^ 300 * 10 ^ 300", "13:6: overflow: `10 ^ 300 * 10 ^ 300` is not a finite number\n"},
      {"sqrt(-1)", "13:6: overflow: `sqrt(-1)` is not a finite number\n"},
      {"1 s + 1 byte", "13:6: s and byte do not go together\n"},
      {"1 s == 1 byte", "13:6: s and byte do not go together\n"},
      {"1 + true", "13:6: `+` works on numbers, not on a plain number and true or false\n"},
      {"-true", "13:6: `-` works on numbers, not on true or false\n"},
      {"not 1", "13:6: `not` needs true or false, not a plain number\n"},
      {"1 and true", "13:6: `and` joins true and false, not a plain number\n"},
      {"if 1 then 2 else 3", "13:6: a condition must be true or false, not a plain number\n"},
      {"sum(1 over color where 1)", "13:6: `where` must be true or false, not a plain number\n"},
      {"any(1 over color)", "13:6: `any` and `all` join true and false\n"},
      {"mean(1 over color where false)", "13:6: the mean over no color\n"},
      {"1 + [1, 2]", "13:6: `+` works on numbers, not on a plain number and a list\n"},
      {"[1, 1 / 0]", "13:10: division by zero: `1 / 0`\n"},
      {"range(five / 2)", "13:6: `range(five / 2)`: 2.5 is no whole number from 0\n"},
      {"range(0 - 1)", "13:6: `range(0 - 1)`: -1 is no whole number from 0\n"},
      {"range(1 s)", "13:6: `range` works on plain numbers\n"},
      {"range(1, 2)", "13:6: `range` takes one argument\n"},
      {"range(10 ^ 9)", "13:6: `range(10 ^ 9)`: 1000000000 values are too many, at most 1000000 are possible\n"},
      {"null + 1", "13:6: `+` works on numbers, not on nothing and a plain number\n"},
      {"red < green", "13:6: words can be equal or not: `red < green`\n"},
      {"red == 1", "13:6: `red == 1` compares a word with a plain number\n"},
      {"five.y", "13:6: `five.y`: a plain number has no fields\n"},
      {"five[0]", "13:6: `five[0]`: a plain number can't be indexed\n"},
      {"five(1)", "13:6: `five` is no function and no curve\n"},
      {"floor(true)", "13:6: `floor` works on numbers, not on true or false\n"},
      {"floor(1, 2)", "13:6: `floor` takes one argument\n"},
      {"gcd(1)", "13:6: `gcd` takes two arguments\n"},
      {"sqrt(4 byte)", "13:6: `sqrt` works on plain numbers\n"},
      {"2 ^ (1 s)", "13:6: `^` works on plain numbers\n"},
      {"divisors(12)", "13:6: `divisors` gives a list of values: it can only stand in a search axis\n"},
      {"inherited + 1", "13:6: `inherited` refers to a replaced definition, and this definition replaces none\n"},
      {"rank_of", "8:3: `rank_of` varies with color, and nothing chooses one where it is used: write red.rank_of or aggregate over color\n"},
      {"color == red", "13:6: nothing chooses a word of `color` here\n"},
      {"weigh(3)", "13:6: `weigh` varies with color, and nothing chooses one here\n"},
      {"running(rank_of over color)", "13:6: `running` needs a current color\n"},
  };
  for (const Line& line : lines) CHECK_MESSAGE(of_formula(line.formula) == line.expected, line.formula);
}

TEST_CASE("language: the error for a second graph points to the last drawing of the graph") {
  const std::string graph = "{draw: nodes, table: t, by: node, columns: [time]}";
  Ledger wrong({"kind: accounting\nviews:\n  one: [" + graph + "]\n  two: [{draw: table, table: t}, " + graph + "]\n  three: [{draw: table, table: t}]\n"});
  const std::string expected = "4:34: a page colors one graph: use `draw: nodes` once, not 2 times\n";
  CHECK_MESSAGE(messages(wrong.diagnostics).find(expected) != std::string::npos, messages(wrong.diagnostics));
}

}  // namespace opledger
