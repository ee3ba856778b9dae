#pragma once
#include "graph/annotations.h"

/// Comparison of annotated graphs, by which a search recognizes candidates that are the same run.
namespace opledger {

/// Returns whether two graphs with annotations are equal in everything that affects computed values, and in their texts
/// (graph/print.h), which also name rules. Positions in documents and the log are ignored.
bool same(const Graph& a, const Annotations& of_a, const Graph& b, const Annotations& of_b);

}  // namespace opledger
