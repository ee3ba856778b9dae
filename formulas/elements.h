#pragma once
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formulas/answer.h"
#include "formulas/column.h"
#include "formulas/formula.h"

/// Points at which formulas are evaluated, and elements of the engine's sets. The engine passes Elements and node
/// values to an Evaluator when it has built the graph of a run.
namespace opledger {

inline constexpr std::size_t kMaxSets = 62;  ///< Maximum number of sets of a program.
inline constexpr WordId kNoWord = -1;        ///< No current word.
inline constexpr WordId kAnyWord = -2;       ///< Unknown word while units are checked; all cases are visited.

/// A point: the current word of each set; kNoWord for a set without one.
struct Point : private std::array<WordId, kMaxSets> {
  using Words = std::array<WordId, kMaxSets>;
  using Words::fill;
  WordId& operator[](SetId set) { return Words::operator[](set.index()); }
  WordId operator[](SetId set) const { return Words::operator[](set.index()); }
  friend auto operator<=>(const Point&, const Point&) = default;
};
/// Returns the point at which no set has a current word.
Point nowhere();
/// Returns the point at which the argument of a `WORD.(…)` formula is evaluated: `point` with the words that `at`
/// binds.
Point bound(const Point& point, const Formula& at);

/// The elements of an engine set, as columns.
struct Elements {
  bool known = false;              ///< The elements were filled in. Queries about the set before that are errors.
  std::vector<std::string> names;  ///< Names of the elements; their number is the number of elements.
  /// A second key of each element, besides its name. Runs at different case words recognize an element by both keys,
  /// such as a node by name and operator signature. Empty: names suffice.
  std::vector<std::string> kinds;
  std::map<std::string, Column, std::less<>> fields;  ///< Values of each field, by element.
  std::map<SetId, std::vector<WordId>> belongs;       ///< Membership: for each other set, the word to which each element belongs; kNoWord: none.
  std::map<WordId, Scalar> sometimes;                 ///< Presence of elements that some candidates lack: a symbol, or false. Other elements are present.
};

/// Returns a value of a node by name: a port, dimension, attribute, or a quantity such as `volume`. `node` is the node's
/// position in the elements that were last filled in. `extent` selects the value on one rank or in total. Returns nothing
/// if the node has no such value.
using NodeValues = std::function<std::optional<Answer>(WordId node, const std::string& name, WordId extent)>;

/// Operators of the nodes, and definitions of individual nodes.
struct NodeFormulas {
  std::vector<const Operator*> operators;                                  ///< Operators by node; null: none.
  std::vector<std::map<std::string, const Def*, std::less<>>> quantities;  ///< Own quantities by node.
  Widened widened;                                                         ///< Variances widened by the nodes' own definitions.
};

}  // namespace opledger
