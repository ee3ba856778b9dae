#pragma once
#include <string>
#include <vector>

#include "run/run.h"

/// Two runs, quantity by quantity.
namespace opledger {

struct Difference {
  std::string name;  ///< A metric; an input; a node's quantity in a phase.
  Value first, second;
  std::string why;                                ///< What the accountings say of it; empty: nothing.
  Span first_at, second_at;                       ///< Where the formulas stand.
  std::string first_rule = {}, second_rule = {};  ///< Of an entry: the rules behind it.

  /// Relative to the larger of the two; 1 if only one has a value, or they are no numbers.
  double share() const;
};

struct Differences {
  std::vector<Difference> inputs;    ///< That the runs do not share.
  std::vector<Difference> metrics;   ///< Largest share first.
  std::vector<Difference> entries;   ///< Of nodes: those first that make up most of what their quantity differs by.
  std::vector<Difference> elements;  ///< Messages, tensors that are kept, weights: likewise.
};

/// Runs of one accounting are compared name by name; of two, by what one of them says of the other (`compares`). Texts of values belong to the runs.
Differences differences(Run& first, Run& second);

}  // namespace opledger
