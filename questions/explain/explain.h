#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "questions/explain/explanation.h"
#include "run/run.h"

/// Explanations of numbers: the formula, the formula with values substituted, its position, and the same for each name
/// in it, to a given depth.
namespace opledger {

/// Limits of an explanation.
struct ExplainOptions {
  int depth = 3;                                             ///< Number of levels below the requested name.
  int terms = 4;                                             ///< Number of terms of a sum to show.
  std::vector<std::pair<std::string, std::string>> at = {};  ///< Words for sets, such as `(stage, 0)`, for names with several values.
};

/// Explains a metric, a global name, or a label of a line or column in a report. A name with a value per stage is
/// explained at the stage with the largest value, unless `options.at` selects one. Empty, with an error, if no name
/// matches.
std::optional<Explanations> explain_name(Run& run, const std::string& name, const ExplainOptions& options, Diagnostics& diagnostics);

/// Explains a name of the accounting, else the nodes that match a pattern. If the name can't be computed in an
/// infeasible run, the constraint violations are reported instead. Empty, with an error, if nothing matches.
std::optional<Explanations> explain(Run& run, const std::string& name, const ExplainOptions& options, Diagnostics& diagnostics);

/// Returns true if `explain_name` can find the name; its value may still have an error.
bool is_explainable(const Run& run, const std::string& name);

/// Explains the nodes whose names match a pattern such as `*.norm`: operator, signature, placement with rules, quantities
/// by phase with formulas, transfers, saved tensors. Formulas have at most two levels, because nodes have many
/// quantities. The run needs a graph. Empty, with an error, if no node matches.
std::optional<Explanations> explain_nodes(Run& run, const std::string& pattern, const ExplainOptions& options, Diagnostics& diagnostics);

}  // namespace opledger
