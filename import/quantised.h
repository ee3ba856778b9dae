#pragma once
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "import/made_model.h"
#include "import/quantisation_mapping.h"

/// Rules for a model whose config says that its weights are quantised: which modules are, is in the config; what that means for their bytes and products
/// is in a document of kind `import`, found by the method. Nothing here knows a method.
namespace opledger {

/// A mapping's formula of a mark, linked.
struct LinkedMark {
  std::string of;         ///< `node`
  MappedFormula formula;  ///< `stored_width: …`
};

/// Empty, with errors, if a formula can't be linked.
std::optional<std::vector<LinkedMark>> link_quantised(const QuantisationMapping& mapping, Program& program, Diagnostics& diagnostics);

/// What is converted, and into what.
struct Scheme {
  struct Mark {
    std::string of, name, value, from;  ///< `from`: the formula that the value comes from.
  };
  std::vector<Datum> targets;  ///< Names or classes of modules.
  std::vector<Mark> marks;
};

/// Of each group of modules that the config quantises in its own way; mostly there is one. Empty, with errors, if the config can't be read.
std::vector<Scheme> read_schemes(const Datum& config, const QuantisationMapping& mapping, Diagnostics& diagnostics);

/// The text of the rules, in which `heading` says what they are. Empty, with errors: the config lists no module of the model. Warnings: it lists some that the
/// model lacks.
std::string make_quantised_rules(const Datum& config, const QuantisationMapping& mapping, const Graph& graph, const MadeModel& model,
                                 const MadeHeading& heading, Diagnostics& diagnostics);

}  // namespace opledger
