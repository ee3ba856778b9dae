#pragma once
#include <vector>

#include "rules/derivation.h"

/// Transitions between placements, with the queries about single-rank axes that they raise (one_rank.h). A query is
/// made only if its answer could save a collective or a copy. An axis found to have one rank is removed, and the
/// derivation restarts, so that results of these functions hold for axes of several ranks.
namespace opledger {

/// Returns the collectives between two placements, in order. Queries axes whose order changes within a dimension, and
/// axes on which the order of the collectives depends.
std::vector<Step> reshard(Derivation& d, const Placement& from, const Placement& to);

/// Returns the available placement from which to reach the target, as best_source chooses; `available` is not empty and
/// begins with the producer's. Queries axes that could make another source better.
const Placement& choose_source(Derivation& d, const std::vector<Placement>& available, const Placement& target);

/// A transition that a message carries out.
struct PlacementChange {
  Placement from, to;
};
/// Queries axes that separate mergeable transitions. `changes` are the transitions of terms that could be added first
/// and share one message, if their placements were equal. Compares all pairs.
void query_mergeable(Derivation& d, const std::vector<PlacementChange>& changes);

/// Queries the axes of a partial source, whose transition has these steps. Terms are added before the transition if
/// they are partial; over single-rank axes they are not. No query is made if the steps send over partial axes alone.
void query_partial(Derivation& d, const Placement& source, const std::vector<Step>& steps);

/// Queries axes for two saved copies of one tensor: if these axes had one rank, slicing the first copy would give the
/// second, which then need not be saved.
void query_sliced(Derivation& d, const Placement& from, const Placement& to);

/// Returns the axes that two placements use differently, or in another order. If all have one rank, the placements are
/// equal.
AxisList differing(const Placement& a, const Placement& b);

/// Returns whether each rank has the same elements in both placements. If not, queries the axes in which they differ.
bool same(Derivation& d, const Placement& a, const Placement& b);

/// Returns whether a tensor is partial over axes of several ranks; queries its partial axes.
bool spread(Derivation& d, const Placement& placement);

}  // namespace opledger
