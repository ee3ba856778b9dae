#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "questions/explain/explanation.h"
#include "run/run.h"

/// Opens a number: its formula, the formula with values put in, where it is written, and the same for what it is made of.
namespace opledger {

struct ExplainOptions {
  int depth = 3;                                             ///< Names opened below the one asked for.
  int terms = 4;                                             ///< Terms of a sum shown; the rest are counted.
  std::vector<std::pair<std::string, std::string>> at = {};  ///< `(stage, 0)`: where a name is asked for that has several values.
};

/// A metric or any global name; also what a report of the accounting calls it, as a line or as a column. Of a name that has a value for each stage it is the
/// largest, on the fullest or slowest stage, unless ExplainOptions::at says which. Empty, with an error, if there is none of that name.
std::optional<Explanations> explain_name(Run& run, const std::string& name, const ExplainOptions& options, Diagnostics& diagnostics);

/// What can't be computed of a run that is impossible fails for that: its violations are told instead. A name of the accounting, else a node or a pattern for nodes.
/// Empty, with an error, if there is none.
std::optional<Explanations> explain(Run& run, const std::string& name, const ExplainOptions& options, Diagnostics& diagnostics);

/// Whether `explain_name` knows it.
bool is_explainable(const Run& run, const std::string& name);

/// Nodes whose names match the pattern: operator, signature, placement and its rules, quantities of every phase with their formulas, transfers, what is kept.
/// Empty, with an error, if there is none.
std::optional<Explanations> explain_nodes(Run& run, const std::string& pattern, const ExplainOptions& options, Diagnostics& diagnostics);

}  // namespace opledger
