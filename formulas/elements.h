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

/// Where a formula is evaluated, and what the engine's sets hold there.
namespace opledger {

inline constexpr std::size_t kMaxSets = 56;
inline constexpr WordId kNoWord = -1;
inline constexpr WordId kAnyWord = -2;  ///< Checking units: the word is not known, all cases are visited.

/// The current word of each set.
struct Point : private std::array<WordId, kMaxSets> {
  using Words = std::array<WordId, kMaxSets>;
  using Words::fill;
  WordId& operator[](SetId set) { return Words::operator[](set.index()); }
  WordId operator[](SetId set) const { return Words::operator[](set.index()); }
  friend auto operator<=>(const Point&, const Point&) = default;
};
Point nowhere();
/// The point at which the inside of a `WORD.(…)` is evaluated.
Point bound(const Point& point, const Formula& at);

/// The elements of one of the engine's sets, by column.
struct Elements {
  bool known = false;  ///< Filled in: before that nothing may be asked of the set.
  std::vector<std::string> names;
  std::vector<std::string> kinds;  ///< What tells apart those of equal names in runs at different words of cases; empty: names say all.
  std::map<std::string, Column, std::less<>> fields;
  std::map<SetId, std::vector<WordId>> belongs;  ///< Which word of another set each element belongs to; kNoWord: none.
  std::map<WordId, Scalar> sometimes;            ///< Elements that not every candidate has, and whether it is there: a symbol, or never.
};

/// Values of the current node: ports, dimensions, attributes, `volume`, …; empty if it has none of that name.
using NodeValues = std::function<std::optional<Answer>(WordId node, const std::string& name, WordId extent)>;

/// Definitions that nodes give themselves.
struct NodeFormulas {
  std::vector<const Operator*> operators;                                  ///< By node.
  std::vector<std::map<std::string, const Def*, std::less<>>> quantities;  ///< By node.
  Widened widened;                                                         ///< By what nodes say themselves.
};

}  // namespace opledger
