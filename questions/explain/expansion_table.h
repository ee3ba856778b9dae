#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "formulas/evaluate/evaluator.h"

namespace opledger {

/// A table of names to expand, each at one point, with references by index. Dependencies of numbers form a graph with
/// shared parts; expanding each part once keeps the result linear in the number of parts.
class ExpansionTable {
 public:
  /// An entry of the table.
  struct Entry {
    Evaluator* evaluator;  ///< Evaluator of the run, or of the run at other words of cases.
    const Name* name;
    Point point;
  };

  /// `most`: limit of the number of entries.
  explicit ExpansionTable(std::size_t most) : most_(most) {}

  /// Returns the index of a name at a point, adding an entry if necessary. `words`: the words that the value depends
  /// on, which identify the point. Returns -1 at the limit.
  int place(Evaluator& evaluator, const Name& name, const Point& point, const std::vector<WordId>& words) {
    const Key key{&evaluator, &name, words};
    const auto known = places_.find(key);
    if (known != places_.end()) return known->second;
    if (all_.size() >= most_) return ++left_out_, -1;
    all_.push_back({&evaluator, &name, point});
    return places_[key] = static_cast<int>(all_.size()) - 1;
  }

  /// Changes the limit.
  void allow(std::size_t most) { most_ = most; }

  std::size_t size() const { return all_.size(); }
  const Entry& operator[](std::size_t i) const { return all_[i]; }
  std::size_t left_out() const { return left_out_; }  ///< Number of requests refused at the limit.

 private:
  using Key = std::tuple<const Evaluator*, const Name*, std::vector<WordId>>;
  std::size_t most_, left_out_ = 0;
  std::deque<Entry> all_;      ///< Entries in the order of their first requests.
  std::map<Key, int> places_;  ///< Index of each entry.
};

}  // namespace opledger
