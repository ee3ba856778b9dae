#pragma once
#include <functional>
#include <map>
#include <string>

#include "run/run.h"

/// Every figure of a run that a reader may see, by name, so that two runs which must agree can be compared.
namespace opledger::invariance {

/// `metric memory`, `node decoder.attention.query forward time`, `message decoder forward all_reduce decoder.attention.output bytes`.
using Figures = std::map<std::string, double>;

/// Rewrites the name of a segment, node, axis or tensor: words of two runs that mean the same thing must come out equal.
using Naming = std::function<std::string(const std::string&)>;

/// All published metrics, the totals of every node in every phase, and bytes and seconds of all messages between two or more ranks. Figures of nodes and messages
/// are multiplied with the layers of their segment, and added up where two have one name. A served run gives them for the passes `prompt` and `decode`.
Figures figures(Run& run, const Naming& naming = {});

/// Returns the figures that differ by more than `share` of the expected one, a line each; empty if none does. With a share of 0, all bits must be equal.
std::string differences(const Figures& expected, const Figures& found, double share);

}  // namespace opledger::invariance
