#pragma once
#include <string>
#include <vector>

#include "formulas/set.h"

/// Cases: words at which inputs, parameters of a model, axes of a mesh and fields of documents have other values. What a formula is worth at such a word is
/// what it would be worth in a run with these values: that has a graph, placements and sizes of its own. The first word of a set is current where nothing
/// else is chosen.
namespace opledger {

struct Name;

inline constexpr std::size_t kMostCases = 16;  ///< Words of one set.

/// `decode: {seq: 1}`: what stands in for the name there. An input of its own, which may be left open.
struct CaseValue {
  const Name* of = nullptr;
  const Name* value = nullptr;
};

struct CaseWord {
  std::vector<CaseValue> values;
  std::vector<WordId> together;  ///< It has the elements of these words instead, and of their values those that agree.
};

struct CaseSet {
  SetId set;
  std::vector<CaseWord> words;
};

}  // namespace opledger
