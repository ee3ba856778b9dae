#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "run/linked.h"

/// A design space: what a document of kind `search` says, linked with the accounting that evaluates its candidates.
namespace opledger {

inline constexpr std::size_t kMaxSpaceAxes = 64;
/// Axes of a space, as a mask by position.
using AxisSet = std::uint64_t;
inline AxisSet axis_bit(std::size_t axis) { return AxisSet{1} << axis; }

/// Part of a domain: formulas see the axes before it.
struct DomainItem {
  enum class Kind : std::uint8_t { value, divisors, range, words, choice };
  Kind kind = Kind::value;
  const Formula* first = nullptr;   ///< The value; the number whose divisors; from here; the condition.
  const Formula* second = nullptr;  ///< range: up to and including this.
  double constant = 0;              ///< Of a value without a formula; of words: how many.
  std::vector<DomainItem> then, otherwise;
};

struct SpaceAxis {
  const Name* input = nullptr;  ///< What it gives a value.
  Span span;
  std::vector<DomainItem> items;
  const Formula* where = nullptr;     ///< Sees the axis's own value, which is the one in question.
  const Formula* symmetry = nullptr;  ///< Likewise: a value for which it holds costs what the first one costs, and is none unless it is the first.
  bool stops = false;                 ///< Behind the first of its values with which nothing is feasible, other axes before it alike, it has no more.
  const Formula* derived = nullptr;   ///< The value of an axis that has exactly one: a formula of others. It is no axis of its own.
  AxisSet reads = 0;                  ///< Axes that its domain depends on.
};

struct Space {
  std::unique_ptr<Linked> run;
  Formulas formulas;              ///< Of its axes and conditions, over the run's program.
  std::vector<Constraint> where;  ///< Conditions on candidates besides the accounting's, see where.h.
  std::vector<SpaceAxis> axes;    ///< Outermost first.
  /// All axes as written, and where they are in `axes`; -1: its one value was written down or given, so that it is an input like others.
  std::vector<std::pair<std::string, int>> order;
  std::string objective;
  bool maximise = true;
};

/// The first axis that stops; as many as there are: none does.
std::size_t first_stop(const Space& space);

/// Lets an axis stop. False, with an error, if there is none of this name with several values.
bool add_stop(Space& space, const std::string& name, Diagnostics& diagnostics);

}  // namespace opledger
