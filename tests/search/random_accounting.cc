#include "tests/search/random_accounting.h"

#include <algorithm>
#include <iterator>

namespace opledger {

/// Returns an expression at a case, such as `long.half`, or aggregated over all cases.
std::string RandomAccounting::at_case(int depth) {
  const std::string of = one_of("half", "part", "red.hue", "finish_hue") + one_of("", " + a", " * b");
  return below(2) == 0 ? one_of("long", "short", "odd", "both") + ".(" + (below(2) == 0 ? of : number(depth - 1)) + ")"
                       : one_of("sum(", "max(", "min(") + of + " over course)";
}

std::string RandomAccounting::operand() {
  if (argument_ && below(2) == 0) return "x";
  if (!defaults_ && below(4) == 0) return one_of("half", "part");
  switch (below(6)) {
    case 0:
      return std::to_string(below(9));
    case 1:
      return "(if w == " + one_of("x", "y", "z") + " then " + std::to_string(below(9)) + " else a)";
    default:
      return one_of("a", "b", "c", "(if t then 3 else b)");
  }
}

/// Returns an expression that iterates over words or positions, or selects by them.
std::string RandomAccounting::by_set(int depth) {
  const std::string over = " over colour" + (below(2) == 0 ? " where " + condition(depth - 1) + (below(2) == 0 ? " or colour == red" : "") : "") + ")";
  const std::string places = " over place" + (below(2) == 0 ? " where place != " + operand() : "") + ")";
  switch (below(7)) {
    case 0:
      return one_of("sum(", "max(", "min(", "mean(", "product(") + one_of("hue", "hue + a", "shade", "hue * b") + over;
    case 1:
      return "count(" + over.substr(1);
    case 2:
      return one_of("red", "blue", "green") + one_of(".hue", ".shade", ".(hue + shade)");
    case 3:
      return one_of("sum(", "max(", "mean(") + one_of("place * b", "place + 1", "sizes[place]") + places;
    case 4:
      return "(if " + one_of("any(", "all(") + "hue > " + operand() + over + " then " + operand() + " else 1)";
    case 5:
      return "sum(max(hue * (place + 1)" + places + over;
    default:
      return "finish_hue";
  }
}

std::string RandomAccounting::looked_up(int depth) {
  const std::string at = number(depth - 1);
  switch (below(5)) {
    case 0:
      return "sizes[" + at + " % 6]";
    case 1:
      return "sizes[" + at + "]";
    case 2:
      return "items[abs(floor(" + at + ")) % 3]." + one_of("size", "share");
    case 3:
      return "curve(" + at + ")";
    default:
      return defaults_ ? "by_word[w]" : one_of("by_word[w]", "by_surface[finish]");
  }
}

std::string RandomAccounting::number(int depth) {
  if (depth <= 0) return operand();
  const std::string a = number(depth - 1), b = number(static_cast<int>(below(static_cast<std::size_t>(depth))));
  switch (below(defaults_ || argument_ || colors_ ? 12 : 16)) {
    case 0:
      return "(" + a + one_of(" + ", " - ", " * ") + b + ")";
    case 1:
      return below(3) == 0 ? "gcd(floor(abs(" + a + ")), floor(abs(" + b + ")))" : one_of("max(", "min(") + a + ", " + b + ")";
    case 2:
      return "(" + a + one_of(" / (1 + abs(", " // (0.5 + abs(", " % (2 + abs(") + b + ")))";  // denominators are never 0, because division by 0 is an error
    case 3:
      return "(if " + condition(depth - 1) + " then " + a + " else " + b + ")";
    case 4:
      return one_of("floor(", "ceil(", "abs(", "-(") + a + ")";
    case 5:
      return one_of("sqrt(abs(", "log2(1 + abs(") + a + "))";
    case 6:
      return "(if " + condition(depth - 1) + " then " + a + " else null)";
    case 7:
      return "(" + a + " / " + std::to_string(1 + below(6)) + ")";
    case 8:
      return "(" + operand() + "^2)";
    case 9:
    case 10:
      return looked_up(depth);
    case 11:
      return "ceil_div(floor(" + a + "), 3)";
    case 12:
      return "twice(" + a + ")";
    default:
      return cases_ && below(2) == 0 ? at_case(depth) : by_set(depth);
  }
}

std::string RandomAccounting::condition(int depth) {
  const std::string left = number(depth < 1 ? 0 : static_cast<int>(below(static_cast<std::size_t>(depth) + 1)));
  switch (below(9)) {
    case 0:
      return "(" + condition(depth - 1) + one_of(" and ", " or ") + condition(depth - 1) + ")";
    case 1:
      return "not (" + condition(depth - 1) + ")";
    case 2:
      return "w in [" + one_of("x", "y") + ", z]";
    case 3:
      return one_of("a", "b") + " in divisors(" + std::to_string(6 + below(12)) + ")";
    case 4:
      return defaults_ ? "t" : one_of("finish == matt", "finish != gloss", "t");
    default:
      return left + one_of(" > ", " <= ", " == ", " != ") + operand();
  }
}

std::string RandomAccounting::accounting() {
  defaults_ = true;
  cases_ = below(3) == 0;
  std::string out =
      "kind: accounting\nname: random\ninputs:\n"
      "  a: {type: integer, min: 1, default: 2, doc: a size}\n  b: {type: integer, min: 1, default: 3, doc: a size}\n"
      "  c: {type: number, min: 0, default: 1, doc: a share}\n  w: {type: [x, y, z], default: x, doc: a word}\n"
      "  t: {type: boolean, default: true, doc: a choice}\n"
      "  sizes: {type: {list: {type: integer}}, default: [3, 1, 4, 1, 5, 9], doc: a list}\n"
      "  items: {type: {list: {size: integer, share: number}}, default: [{size: 2, share: 0.5}, {size: 7, share: 1.5}, {size: 1, share: 0.1}], doc: records}\n"
      "  curve: {type: {steps: count}, default: [[8, 3], [4, 2], [0, 1]], doc: a curve}\n"
      "  by_word: {type: {per: w, of: {type: integer, default: 2}}, default: {x: 1, y: 5}, doc: by a word}\n";
  out += "  half: {type: integer, min: " + std::to_string(below(3)) + ", max: " + std::to_string(3 + below(9)) + ", default: " + quoted(number(2)) +
         ", doc: follows}\n";
  out += "  part: {type: number, min: " + std::to_string(below(2)) + ", default: " + quoted(number(1)) + ", doc: follows}\n";
  out += "  by_surface: {type: {per: surface, of: {type: integer, default: 4}}, default: {gloss: 6}, doc: by what follows}\n";
  defaults_ = false;
  if (cases_)
    out += "cases:\n  course:\n    long: {}\n    short: {a: " + one_of("1", "2", "4") + ", t: " + one_of("true", "false") +
           "}\n    odd: {like: short, b: " + quoted(number(1)) + "}\n    both: {together: [short, odd]}\n";
  out += "sets:\n  surface: [matt, gloss]\n  colour: [red, blue, green]\n  place: range(" + one_of("4", "2", "6") + ")\nfunctions:\n";
  argument_ = true;
  out += "  twice(x): " + quoted(number(2)) + "\n";
  argument_ = false;
  colors_ = true;
  defaults_ = true;
  out += "let:\n  finish: " + quoted("if " + condition(1) + " then matt else gloss") + "\n";
  defaults_ = false;
  out += "  hue: {red: " + quoted(number(1)) + ", blue: " + quoted(number(2)) + ", green: " + quoted(operand()) + "}\n";
  out += "  shade: {blue: " + quoted(number(1)) + ", else: " + quoted("hue + " + number(1)) + "}\n";
  out += "  finish_hue: " + quoted("if " + condition(1) + " then " + number(1) + " else red.hue") + "\n";
  colors_ = false;
  out += "metrics:\n  score: {unit: count, doc: what counts, is: " + quoted(number(3)) + "}\n";
  out += "  second: {unit: count, doc: besides, is: " + quoted(number(3)) + "}\n";
  out +=
      "constraints:\n  - {require: \"score > 0 or score <= 0\", message: no score}\n  - {require: \"second > 0 or second <= 0\", message: nothing besides}\n";
  for (std::size_t i = below(4); i > 0; --i)
    out +=
        "  - {require: " + quoted(condition(2)) + ", message: \"{a} and {half} fail " + std::to_string(i) + "\", reason: reason " + std::to_string(i) + "}\n";
  return out;
}

std::string RandomAccounting::space() {
  std::string out = "kind: search\nname: space\ndoc: Random.\naccounting: random.yaml\nmaximize: score\naxes:\n";
  std::string axes[] = {"  - a: " + one_of("1, 2, 3, 4", "4, 1, 6, 12", "range(1, 7)") + "\n", "  - b: " + one_of("1, 2, 5", "3, 4, 8, 9", "7, 2") + "\n",
                        "  - c: 0, 0.5, 2\n", "  - w: w\n", "  - t: true, false\n"};
  std::shuffle(std::begin(axes), std::end(axes), random_);
  for (std::size_t i = 0; i < 2 + below(3); ++i) out += axes[i];
  return out;
}

}  // namespace opledger
