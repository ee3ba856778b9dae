#pragma once
#include <string>
#include <vector>

#include "formulas/formula.h"

/// What an accounting says of another one (`compares`).
namespace opledger {

/// What another accounting's metric or quantity is in this one, and why the two differ.
struct Counterpart {
  std::string other;    ///< Its name there: a metric's published name; a quantity's own.
  Name* own = nullptr;  ///< Its `doc` says why.
};

/// Elements of two accountings that stand for the same work, found by their names.
struct ElementPair {
  std::string title, doc;
  std::vector<std::string> theirs, ours;  ///< Globs; an element belongs to the first pair that finds some on each side that it names.
};
struct ElementComparison {
  std::string title, theirs;  ///< `theirs`: the other accounting's set.
  SetId ours;
  SetId by;  ///< Compared word by word; -1: at once.
  std::vector<Counterpart> quantities;
  std::vector<ElementPair> pairs;
};

struct Comparison {
  std::vector<Counterpart> metrics;
  std::vector<ElementComparison> elements;
};

}  // namespace opledger
