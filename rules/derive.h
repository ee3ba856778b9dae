#pragma once
#include <memory>

#include "graph/condition.h"
#include "rules/derivation.h"

/// The passes over one graph, with their intermediate results. Most callers need the annotations alone and use `annotate`.
namespace opledger {

/// What a derivation reads; see `annotate`.
struct DerivationSources {
  const Graph& graph;
  const Mesh& mesh;
  const RuleSet& rules;
  const Condition& holds;
  const SizeQueries& sizes;
};

/// Selects the rules and runs all passes. `ones` has the axes that were found to have one rank. Messages about the
/// selection go to `diagnostics`, those of the passes to `remarks`, to which the result refers. The sources, `ones` and
/// `remarks` must outlive the result.
std::unique_ptr<Derivation> derive_graph(const DerivationSources& from, OneRank& ones, Diagnostics& remarks, Diagnostics& diagnostics);

}  // namespace opledger
