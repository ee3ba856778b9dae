#pragma once
#include <string>

#include "questions/peers.h"

namespace opledger {

/// Returns the peers of each processor as JSON, one line for each: `{"0": {"tensor": [0, 1], "pipeline": 2}, …}`. Keys
/// are numbers of processors, then names of groups. A group with `next` has the number of the next processor, any other
/// group the list of its members.
std::string write_peers_json(const Peers& peers);

}  // namespace opledger
