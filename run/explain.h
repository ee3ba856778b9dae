#pragma once
#include <string>
#include <vector>

#include "run/run.h"

/// Opens a number: its formula, the formula with values put in, where it is written, and the same for what it is made of.
namespace opledger {

struct ExplainOptions {
  int depth = 3;                                             ///< Names opened below the one asked for.
  int terms = 4;                                             ///< Terms of a sum shown; the rest are counted.
  std::vector<std::pair<std::string, std::string>> at = {};  ///< `(stage, 0)`: where a name is asked for that has several values.
};

/// Text for a metric or any global name. Of a name that has a value for each stage it is the largest, on the fullest or slowest stage, unless
/// ExplainOptions::at says which. Empty, with an error, if there is none of that name.
std::string explain_name(Run& run, const std::string& name, const ExplainOptions& options, Diagnostics& diagnostics);

/// Text for a node (or all nodes whose names match the pattern): operator, signature, placement and its rules, quantities of every phase with their formulas, transfers, what is kept.
std::string explain_node(Run& run, const std::string& pattern, const ExplainOptions& options, Diagnostics& diagnostics);

}  // namespace opledger
