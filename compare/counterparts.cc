#include "compare/counterparts.h"

#include <algorithm>

#include "base/text.h"
#include "compare/translated_run.h"
#include "formulas/link/types.h"

namespace opledger {
namespace {

/// Elements of one run's set, each with a mark whether a pair has consumed it. Pairs consume elements in order, so
/// each element belongs to the first pair that matches it.
class ElementPool {
 public:
  ElementPool(Run& run, SetId set, SetId by) : run_(run), set_(set), by_(by) {
    if (set_) names_ = run_.evaluator().elements(set_).names;
    consumed_.resize(names_.size());
  }

  /// Returns the unconsumed elements whose names match any of the patterns.
  std::vector<WordId> named(const std::vector<std::string>& globs) const {
    std::vector<WordId> out;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const bool fits = std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) { return glob_match(glob, names_[i]); });
      if (!consumed_[i] && fits) out.push_back(static_cast<WordId>(i));
    }
    return out;
  }
  void consume(const std::vector<WordId>& elements) {
    for (const WordId element : elements) consumed_[element] = true;
  }
  /// Returns the elements that no pair has consumed.
  std::vector<WordId> left() {
    std::vector<WordId> out;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!consumed_[i]) out.push_back(static_cast<WordId>(i));
    }
    return out;
  }
  const std::string& name(WordId element) const { return names_[element]; }

  /// Returns the sum of a quantity over some elements of the set. `word` restricts the sum to elements that exist at
  /// this word of the set `by`, such as the messages of one phase; -1 means no restriction. Elements without a number
  /// are skipped, and the sum is nothing without any number. A sum with an open unit (`any_unit`, such as a sum of
  /// zeros) takes the unit of the next value. The position is that of the first number's formula.
  ComparedValue sum(const Name* quantity, const std::vector<WordId>& elements, WordId word) const {
    ComparedValue out;
    if (quantity == nullptr || elements.empty()) return out;
    Point point = nowhere();
    if (word >= 0) point = run_.evaluator().choose(point, by_, word);
    const std::vector<WordId> agree = run_.evaluator().visit(set_, point);
    for (const WordId element : elements) {
      if (!contains(agree, element)) continue;
      const Point here = run_.evaluator().choose(point, set_, element);
      const ComparedValue summand = compared_value(run_, *quantity, here);
      const Value& v = summand.value;
      if (!v.is_number()) continue;
      if (out.value.kind == Value::Kind::nothing) {
        out = summand;
      } else {
        if (out.value.any_unit) out.value.unit = v.unit, out.value.any_unit = v.any_unit;
        out.value.scalar.value += v.scalar.value;
      }
    }
    return out;
  }

 private:
  Run& run_;
  SetId set_, by_;
  std::vector<std::string> names_;
  std::vector<bool> consumed_;
};

/// Compares elements pair by pair: a declared pair of patterns is one entry, and unmatched elements of either run
/// follow as entries of their own.
class ElementComparer {
 public:
  ElementComparer(Run& declaring, Run& other, bool declaring_is_second, Differences& out)
      : declaring_(declaring), other_(other), declaring_is_second_(declaring_is_second), out_(out) {}

  /// Compares elements of two sets, such as the messages of two accountings. Each declared pair of pattern lists
  /// becomes one entry and consumes its elements in both pools, so that no element counts twice. A pair is skipped if
  /// one of its lists has patterns and none matches, because the pair then describes other graphs. Unconsumed
  /// elements of either run follow as entries of their own.
  void compare(const ElementComparison& comparison) {
    const SetId theirs = other_.program().find_set_or_former(comparison.theirs).first;
    const SetId by = comparison.by ? other_.program().find_set(declaring_.program().set(comparison.by).name) : SetId();
    if (!theirs || !declaring_.has_graph() || !other_.has_graph()) return;
    ElementPool there(other_, theirs, by), here(declaring_, comparison.ours, comparison.by);
    for (const ElementPair& pair : comparison.pairs) {
      const std::vector<WordId> first = there.named(pair.theirs), second = here.named(pair.ours);
      if ((first.empty() && !pair.theirs.empty()) || (second.empty() && !pair.ours.empty())) continue;  // The pair describes other graphs.
      there.consume(first);
      here.consume(second);
      add(comparison, pair.title, pair.doc, there, first, here, second);
    }
    for (const WordId left : there.left()) add(comparison, there.name(left), "", there, {left}, here, {});
    for (const WordId left : here.left()) add(comparison, here.name(left), "", there, {}, here, {left});
  }

 private:
  /// Adds the differences of one entry: each declared quantity, at each word of the set `by` (such as phases) if
  /// there is one.
  void add(const ElementComparison& comparison, const std::string& title, const std::string& why, const ElementPool& there, const std::vector<WordId>& theirs,
           const ElementPool& here, const std::vector<WordId>& ours) {
    const std::vector<std::string> words = !comparison.by ? std::vector<std::string>{""} : declaring_.program().set(comparison.by).words;
    for (const Counterpart& c : comparison.quantities) {
      const Name* quantity = other_.program().find(c.other);
      for (std::size_t w = 0; w < words.size(); ++w) {
        const WordId word = !comparison.by ? kNoWord : static_cast<WordId>(w);
        ComparedValue first = there.sum(quantity, theirs, word), second = here.sum(c.own, ours, word);
        if (!declaring_is_second_) std::swap(first, second);
        second.why = why;
        add_difference(out_.entries, {title + (words[w].empty() ? " " : " " + words[w] + " ") + c.other, {first, second}});
      }
    }
  }

  Run& declaring_;
  Run& other_;
  bool declaring_is_second_;
  Differences& out_;
};

}  // namespace

bool compare_counterparts(Run& declaring, Run& other, bool declaring_is_second, Differences& out) {
  // The accounting of `declaring` defines metrics and elements of `other`'s accounting in its own terms (`compares`).
  // Each defined metric that `other` publishes is computed in both runs, then each defined kind of elements is
  // compared. Both values of a metric get the reason that the definition states. Values are computed in the order
  // (other, declaring) and swapped if `declaring` is the first run of the pair.
  const Comparison* declared = comparison_with(declaring, other);
  if (declared == nullptr) return false;
  for (const Counterpart& c : declared->metrics) {
    const Published* published = other.program().find_published(c.other);
    if (published == nullptr) continue;
    ComparedValue first = compared_value(other, *published->metric, other.evaluator().choose(nowhere(), published->at));
    ComparedValue second = counterpart(declaring, other, c.other);
    first.why = second.why;
    if (!declaring_is_second) std::swap(first, second);
    add_difference(out.metrics, {c.other, {first, second}});
  }
  ElementComparer comparer(declaring, other, declaring_is_second, out);
  for (const ElementComparison& comparison : declared->elements) comparer.compare(comparison);
  return true;
}

}  // namespace opledger
