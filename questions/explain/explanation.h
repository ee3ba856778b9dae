#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "formulas/value.h"

/// What numbers rest on, as plain data: report/ writes it.
namespace opledger {

/// A formula and what is said of it, once for all who use it.
struct ExplainedDefinition {
  std::string name, unit, doc, source;
  std::string formula;  ///< As it is written; empty: it is given as a whole.
  Span span;
};

/// A value for people and for programs.
struct ExplainedValue {
  Value value;       ///< Texts and records belong to the run.
  std::string text;  ///< `45.6 GiB`
};

struct Explanation {
  enum class Kind : std::uint8_t {
    name,   ///< A name at a point.
    call,   ///< A function with its arguments.
    terms,  ///< What an aggregate joins: its children are terms, the largest first.
    term
  };
  Kind kind = Kind::name;
  std::string name;     ///< Of the name or function; of terms the set; of a term the word or element.
  int definition = -1;  ///< Position in Explanations::definitions; -1: none.
  ExplainedValue value;
  std::vector<std::pair<std::string, std::string>> point = {};  ///< The words on which the value depends: set, word.
  std::string where = {};                                       ///< The same for people.
  std::string own_unit = {};                                    ///< Of an input that is declared in another unit than it is shown in: its value there.
  std::string put_in = {};                                      ///< The formula with values in the place of names; empty: it says no more.
  std::string because = {};                                     ///< A condition that does not hold: the value is 0 for that.
  bool documented = false;                                      ///< What was asked for: who reads it wants to know what it means.
  std::string joined_by = {};                                   ///< Of terms: `sum`, `max`, …
  std::size_t more = 0;                                         ///< Of terms: how many are left out …
  ExplainedValue rest = {};                                     ///< … and what they come to together; nothing where that has no meaning.
  std::vector<std::pair<std::string, ExplainedValue>> arguments = {};
  std::vector<Explanation> children = {};
  int place = -1;  ///< It is opened elsewhere, see openings.h: nothing but its name is told here.
};

/// A rule, and where it stands.
struct ExplainedRule {
  std::string text;  ///< `megatron.shard[0]`; empty: no rule.
  Span span;
};

/// An operator of the graph.
struct ExplainedNode {
  struct Port {
    std::string name, tensor;  ///< Outputs have no tensor of another name.
    std::vector<std::string> dimensions;
  };
  struct Placement {
    std::string dimension, axes;
    ExplainedRule rule;
  };
  struct Transfer {
    std::string phase, collective, axes, what, shape, cadence;
    ExplainedValue bytes;
    ExplainedRule rule;
  };
  struct Kept {
    std::string name, shape, how;  ///< `how`: `recomputed`, `once for all layers of a stage`, or empty.
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

struct Explanations {
  std::vector<ExplainedDefinition> definitions;
  std::vector<Explanation> names;  ///< What was asked for; of a pattern of nodes, these instead.
  std::vector<ExplainedNode> nodes;
};

}  // namespace opledger
