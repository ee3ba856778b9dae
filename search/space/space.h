#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/linked_run.h"

/// A design space: the content of a document of kind `search`, linked with the accounting that evaluates its
/// candidates.
namespace opledger {

/// Largest number of axes in `Space::axes`: the bits of an AxisSet.
inline constexpr std::size_t kMaxSpaceAxes = 64;
/// A set of axes as a bit mask by their position in `Space::axes`.
using AxisSet = std::uint64_t;
/// Returns the set with one axis.
inline AxisSet axis_bit(std::size_t axis) { return AxisSet{1} << axis; }

/// One part of an axis's domain. Its formulas may read the axes before that axis.
struct DomainItem {
  enum class Kind : std::uint8_t {
    value,     ///< One value.
    divisors,  ///< All divisors of a whole number.
    range,     ///< All whole numbers between two bounds, both included.
    words,     ///< All words of a set.
    choice     ///< The items of `then` or of `otherwise`, by a condition.
  };
  Kind kind = Kind::value;
  const Formula* first = nullptr;           ///< The value, the dividend, the lower bound, the list of words or the condition, depending on `kind`.
  const Formula* second = nullptr;          ///< The upper bound of a range, inclusive; for divisors `first`; else null.
  double constant = 0;                      ///< The value if `first` is null: a truth or the position of a word; or the number of words of a set.
  std::vector<DomainItem> then, otherwise;  ///< The items of a choice for a true and a false condition.
};

/// An input that a space varies, with the formulas of its domain.
struct SpaceAxis {
  const Name* input = nullptr;     ///< The input that receives the axis's value.
  Span span;                       ///< Source position of the axis's name, for messages.
  std::vector<DomainItem> items;   ///< The parts of the domain, in the order written.
  const Formula* where = nullptr;  ///< Condition that keeps a value; reads the value through `input`. Null: every value is kept.
  /// Condition under which a value costs as much as the axis's first value. Such a value is dropped, except the
  /// first.
  const Formula* symmetry = nullptr;
  /// True if later values are dropped after the first value without a feasible candidate, for fixed values of the
  /// axes before.
  bool stops = false;
  /// The single value of a derived axis, a formula, usually of other axes; null for a free axis.
  const Formula* derived = nullptr;
  AxisSet reads = 0;  ///< Axes on which the domain depends, directly or through named values.
};

/// The measure by which a space calls a candidate simple.
struct Simplicity {
  std::string metric;  ///< Published name of the metric that is smallest for the simplest candidate.
  double within = 0;   ///< Largest loss of the objective, as a share of the best objective.
};

/// A space with its linked run. It owns the program over which the axes' formulas are linked.
struct Space {
  std::unique_ptr<LinkedRun> run;  ///< The run with its axes as open inputs.
  Formulas formulas;               ///< Formulas of axes and conditions, linked over the run's program.
  std::vector<Constraint> where;   ///< Conditions on candidates in addition to the accounting's constraints, see where.h.
  std::vector<SpaceAxis> axes;     ///< Outermost first.
  /// Every axis as written, with its position in `axes`. Position -1: the axis has a single value from the document
  /// or the request, hence is an ordinary input.
  std::vector<std::pair<std::string, int>> order;
  std::string objective;                 ///< Name of the metric that the search optimizes.
  bool maximize = true;                  ///< True if the largest objective is the best; otherwise the smallest is.
  std::optional<Simplicity> simplicity;  ///< Nothing if the space does not say what is simple.
  std::vector<std::string> tradeoffs;    ///< Published names of metrics that candidates trade against the objective.
};

/// Returns the position of the first axis with `stops`, or the number of axes if no axis stops.
std::size_t first_stop(const Space& space);

/// Sets `stops` on the axis `name`. Returns false, with an error, if no axis with several values has this name.
bool add_stop(Space& space, const std::string& name, Diagnostics& diagnostics);

}  // namespace opledger
