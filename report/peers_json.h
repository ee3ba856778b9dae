#pragma once
#include <string>

#include "questions/peers.h"

namespace opledger {

/// `{"0": {"tensor": [0, 1], "pipeline": 2}, …}`: a line for each processor; one peer that follows is a number, several are a list.
std::string write_peers_json(const Peers& peers);

}  // namespace opledger
