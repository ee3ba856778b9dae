#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/run.h"

/// The largest value of a size with which a run fits its machine, or the fewest processors. Every candidate is a whole run, evaluated like any other: its
/// constraints decide whether it fits. The accounting says (`commands: fit`) what grows (`size`), what it must not exceed (`capacity`) and how many processors a
/// run has (`ranks`), all metrics or other names of it.
///
/// Sizes: values are the present one and what lies whole steps from it. The search gallops and bisects on the assumption that what is too large stays so when it
/// grows; the next few values above the answer are then evaluated too. Values that are impossible for another reason (a dimension that doesn't divide) are
/// stepped over. Processors: totals are tried from the smallest, each with all its factorisations over the axes that may change.
namespace opledger {

struct FitRequest {
  RunRequest run;
  std::vector<std::string> vary;  ///< One key, or axes of the mesh; what the accounting calls `ranks`: all axes of the mesh.
  double step = 0;                ///< 0: the smallest divisor of the present value that leads to a possible one; of processors: see `totals`.
  double most = 0;                ///< 0: 2^40, and 4096 processors.
};

/// A candidate that was evaluated.
struct FitPoint {
  enum class State { fits, too_large, impossible };
  std::vector<double> values;  ///< Of the keys that vary.
  State state = State::impossible;
  Value size, capacity, ranks;       ///< Nothing for an impossible one.
  std::vector<std::string> reasons;  ///< Why it does not fit.
};

struct Fit {
  std::string accounting;
  std::vector<std::string> keys;
  bool axes = false;               ///< Fewest processors.
  double step = 0;                 ///< That was used; 0: none in particular.
  std::optional<FitPoint> answer;  ///< Empty: nothing fits.
  std::optional<FitPoint> beyond;  ///< The nearest one that does not. Empty: nothing was in the way up to the limit.
  int tried = 0;
  bool at_limit = false;  ///< Nothing larger was tried.
};

/// Empty, with errors, if a key is unknown or no whole number, the run can't be prepared as it stands for another reason than its size, or the accounting doesn't
/// say what is read.
std::optional<Fit> find_fit(const FitRequest& request, Library& library, Diagnostics& diagnostics);

/// Totals of processors in the order in which they are tried: multiples of the step; without one every number to 16, then 2^n and 3 * 2^n.
std::vector<double> totals(double step, double most);

/// All ways to write `total` as a product of so many whole numbers, the first ones ascending.
std::vector<std::vector<double>> factorisations(double total, std::size_t factors);

}  // namespace opledger
