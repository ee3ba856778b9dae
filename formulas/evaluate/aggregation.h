#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "formulas/evaluate/frame.h"
#include "formulas/evaluate/query_cache.h"

/// Aggregates over the words or elements of a set that agree with a point, such as `sum(x over stage)`, and running sums.
namespace opledger {

class Interpreter;

class Aggregation {
 public:
  /// `run` evaluates terms and conditions, and must outlive the object.
  explicit Aggregation(Interpreter& run) : run_(run) {}

  /// Evaluates an aggregate at a point.
  Value aggregate(const Formula& f, const Point& point, const Frame& frame);
  /// Evaluates a running sum: the sum of the terms up to the current element.
  Value running(const Formula& f, const Point& point, const Frame& frame);
  /// Forgets the cached running sums.
  void forget() { prefixes_.clear(); }

 private:
  /// A running sum's formula, and the packed words that its value depends on.
  using PrefixKey = std::pair<const Formula*, decltype(Memo::Key::words)>;
  /// Prefix sums of a running sum over one group of elements.
  struct Prefixes {
    std::vector<Value> locals;                   ///< Arguments of the enclosing function.
    std::vector<std::pair<WordId, Value>> sums;  ///< Elements in order, each with the sum up to it.
    QueryCache::Dependencies dependencies;       ///< Everything on which the sums depend.
  };

  /// Returns whether the set of an aggregate is filled; fails otherwise.
  bool is_known(const Formula& f);
  /// Returns the value of an aggregate without terms.
  Value empty(const Formula& f);
  /// Completes a max, min or mean whose number of terms may be a symbol.
  Value of_any(const Formula& f, Value all, const Scalar& count);
  /// Combines an aggregate with one more term.
  Value add_term(const Formula& f, const Value& sum, const Value& term);
  /// Returns whether an element counts in an aggregate; nothing after an error.
  std::optional<Scalar> counts(const Formula& f, const Point& p, const Frame& frame);
  /// Returns the cached prefix sums of a group of elements, or computes them.
  const Prefixes* prefixes(const PrefixKey& key, const Point& around, const Frame& frame);
  /// Computes the prefix sums of the elements that agree with the point `around`.
  std::vector<std::pair<WordId, Value>> running_sums(const Formula& f, const Point& around, const Frame& frame);
  /// Specializes a condition on the sample. Returns false, with an error, if the value is no truth.
  bool force(const Value& truth, bool& holds, const Span& span);

  Interpreter& run_;
  std::map<PrefixKey, std::vector<Prefixes>> prefixes_;  ///< Cached running sums, one item for each list of arguments.
};

}  // namespace opledger
