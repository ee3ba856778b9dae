#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "models/model.h"
#include "ops/operator.h"

/// Checks of blocks as written. A graph has only the nodes whose conditions hold in one run, so building it can't
/// check the others.
namespace opledger {

/// Reports unknown inputs, renamed dimensions and arguments of nodes, in every block that `document` declares, whether
/// or not a graph has the node. An operator takes its attributes, its parameters and the quantities of nodes; a block
/// takes the dimensions and parameters that its model and blocks mention. `quantities`: names that the accounting
/// computes for nodes. Errors have the position in the document.
void check_arguments(const Document& document, const Model& model, const OperatorLibrary& operators, const std::vector<std::string>& quantities,
                     Diagnostics& diagnostics);

/// Returns the names of dimensions and parameters that the documents of a model declare or that its blocks mention.
/// The list may repeat a name.
std::vector<std::string> mentioned_names(const Model& model);

/// Reports edges of `inputs` that rename a dimension which is not among `mentioned`.
void check_renames(const std::vector<InputSpec>& inputs, const std::vector<std::string>& mentioned, Diagnostics& diagnostics);

/// Reports ports in `inputs` that the block lacks, and entries `NODE.PORT` of the shared `weights` (pairs of entry and
/// target) whose node the block lacks. `spans` has the positions of the entries of `weights`.
void check_ports(const Block& block, const std::vector<InputSpec>& inputs, const std::vector<std::pair<std::string, std::string>>& weights,
                 const std::vector<TieSpec>& spans, Diagnostics& diagnostics);

}  // namespace opledger
