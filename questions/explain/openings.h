#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "formulas/evaluate/evaluator.h"

namespace opledger {

/// Names, each at one point, that are opened once and referred to by their places: what numbers rest on is no tree but shares most of its parts.
class Openings {
 public:
  struct Opening {
    Evaluator* evaluator;  ///< Of the run, or of what it is at other words of cases.
    const Name* name;
    Point point;
  };

  /// At most so many.
  explicit Openings(std::size_t most) : most_(most) {}

  /// The place of a name at a point, of which `words` are those that its value depends on; -1: there are too many.
  int place(Evaluator& evaluator, const Name& name, const Point& point, const std::vector<WordId>& words) {
    const Key key{&evaluator, &name, words};
    const auto known = places_.find(key);
    if (known != places_.end()) return known->second;
    if (all_.size() >= most_) return ++left_out_, -1;
    all_.push_back({&evaluator, &name, point});
    return places_[key] = static_cast<int>(all_.size()) - 1;
  }

  /// From now on there are at most so many.
  void allow(std::size_t most) { most_ = most; }

  std::size_t size() const { return all_.size(); }
  const Opening& operator[](std::size_t i) const { return all_[i]; }
  std::size_t left_out() const { return left_out_; }  ///< How often there was no place.

 private:
  using Key = std::tuple<const Evaluator*, const Name*, std::vector<WordId>>;
  std::size_t most_, left_out_ = 0;
  std::deque<Opening> all_;
  std::map<Key, int> places_;
};

}  // namespace opledger
