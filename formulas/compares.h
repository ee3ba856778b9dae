#pragma once
#include <string>
#include <vector>

#include "formulas/formula.h"

/// Section `compares` of an accounting: the counterparts of another accounting's metrics, quantities and elements.
namespace opledger {

/// A metric or quantity of another accounting as a formula of this one.
struct Counterpart {
  std::string other;    ///< Published name of the other metric, or name of the other quantity.
  Name* own = nullptr;  ///< Formula of this accounting; its `doc` explains the difference.
};

/// Elements of two accountings that represent the same work, matched by name.
struct ElementPair {
  std::string title, doc;
  std::vector<std::string> theirs, ours;  ///< Globs. An element belongs to the first pair that matches elements of both accountings, if the pair names both.
};
struct ElementComparison {
  std::string title, theirs;  ///< Title, and name of the other accounting's set.
  SetId ours;
  SetId by;  ///< Set whose words are compared separately; -1: compared in total.
  std::vector<Counterpart> quantities;
  std::vector<ElementPair> pairs;
};

struct Comparison {
  std::vector<Counterpart> metrics;
  std::vector<ElementComparison> elements;
};

}  // namespace opledger
