#pragma once
#include <string>
#include <vector>

#include "search/space/space.h"

/// What a space says to be alike is not believed: some candidates that it leaves out for that reason are evaluated beside those that stand for them.
namespace opledger {

/// False, with an error that names two candidates, if the metrics of one are not those of the other, or why it is refused, or if it is none. Numbers may
/// differ by 1e-9, since orders of addition do.
bool check_symmetries(Space& space, const std::vector<std::string>& metrics, Diagnostics& diagnostics);

}  // namespace opledger
