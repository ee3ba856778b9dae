#pragma once
#include <string>
#include <utility>
#include <vector>

#include "formulas/set.h"

/// Cases: words at which inputs, parameters of a model, axes of a mesh and fields of documents have other values. What a formula is worth at such a word is
/// what it would be worth in a run with these values: that has a graph, placements and sizes of its own. The first word of a set is current where nothing
/// else is chosen. A word may have another system, whose record stands in for the run's; or another model, whose graph is counted there, with parameters
/// that formulas of this graph alone see.
namespace opledger {

struct Name;
struct NameScope;

inline constexpr std::size_t kMostCases = 16;  ///< Words of one set.

/// `decode: {seq: 1}`: what stands in for the name there. An input of its own, which may be left open.
struct CaseValue {
  const Name* of = nullptr;
  const Name* value = nullptr;
};

/// A model whose graph is counted at some words.
struct CaseModel {
  const NameScope* scope = nullptr;  ///< What formulas of its graph see: its parameters, then the global names.
  std::vector<CaseValue> values;     ///< Inputs that follow from its parameters.
};

struct CaseWord {
  std::vector<std::vector<CaseValue>> values;                  ///< By the model that is counted: Program::models.
  std::vector<WordId> together;                                ///< It has the elements of these words instead, and of their values those that agree.
  std::size_t model = 0;                                       ///< Of its own; 0: it has none.
  std::vector<std::pair<std::string, std::string>> documents;  ///< Of its own: what they are, and how they are called.
};

struct CaseSet {
  SetId set;
  std::vector<CaseWord> words;
};

}  // namespace opledger
