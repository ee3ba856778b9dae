#pragma once
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/source.h"
#include "expr/ast.h"
#include "formulas/value.h"
#include "ops/operator.h"

/// The sets of a program. Formulas are evaluated at points, which have a current word of each set, and aggregates run
/// over the words or elements of a set.
namespace opledger {

struct Formula;
struct Name;

/// Kind and unit of a field of elements.
struct FieldType {
  Value::Kind kind = Value::Kind::number;
  Dimension unit;  ///< Unit of numbers; plain by default.
};

/// A set of words from documents, or of elements that are filled in for the graph of a run.
struct Set {
  std::string name;
  SetId id;                                              ///< Number of the set in its program.
  std::vector<std::string> words;                        ///< Words of a word set in order, or names of the mesh's axes; else empty.
  std::vector<std::string> texts;                        ///< Spellings of the words in published names.
  std::unordered_map<std::string, WordId> index;         ///< Positions of the words (word sets only).
  bool elements = false;                                 ///< The set has elements, which an Evaluator stores, instead of words.
  WordId default_word = -1;                              ///< Current word of points that choose none; -1: no default.
  std::vector<SetId> belongs_to;                         ///< Sets whose words each element belongs to. Choosing an element chooses these words as well.
  std::map<std::string, FieldType, std::less<>> fields;  ///< Fields of the elements by name.
  bool restarts = false;                                 ///< A running sum adds only elements that belong to the same element of this set.
  const Name* binder = nullptr;                          ///< Name of the same spelling. Its value is the current word of points that choose none.
  std::vector<const Operator*> operators;                ///< Operators that are the words of a family set, such as `optimizer: {operators: optimizer_step}`.
  const Operator* family = nullptr;                      ///< Operator extended by all `operators`.
  ExprPtr positions;                                     ///< List whose positions are the words: `network: system.networks`.
  const Formula* positions_formula = nullptr;            ///< `positions`, linked; null for other sets.
  Span span;                                             ///< Position of the declaration.
};

/// Words that become current inside `WORD.(…)`. A word of kNoWord (-1) clears its set; an entry without a set clears
/// all sets.
using Bindings = std::vector<std::pair<SetId, WordId>>;

}  // namespace opledger
