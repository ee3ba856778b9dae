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

/// The sets whose current words make up the point at which a formula is evaluated.
namespace opledger {

struct Formula;
struct Name;

struct FieldType {
  Value::Kind kind = Value::Kind::number;
  Dimension unit;
};

/// A set: words, or elements that are filled in when a run has a graph.
struct Set {
  std::string name;
  SetId id;
  std::vector<std::string> words;                 ///< Of a word set, or the names of the elements.
  std::vector<std::string> texts;                 ///< How a word is written in published names.
  std::unordered_map<std::string, WordId> index;  ///< Word -> position (word sets only).
  bool elements = false;
  WordId default_word = -1;       ///< Current where nothing else was chosen.
  std::vector<SetId> belongs_to;  ///< Element sets: sets whose words choosing an element chooses too.
  std::map<std::string, FieldType, std::less<>> fields;
  bool restarts = false;                   ///< Running sums over what belongs to it begin anew in each of its elements.
  const Name* binder = nullptr;            ///< A name of the same name: its value is the current word where none was chosen.
  std::vector<const Operator*> operators;  ///< `optimizer: {operators: optimizer_step}`: its words are the operators that extend that one.
  const Operator* family = nullptr;        ///< That one.
  ExprPtr positions;                       ///< `network: system.networks`: the positions of a list.
  const Formula* positions_formula = nullptr;
  Span span;
};

/// Words that are current inside `WORD.(…)`.
using Bindings = std::vector<std::pair<SetId, WordId>>;

}  // namespace opledger
