#pragma once
#include <vector>

#include "compare/compared.h"

/// Two runs, quantity by quantity.
namespace opledger {

struct Differences {
  std::vector<Compared> inputs;    ///< That the runs do not share.
  std::vector<Compared> metrics;   ///< Largest change first, before all those that have none.
  std::vector<Compared> entries;   ///< Of nodes: largest part first.
  std::vector<Compared> elements;  ///< Messages, tensors that are kept, weights: likewise.
};

/// Runs of one accounting are compared name by name; of two, by what one of them says of the other (`compares`).
Differences differences(Run& first, Run& second);

}  // namespace opledger
