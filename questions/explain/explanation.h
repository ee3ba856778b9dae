#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "formulas/value.h"

/// Explanations of numbers as plain data, which report/ formats.
namespace opledger {

/// A formula with its documentation, shared by all values that it computes.
struct ExplainedDefinition {
  std::string name, unit, doc, source;
  std::string formula;  ///< Source text; empty if the value is not a formula.
  Span span;
};

/// A value with its formatted text.
struct ExplainedValue {
  Value value;       ///< Texts and records in it belong to the run.
  std::string text;  ///< `45.6 GiB`
};

/// An explained value with its constituents as children.
struct Explanation {
  enum class Kind : std::uint8_t {
    name,   ///< A name at a program point.
    call,   ///< A function call with arguments.
    terms,  ///< An aggregate; the children are its largest terms in descending order.
    term
  };
  Kind kind = Kind::name;
  std::string name;     ///< Name or function; set of an aggregate; word or element of a term.
  int definition = -1;  ///< Index in Explanations::definitions; -1 without one.
  ExplainedValue value;
  std::vector<std::pair<std::string, std::string>> point = {};  ///< Words on which the value depends: set, word.
  std::string where = {};                                       ///< The point as text.
  std::string own_unit = {};                                    ///< Value of an input in its declared unit, if shown in another unit.
  std::string substituted = {};                                 ///< Formula with values substituted for names; empty if it equals the formula.
  std::string because = {};                                     ///< Condition that does not hold, so that the value is 0.
  bool documented = false;                                      ///< True for the requested name, whose documentation is shown.
  std::string joined_by = {};                                   ///< Aggregate: `sum`, `max`, …
  std::size_t more = 0;                                         ///< Aggregate: number of omitted terms.
  ExplainedValue rest = {};                                     ///< Aggregate: sum of the omitted terms; nothing for other aggregates.
  std::vector<std::pair<std::string, ExplainedValue>> arguments = {};
  std::vector<Explanation> children = {};
  int place = -1;  ///< Index in the expansion table (expansion_table.h); the explanation then has only a name.
};

/// A rule and its position.
struct ExplainedRule {
  std::string text;  ///< Reference, for example `megatron.shard[0]`; empty without a rule.
  Span span;
};

/// A node of the graph with its ports, placement, transfers and quantities.
struct ExplainedNode {
  struct Port {
    std::string name, tensor;  ///< Name of the port, and of the input tensor; the latter is empty for outputs.
    std::vector<std::string> dimensions;
  };
  struct Placement {
    std::string dimension, axes;
    ExplainedRule rule;
  };
  struct Transfer {
    std::string phase, collective, axes, name, shape, cadence;
    ExplainedValue bytes;
    ExplainedRule rule;
  };
  struct Kept {
    std::string name, shape, how;  ///< Storage in `how`: `recomputed`, `once for all layers of a stage`, or empty.
    ExplainedValue bytes;
  };
  std::string name, op, doc, source;
  Span span;
  std::vector<Port> inputs, weights, outputs;
  std::vector<Placement> placement;
  bool recomputed = false;
  std::vector<Transfer> transfers;
  std::vector<Kept> kept;
  std::vector<Explanation> quantities;
};

/// The explanation of a request.
struct Explanations {
  std::vector<ExplainedDefinition> definitions;
  std::vector<Explanation> names;  ///< The requested names; empty if nodes were requested.
  std::vector<ExplainedNode> nodes;
};

}  // namespace opledger
