#pragma once
#include "graph/annotations.h"

namespace opledger {

/// Whether two graphs, and what rules said of them, are the same in all that anything is computed from. Where that was written, and the log, are not looked at.
bool same(const Graph& a, const Annotations& of_a, const Graph& b, const Annotations& of_b);

}  // namespace opledger
