#pragma once
#include <vector>

#include "rules/derivation.h"

/// Transitions between placements, with the queries about axes of one rank that they raise. A query is made only if its
/// answer could save a collective or a copy.
namespace opledger {

/// Returns the collectives between two placements; queries axes whose order changes within a dimension.
std::vector<Step> reshard(Derivation& d, const Placement& from, const Placement& to);

/// Returns the available placement from which to reach the target; see best_source.
const Placement& choose_source(Derivation& d, const std::vector<Placement>& available, const Placement& target);

/// A transition that a message carries out.
struct PlacementChange {
  Placement from, to;
};
/// Queries axes that separate mergeable transitions. `changes` are the transitions of terms that could be added first
/// and share one message.
void query_mergeable(Derivation& d, const std::vector<PlacementChange>& changes);

/// Queries the axes of a partial source. Terms are added before the transition if they are partial; over axes of one
/// rank they are not.
void query_partial(Derivation& d, const Placement& source, const std::vector<Step>& steps);

/// Queries axes for two saved copies of one tensor: with one rank in them, slicing the first copy would give the
/// second.
void query_sliced(Derivation& d, const Placement& from, const Placement& to);

/// Returns the axes that two placements use differently, or in another order. If all have one rank, the placements are
/// equal.
AxisList differing(const Placement& a, const Placement& b);

/// Returns whether each rank has the same elements in both placements. If not, queries the axes in which they differ.
bool same(Derivation& d, const Placement& a, const Placement& b);

/// Returns whether a tensor is partial over axes of several ranks.
bool spread(Derivation& d, const Placement& placement);

}  // namespace opledger
