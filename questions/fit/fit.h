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
  std::string kind;      ///< Equal for candidates with the same obstacle: the constraint's `reason`, or an error's message without its numbers.
  bool of_size = false;  ///< The constraint reads the size.
};

/// A candidate that was evaluated.
struct FitPoint {
  enum class State { fits, too_large, impossible };
  std::vector<double> values;       ///< One for each key that varies.
  State state = State::impossible;  ///< `impossible`: refused for a reason other than its size, even if that is too large as well.
  bool over = false;                ///< The size is too large, whether or not there are other reasons.
  Value size, capacity, ranks;      ///< Metrics; empty if the candidate can't be evaluated.
  std::vector<FitReason> reasons;   ///< Empty if the candidate fits. A compiled structure gives only the first.
};

/// The number of candidates that are refused for one kind of reason.
struct FitRefusals {
  std::string kind;
  int count = 0;
};

struct Fit {
  std::string accounting;
  std::string execution;  ///< Empty: none was named, and the accounting has no use for one.
  std::vector<std::string> keys;
  bool axes = false;                 ///< The keys are axes: the answer is the fewest processors.
  double step = 0;                   ///< The step of the search; 0: no fixed step.
  std::optional<FitPoint> answer;    ///< Empty: nothing fits.
  std::optional<FitPoint> beyond;    ///< Nearest candidate that is too large, preferably for no other reason. Empty: none was found up to the limit.
  std::optional<FitPoint> next;      ///< Nearest candidate that is refused for another reason, if nearer than `beyond`.
  std::vector<FitRefusals> refused;  ///< Reasons why tried candidates are impossible (of a size: those above the answer), the most frequent first.
  bool any = false;                  ///< The size is the same up to the default limit.
  // For a key that asks for a solved input (run/solved_input.h): the amount that is served at once, and a verb for the rest.
  std::optional<double> served;
  std::string rest;
  int tried = 0;
  // What is known above the answer, of a size. Candidates are whole steps apart.
  double limit = 0;                       ///< The largest that could have been tried.
  double between = 0, tried_between = 0;  ///< Candidates between the answer and `beyond` if that is too large, else the limit; those that were evaluated.
  double tried_to = 0;                    ///< All candidates above the answer up to this one were evaluated.
  bool proven() const { return between == tried_between; }
  bool at_limit() const { return !beyond || !beyond->over; }  ///< No candidate that is too large was found.
};

/// Empty, with errors, if a key is unknown or no whole number, the run can't be prepared as it stands for another reason than its size, or the accounting doesn't
/// say what is read.
std::optional<Fit> find_fit(const FitRequest& request, Library& library, Diagnostics& diagnostics);

/// Totals of processors in the order in which they are tried: multiples of the step; without one every number to 16, then 2^n and 3 * 2^n.
std::vector<double> totals(double step, double most);

/// All ways to write `total` as a product of so many whole numbers, the first ones ascending.
std::vector<std::vector<double>> factorisations(double total, std::size_t factors);

}  // namespace opledger
