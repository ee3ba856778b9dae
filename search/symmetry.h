#pragma once
#include <string>
#include <vector>

#include "search/space/space.h"

/// A check of symmetries. A space may declare that values of an axis cost the same as its first value, so that a search
/// skips them. Random skipped candidates are evaluated and compared with the candidates that represent them.
namespace opledger {

/// Returns false, with an error that names two candidates, if metrics or reasons of refusal differ within a pair. The
/// same holds if the counterpart of a candidate is no candidate. A domain that can't be evaluated is an error too.
/// Numbers may differ by a relative 1e-9, because orders of addition differ. `metrics`: published names to compare.
bool check_symmetries(Space& space, const std::vector<std::string>& metrics, Diagnostics& diagnostics);

}  // namespace opledger
