#pragma once
#include <string>
#include <utility>
#include <vector>

#include "formulas/set.h"

/// Cases: words that change inputs, model parameters, mesh axes and document fields. A formula at such a word has the
/// value of a run with the changed settings. That run has its own graph, placements and sizes. The first word of each
/// set is the default and means the run itself. A word may replace the system by another document, or the model by
/// another model with its own parameters and graph.
namespace opledger {

struct Name;
struct NameScope;

inline constexpr std::size_t kMaxCases = 16;  ///< Maximum number of words of one set of cases.

/// A replacement: at a case word, the input or parameter `of` has the value of the name `value`, as in `decode: {seq:
/// 1}`. `value` may be an input without a value yet.
struct CaseValue {
  const Name* of = nullptr;
  const Name* value = nullptr;
};

/// A model whose graph is counted: the run's, or the model of some words.
struct CaseModel {
  const NameScope* scope = nullptr;  ///< Scope of its graph's formulas: its parameters, then the global names.
  std::vector<CaseValue> values;     ///< Inputs and documents that have another value with this model; empty for the run's model.
};

/// The settings of one word.
struct CaseWord {
  std::vector<std::vector<CaseValue>> values;  ///< Replacements by counted model, as in Program::models.
  std::vector<WordId> together;                ///< Words whose elements this word combines; values must agree among them. Empty: an ordinary word.
  std::size_t model = 0;                       ///< Own model, as a position in Program::models; 0: none.
  std::vector<std::pair<std::string, std::string>> documents;  ///< Own documents: (role, name).
};

/// A set of cases and its words' settings.
struct CaseSet {
  SetId set;                    ///< Set of the words, also in Program::sets.
  std::vector<CaseWord> words;  ///< Settings by word.
};

}  // namespace opledger
