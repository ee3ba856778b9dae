#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/run.h"

/// The largest size with which a run fits its machine, or the fewest processors. Each candidate is a complete run, and
/// its constraints decide whether it fits. The accounting declares under `commands: fit` the growing quantity (`size`),
/// its limit (`capacity`) and the number of processors (`ranks`), all by name.
///
/// Sizes: candidates are the present value plus or minus whole steps, up to a limit. The search assumes that a
/// candidate that is too large stays too large when it grows; a few values above the answer are still evaluated. Values
/// that are impossible for another reason, such as a size that the ranks do not divide, are skipped wherever they
/// occur.
/// Candidates between the answer and the next value that is too large are evaluated within a budget, and the answer
/// reports how many were. Processors: totals are tried in ascending order, each with all its factorizations over the
/// varying axes.
namespace opledger {

inline constexpr const char* kFitCommand = "fit";  ///< Section of `commands` that accountings use.

/// A search for the largest size or the fewest processors.
struct FitRequest {
  RunRequest run;
  std::vector<std::string> vary;  ///< One key, or axes of the mesh. The name of `ranks` means all axes of the mesh.
  double step = 0;                ///< Step; 0: the smallest divisor of the present value with a possible candidate, or for processors see `totals`.
  double most = 0;                ///< Limit; 0: 2^40, or 4096 processors.
  /// Called before each candidate with the number of candidates up to this one, the keys and their values. May be
  /// empty.
  std::function<void(int, const std::vector<std::string>&, const std::vector<double>&)> progress = {};
};

/// A reason why a candidate does not fit.
struct FitReason {
  std::string message;   ///< Message of the violated constraint, or of the error.
  std::string kind;      ///< Equal for candidates with the same obstacle: the constraint's `reason`, or an error message without its numbers.
  bool of_size = false;  ///< True if the constraint reads the size.
};

/// An evaluated candidate.
struct FitPoint {
  enum class State { fits, too_large, impossible };
  std::vector<double> values;       ///< One value per key.
  State state = State::impossible;  ///< `impossible`: refused for a reason other than its size, even if the size is also too large.
  bool over = false;                ///< True if the size is too large, regardless of other reasons.
  Value size, capacity, ranks;      ///< Metrics; empty if they can't be evaluated.
  std::vector<FitReason> reasons;   ///< Empty if the candidate fits. A compiled program reports only the first reason.
};

/// Number of candidates refused for one kind of reason.
struct FitRefusals {
  std::string kind;
  int count = 0;  ///< Number of candidates with this kind of reason.
};

/// The result of a search.
struct Fit {
  std::string accounting;            ///< Name of the accounting.
  std::string execution;             ///< Name of the execution; empty if the accounting does not use the default one.
  std::vector<std::string> keys;     ///< Varied keys: one parameter or field, or axes of the mesh.
  bool axes = false;                 ///< True if the keys are axes, so that the answer is the fewest processors.
  double step = 0;                   ///< Step of the search; 0 without a fixed step.
  std::optional<FitPoint> answer;    ///< The best candidate; empty if nothing fits.
  std::optional<FitPoint> beyond;    ///< Nearest candidate that is too large, preferably for no other reason; empty if none was found up to the limit.
  std::optional<FitPoint> next;      ///< Nearest candidate refused for another reason, if nearer than `beyond`.
  std::vector<FitRefusals> refused;  ///< Reasons why candidates are impossible (for sizes: those above the answer), the most frequent first.
  bool any = false;                  ///< True if the size is constant up to the default limit.
  /// Amount served at once, if the key requests a solved input (run/solved_input.h) and less than the answer is served.
  std::optional<double> served;
  std::string rest;  ///< Predicate of the amount that is not served at once, such as `wait`.
  int tried = 0;     ///< Number of evaluated candidates.
  // Coverage above the answer, for sizes. The distance between candidates is a multiple of the step.
  double limit = 0;  ///< Largest candidate value; for processors, the largest tried total.
  /// Number of candidates between the answer and `beyond` if that is too large, else the limit; number of evaluated ones.
  double between = 0, tried_between = 0;
  double tried_to = 0;  ///< All candidates above the answer up to this value were evaluated; for processors, the last failed total before the answer.
  /// Returns true if every candidate above the answer was evaluated, up to `beyond` or the limit.
  bool proven() const { return between == tried_between; }
  bool at_limit() const { return !beyond || !beyond->over; }  ///< True if no candidate was found that is too large.
};

/// Runs a search. Empty, with errors, if a key is unknown or not a whole number, the run can't be prepared, or the
/// accounting lacks the section `commands: fit`.
std::optional<Fit> find_fit(const FitRequest& request, Library& library, Diagnostics& diagnostics);

/// Returns totals of processors in the order of the search: multiples of the step. Without a step, every number to 16,
/// then 2^n and 3 * 2^n.
std::vector<double> totals(double step, double most);

/// Returns all ordered factorizations of `total` into `factors` whole numbers, in ascending order of the first factors.
/// Returns nothing for zero factors. The cost of a level is linear in its total.
std::vector<std::vector<double>> factorizations(double total, std::size_t factors);

}  // namespace opledger
