#pragma once
#include <vector>

#include "rules/derivation.h"

/// How tensors are brought from one placement to another, with the questions that this raises: whether axes in which placements differ have one rank is asked
/// where the answer could save a collective or a copy.
namespace opledger {

/// The collectives between two placements. Where a dimension's axes change order: which of them have one rank is asked.
std::vector<Step> reshard(Derivation& d, const Placement& from, const Placement& to);

/// Of the placements at hand the one to bring to the target: see best_source.
const Placement& choose_source(Derivation& d, const std::vector<Placement>& at_hand, const Placement& target);

/// Terms that could be added before they are brought to their targets, of which one then would do.
struct Journey {
  Placement from, to;
};
void ask_alike(Derivation& d, const std::vector<Journey>& journeys);

/// Terms are added first where they are partial. Over axes of one rank they are not.
void ask_partial(Derivation& d, const Placement& source, const std::vector<Step>& way);

/// Two copies of one tensor that are kept. If slicing the first gives the second wherever they are not even the same (which counting tells), that is asked.
void ask_sliced(Derivation& d, const Placement& from, const Placement& to);

/// Axes that do different things in the two, and those of dimensions that have them in another order: where all have one rank, ranks hold the same.
AxisList differing(const Placement& a, const Placement& b);

/// Returns whether each rank holds the same elements in both placements. If not, asks whether the axes in which they differ have one rank.
bool same(Derivation& d, const Placement& a, const Placement& b);

/// Whether a tensor is a sum that is still spread, over axes of more than one rank.
bool spread(Derivation& d, const Placement& placement);

}  // namespace opledger
