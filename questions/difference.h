#pragma once
#include <optional>
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

  double part = 0;  ///< Of an entry or element: its part of all that its quantity differs by.

  bool differs() const;
  /// By how much the second is more than the first, as a share of the first. Empty where that says nothing: one has no value, the first is 0, no numbers.
  std::optional<double> change() const;
};

struct Differences {
  std::vector<Difference> inputs;    ///< That the runs do not share.
  std::vector<Difference> metrics;   ///< Largest change first, before all those that have none.
  std::vector<Difference> entries;   ///< Of nodes: largest part first.
  std::vector<Difference> elements;  ///< Messages, tensors that are kept, weights: likewise.
};

/// Runs of one accounting are compared name by name; of two, by what one of them says of the other (`compares`). Texts of values belong to the runs.
Differences differences(Run& first, Run& second);

}  // namespace opledger
