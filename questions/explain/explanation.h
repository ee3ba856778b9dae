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
  std::string name, unit;   ///< Defined name, and its declared unit; the unit may be empty.
  std::string doc, source;  ///< Documentation, and origin of the formula, such as a paper; either may be empty.
  std::string formula;      ///< Source text; empty if the value is not a formula.
  Span span;                ///< Position of the definition.
};

/// A value with its formatted text.
struct ExplainedValue {
  Value value;       ///< Texts and records in it belong to the run.
  std::string text;  ///< `45.6 GiB`
};

/// An explained value with its constituents as children.
struct Explanation {
  enum class Kind : std::uint8_t {
    name,   ///< A name at a point; the children are the parts of its formula.
    call,   ///< A function call with arguments; the children are the parts of the function's formula.
    terms,  ///< An aggregate; the children are its largest terms in descending order, or the first factors of a product.
    term    ///< A term of an aggregate, for one word or element of the set; the children are the parts of its formula.
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
  bool documented = false;     ///< True for the requested name, whose documentation is shown, and for entries of an expansion table.
  std::string joined_by = {};  ///< Aggregate: `sum`, `max`, …
  std::size_t more = 0;        ///< Aggregate: number of omitted terms.
  ExplainedValue rest = {};    ///< Aggregate: sum of the omitted terms; nothing for other aggregates.
  std::vector<std::pair<std::string, ExplainedValue>> arguments = {};
  std::vector<Explanation> children = {};
  int place = -1;  ///< Index in the expansion table (expansion_table.h); the explanation then has only a name.
};

/// A rule and its position.
struct ExplainedRule {
  std::string text;  ///< Document and position in it, as in `NAME.shard[0]`; empty without a rule.
  Span span;         ///< Position of the rule.
};

/// A node of the graph with its ports, placement, transfers and quantities.
struct ExplainedNode {
  struct Port {
    std::string name, tensor;  ///< Name of the port, and of the input tensor; the latter is empty for outputs.
    std::vector<std::string> dimensions;
  };
  /// A dimension split over axes of the mesh, by a rule.
  struct Placement {
    std::string dimension, axes;
    ExplainedRule rule;
  };
  /// A collective for a tensor or weight of the node.
  struct Transfer {
    std::string phase, collective, axes;  ///< Phase of the step, operation, and axes of the mesh.
    std::string name, shape, cadence;     ///< Tensor or weight, its shape as text, and `microbatch` or `step`.
    ExplainedValue bytes;                 ///< Contribution of one rank.
    ExplainedRule rule;                   ///< Rule that causes the transfer.
  };
  /// An output of the node that is saved for backward.
  struct Kept {
    std::string name, shape, how;  ///< Storage in `how`: `recomputed`, `once for all layers of a stage`, or empty.
    ExplainedValue bytes;          ///< Bytes on one rank.
  };
  std::string name, op;                        ///< Name of the node, and of its operator.
  bool brief = false;                          ///< Only transfers and saved tensors follow; see kMostExplainedNodes.
  std::string doc, source;                     ///< Documentation and source of the operator.
  Span span;                                   ///< Position of the node in its document.
  std::vector<Port> inputs, weights, outputs;  ///< Ports in the order of the operator's signature.
  std::vector<Placement> placement;            ///< Split dimensions; empty if every rank computes the whole node.
  bool recomputed = false;                     ///< True if backward runs the node again.
  std::vector<Transfer> transfers;             ///< Transfers over more than one rank.
  std::vector<Kept> kept;
  std::vector<Explanation> quantities;  ///< Nonzero quantities by phase.
};

/// The explanation of a request.
struct Explanations {
  std::vector<ExplainedDefinition> definitions;  ///< Definitions that explanations refer to by index.
  std::vector<Explanation> names;                ///< The requested names; empty if nodes were requested.
  std::vector<ExplainedNode> nodes;              ///< The requested nodes; empty if a name was requested.
};

}  // namespace opledger
