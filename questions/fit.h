#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/run.h"

/// The largest value of a size with which a run fits its machine, or the fewest processors. Every candidate is a whole run, evaluated like any other: its
/// constraints decide whether it fits. The accounting says (`commands: fit`) what grows (`size`), what it must not exceed (`capacity`) and how many processors a
/// run has (`ranks`), all metrics or other names of it.
///
/// Sizes: candidates are the present value and what lies whole steps from it, up to a limit. One assumption is made, that what is too large stays so when it
/// grows (the next few values above the answer are evaluated all the same). Values that are impossible for another reason (a dimension that doesn't divide) are
/// stepped over wherever they lie; what is between the answer and the next value that is too large is tried as far as a budget goes, and how far is part of
/// the answer. Processors: totals are tried from the smallest, each with all its factorisations over the axes that may change.
namespace opledger {

inline constexpr const char* kFitCommand = "fit";  ///< Under which accountings say what is read.

struct FitRequest {
  RunRequest run;
  std::vector<std::string> vary;  ///< One key, or axes of the mesh; what the accounting calls `ranks`: all axes of the mesh.
  double step = 0;                ///< 0: the smallest divisor of the present value that leads to a possible one; of processors: see `totals`.
  double most = 0;                ///< 0: 2^40, and 4096 processors.
  /// Told before each candidate: how many there were, what varies, and its values. May be empty.
  std::function<void(int, const std::vector<std::string>&, const std::vector<double>&)> progress = {};
};

/// Why a candidate does not fit.
struct FitReason {
  std::string message;
  std::string kind;      ///< The same for candidates that are refused alike: the constraint's `reason`, or the message of an error without its numbers.
  bool of_size = false;  ///< The constraint is about the size.
};

/// A candidate that was evaluated.
struct FitPoint {
  enum class State { fits, too_large, impossible };
  std::vector<double> values;       ///< Of the keys that vary.
  State state = State::impossible;  ///< Impossible: refused for another reason than its size, which may be too large as well.
  bool over = false;                ///< The size is too large, whatever else is wrong.
  Value size, capacity, ranks;      ///< Nothing for a candidate that can't be evaluated.
  std::vector<FitReason> reasons;   ///< Empty if it fits. Of a compiled structure: the first.
};

/// Candidates that are refused alike.
struct FitRefusals {
  std::string kind;
  int count = 0;
};

struct Fit {
  std::string accounting;
  std::string execution;  ///< Empty: none was named, and the accounting has no use for one.
  std::vector<std::string> keys;
  bool axes = false;                 ///< Fewest processors.
  double step = 0;                   ///< The step of the search; 0: no fixed step.
  std::optional<FitPoint> answer;    ///< Empty: nothing fits.
  std::optional<FitPoint> beyond;    ///< The nearest one that is too large, if possible for no other reason. Empty: none was met up to the limit.
  std::optional<FitPoint> next;      ///< The nearest one that is refused for another reason, if nearer than `beyond`.
  std::vector<FitRefusals> refused;  ///< Why candidates that were tried are impossible, of a size those above the answer; the most frequent kind first.
  bool any = false;                  ///< The size stays what it is up to the limit, which nobody gave.
  // Of an input that another one is solved for (run/solved_input.h): how many are served at once, and what the others do.
  std::optional<double> served;
  std::string rest;
  int tried = 0;
  // What is known above the answer, of a size. Candidates are whole steps apart.
  double limit = 0;                       ///< The largest that could have been tried.
  double between = 0, tried_between = 0;  ///< Candidates between the answer and `beyond` if that is too large, else the limit; those that were evaluated.
  double tried_to = 0;                    ///< All candidates above the answer up to this one were evaluated.
  bool proven() const { return between == tried_between; }
  bool at_limit() const { return !beyond || !beyond->over; }  ///< Nothing that is too large was found.
};

/// Empty, with errors, if a key is unknown or no whole number, the run can't be prepared as it stands for another reason than its size, or the accounting doesn't
/// say what is read.
std::optional<Fit> find_fit(const FitRequest& request, Library& library, Diagnostics& diagnostics);

/// Totals of processors in the order in which they are tried: multiples of the step; without one every number to 16, then 2^n and 3 * 2^n.
std::vector<double> totals(double step, double most);

/// All ways to write `total` as a product of so many whole numbers, the first ones ascending.
std::vector<std::vector<double>> factorisations(double total, std::size_t factors);

}  // namespace opledger
