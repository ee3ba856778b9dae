#pragma once
#include <string>
#include <vector>

#include "run/run.h"

/// Hints of a run: sentences about numbers that stand out, for the page of the run.
namespace opledger {

/// A hint that applies to a run.
struct GivenHint {
  std::string message;  ///< Sentence for readers.
  std::string see;      ///< Address on the page that shows more, such as `memory`.
  double weight = 0;    ///< Importance.
};

/// Returns the hints of the accounting that apply to the run, the largest weight first. A hint over a set appears once,
/// for the member with the largest weight. Hints without a value, and all hints of an infeasible run, are left out.
std::vector<GivenHint> hints(Run& run);

}  // namespace opledger
