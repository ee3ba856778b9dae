#pragma once
#include <deque>
#include <string>
#include <vector>

#include "search/sweep.h"

/// A search from names of documents to what the best candidates are and cost.
namespace opledger {

struct SearchRequest {
  RunRequest run;  ///< `space` names the space; what has a value there is no axis.
  SweepRequest sweep;
  std::vector<std::string> metrics;  ///< Of the best candidates, besides what is best; by their published names.
};

struct SearchAnswer {
  SweepResult result;
  std::string accounting, objective;
  std::vector<std::string> axes, metrics, sums;  ///< Names; axes in the order of the space.
  struct Candidate {
    std::vector<Value> execution, metrics;
  };
  std::vector<Candidate> best;
  std::vector<Value> totals;  ///< By sum: with its unit.
  Space space;                ///< Keeps the texts of values.
};

/// Empty, with errors, if the space can't be read or a candidate not be evaluated.
std::optional<SearchAnswer> search(const SearchRequest& request, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
