#pragma once
#include <string>

#include "questions/peers.h"

namespace opledger {

/// Returns `{"0": {"tensor": [0, 1], "pipeline": 2}, …}`, a line for each processor. A single next peer is a number,
/// several peers are a list.
std::string write_peers_json(const Peers& peers);

}  // namespace opledger
