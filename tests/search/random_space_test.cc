#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "search/space/candidate_ranges.h"
#include "tests/search/checked_space.h"
#include "tests/search/written_space.h"
#include "tests/support/random_count.h"

namespace opledger {
namespace {

/// Random spaces over formulas without a model. Axes of every kind depend on each other, in any order. Constraints depend on few or
/// many axes, so the first failing check becomes known early or late. Values can be missing, and words need traces of their own.
class RandomSpace {
 public:
  explicit RandomSpace(unsigned seed) : random_(seed) {
    std::vector<std::string> names = {"a", "b", "c", "d", "w", "t", "u"};
    std::shuffle(names.begin(), names.end(), random_);
    names.resize(3 + below(5));
    for (const std::string& name : names) {
      axes_ += "  - " + name + ": " + domain(name) + "\n";
      known_.push_back(name);
      if (name != "w" && below(8) == 0) stops_.push_back(name);
    }
    if (below(2) == 0) {
      axes_ += "  - e: " + number(1) + " % 5 + 1\n";
      known_.emplace_back("e");
    }
  }

  std::string accounting() {
    std::string out =
        "kind: accounting\nname: random\ninputs:\n"
        "  a: {type: integer, min: 1, default: 2, doc: a size}\n  b: {type: integer, min: 1, default: 3, doc: a size}\n"
        "  c: {type: integer, min: 1, default: 1, doc: a size}\n  d: {type: integer, min: 1, default: 5, doc: a size}\n"
        "  e: {type: integer, min: 1, default: 1, doc: follows}\n  w: {type: [x, y, z], default: x, doc: a word}\n"
        "  t: {type: boolean, default: true, doc: a choice}\n  u: {type: boolean, default: false, doc: a choice}\n"
        "  list: {type: {list: {type: integer}}, default: [3, 1, 4, 1, 5, 9], doc: by a}\nmetrics:\n"
        "  score: {unit: count, doc: what counts, is: \"" +
        number(3) + "\"}\n  second: {unit: count, doc: besides, is: \"" + number(3) +
        "\"}\n"
        "  some: {unit: count, doc: of some candidates only, is: \"if " +
        condition() + " then " + number(2) +
        " else null\"}\n"
        "  item: {unit: count, doc: of a list, is: \"list[" +
        number(1) + " % 6]\"}\nconstraints:\n";
    const std::size_t count = 1 + below(6);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string require = below(8) == 0 ? "some > 3" : below(8) == 0 ? "item > 2 or " + condition() : condition() + " or " + condition();
      out += "  - {require: \"" + require + "\", message: fails " + std::to_string(i) + ", reason: reason " + std::to_string(below(count)) + "}\n";
    }
    return out;
  }

  std::string space() {
    return "kind: search\nname: space\ndoc: Random.\naccounting: random.yaml\naxes:\n" + axes_ + (below(2) == 0 ? "maximize" : "minimize") + ": score\n";
  }

  const std::vector<std::string>& stops() const { return stops_; }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  bool knows(const std::string& name) const { return std::find(known_.begin(), known_.end(), name) != known_.end(); }

  /// Returns a numeric operand: an earlier axis or a number.
  std::string operand() {
    if (known_.empty() || below(4) == 0) return std::to_string(1 + below(12));
    const std::string& name = known_[below(known_.size())];
    if (name == "w") return "(if w == " + word() + " then " + std::to_string(below(9)) + " else 2)";
    if (name == "t" || name == "u") return "(if " + name + " then 3 else 1)";
    return name;
  }

  std::string word() { return std::string(1, "xyz"[below(3)]); }

  std::string number(int depth) {
    if (depth == 0) return operand();
    const std::string a = number(depth - 1), b = number(static_cast<int>(below(static_cast<std::size_t>(depth))));
    switch (below(7)) {
      case 0:
        return "(" + a + " + " + b + ")";
      case 1:
        return "(" + a + " * " + b + ")";
      case 2:
        return "max(" + a + ", " + b + ")";
      case 3:
        return "min(" + a + ", " + b + ")";
      case 4:
        return "(" + a + " // (" + b + " % 7 + 1))";
      case 5:
        return "(if " + a + " > " + b + " then " + operand() + " else " + b + ")";
      default:
        return "(" + a + " % 11 + 1)";
    }
  }

  std::string condition() { return number(static_cast<int>(below(3))) + (below(2) == 0 ? " >= " : " != ") + number(static_cast<int>(below(2))); }

  std::string where(const std::string& it) { return below(2) == 0 ? " where " + it + " or " + condition() : ""; }

  std::string domain(const std::string& name) {
    if (name == "w") return below(3) == 0 ? "x, z" : "w" + where("it == " + word());
    if (name == "t" || name == "u") return "true, false" + where("it");
    switch (below(5)) {
      case 0:
        return "3, 1, 2" + where("it == 1");
      case 1:
        return "divisors(" + std::string(knows("a") ? "12 * a" : "60") + ") where it <= " + std::to_string(4 + below(9));
      case 2:
        return "range(1, " + operand() + " % 6 + 1)";
      case 3:
        return "\"if " + condition() + " then 2 else range(1, 4)\"";
      default:
        return "range(1, " + std::to_string(2 + below(5)) + ")" + where("it == 1");
    }
  }

  std::mt19937 random_;
  std::string axes_;
  std::vector<std::string> known_, stops_;
};

}  // namespace

TEST_CASE("a sweep of random spaces agrees with single evaluations of every candidate") {
  const int count = testing::random_count(320, 30);
  std::uint64_t candidates = 0, feasible = 0, refused = 0, skipped = 0, structures = 0;
  for (int seed = 0; seed < count; ++seed) {
    CAPTURE(seed);
    RandomSpace random(static_cast<unsigned>(seed));
    const std::string accounting = random.accounting(), text = random.space();
    CAPTURE(accounting);
    CAPTURE(text);
    WrittenSpace written(text, {"random.yaml", accounting});
    for (const std::string& axis : random.stops()) {
      Diagnostics has_one_value;
      add_stop(*written.space, axis, has_one_value);
    }
    if (CandidateRanges(*written.space).total(written.diagnostics).value_or(0) == 0) continue;
    const SweepResult found = check_sweep(*written.space, {"second"}, OneByOne::Sharing::nothing);
    candidates += found.candidates;
    feasible += found.feasible;
    refused += found.infeasible.size();
    skipped += found.skipped;
    structures += found.traces;
  }
  const auto all = static_cast<std::uint64_t>(count);
  CHECK(candidates > 50 * all);
  CHECK(feasible > 5 * all);
  CHECK(refused > all / 2);
  CHECK(structures > all);
  if (count > 100) CHECK(skipped > 0);
}

}  // namespace opledger
