#pragma once
#include <string>
#include <vector>

#include "formulas/formula.h"

/// Section `compares` of an accounting: how its values correspond to another accounting's values for the same model.
/// docs/conventions.md describes the section.
namespace opledger {

/// A metric or quantity of another accounting as a formula of this one.
struct Counterpart {
  std::string other;    ///< Published name of the other accounting's metric, or name of its quantity.
  Name* own = nullptr;  ///< Formula of this accounting with the same meaning; its `doc` says why the two values differ.
};

/// Elements of two accountings that represent the same work, matched by name. Each element belongs to the first pair
/// that matches it. A pair is skipped if one of its lists has globs and none of them matches: it describes another
/// model.
struct ElementPair {
  std::string title, doc;                 ///< Name of the common work, and the reason for different values.
  std::vector<std::string> theirs, ours;  ///< Globs of names in each accounting; empty if that accounting has no such element.
};

/// Comparison of two sets of elements, such as nodes or messages: sums of quantities over the elements of each pair.
struct ElementComparison {
  std::string title, theirs;            ///< Title, and name of the other accounting's set.
  SetId ours;                           ///< Set of this accounting.
  SetId by;                             ///< Set whose words are compared separately; none: compared in total.
  std::vector<Counterpart> quantities;  ///< Compared quantities of the elements.
  std::vector<ElementPair> pairs;       ///< Pairs in order of matching. Elements without a pair are compared with nothing.
};

/// The entry of `compares` for one other accounting.
struct Comparison {
  std::vector<Counterpart> metrics;         ///< Compared metrics, in the order of the document.
  std::vector<ElementComparison> elements;  ///< Compared sets of elements.
};

}  // namespace opledger
