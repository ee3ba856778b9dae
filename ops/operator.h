#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "ops/definition.h"
#include "ops/order.h"
#include "schemas/library.h"

/// Operators as declared in documents: a signature over named dimensions, which determines sharding, gradients and
/// communication, and quantities of cost per phase. The code knows no particular operator.
namespace opledger {

/// An input, weight or output. Its dimensions are an expression over dimensions, ports and attributes: `a + b` union,
/// `a - b` difference, `a ^ b` symmetric difference, `[batch, seq]` list. `any` accepts every tensor; `given` takes the
/// dimensions under `out` of the node.
struct Port {
  enum class Shape {
    any,     ///< `any`, only of inputs
    stated,  ///< `given`, only of outputs
    formula  ///< an expression
  };
  std::string name;
  Shape shape = Shape::formula;
  ExprPtr dims;   ///< Expression for the shape `formula`.
  ExprPtr width;  ///< Bytes of one element; null: the width of activations or weights.
  Span span;
};

/// Returns the index of a port by name; the number of ports if none matches.
std::size_t position(const std::vector<Port>& ports, std::string_view name);

/// A property of a node: a list of dimensions (`over: [hidden]`) or a formula (`window: 4096`).
struct Attribute {
  std::string name;
  bool dims = false;                      ///< The attribute is a list of dimensions, not a formula.
  bool required = true;                   ///< Every node must set the attribute; otherwise a default exists.
  std::vector<std::string> default_dims;  ///< Default of a list of dimensions.
  ExprPtr default_value;                  ///< Default of a formula.
  std::string doc;
  Span span;
};

/// A reduction that completes an operator's result when a dimension listed under `inner` is split, as one small
/// all-reduce: `top: max(x - over)`.
struct Statistic {
  std::string phase, name;  ///< Phase in which the reduction runs, and its name.
  std::string reduction;    ///< `sum` or `max`
  ExprPtr dims;             ///< Dimensions of the reduced tensor; `2 * (x - over)` counts twice.
  Span span;
};

/// An operator with its inherited and own declarations.
struct Operator {
  std::string name, doc, source;
  Span span;
  /// Operators under `extends`, last named first. Their declarations are already merged except for lets and quantities.
  std::vector<const Operator*> parents;
  std::vector<std::string> parameters;  ///< Plain numbers that a node must set.
  std::vector<Attribute> attributes;
  std::vector<Port> inputs, weights, outputs;
  /// Operand or weight -> ports that its gradient reads besides the output's gradient, in order.
  std::vector<std::pair<std::string, std::vector<std::string>>> gradients;
  std::vector<std::string> no_gradient;                                 ///< Outputs without a gradient.
  std::vector<std::string> frozen;                                      ///< Dimensions, or attributes that list dimensions, that are never split.
  std::vector<std::pair<std::string, std::vector<Statistic>>> inner;    ///< Dimension or attribute -> statistics.
  std::vector<std::pair<std::string, std::vector<std::string>>> moved;  ///< Output dimension -> input dimensions whose axes it carries.
  /// Neighbor entries that a shard needs along a dimension.
  struct Halo {
    std::string dimension, of;  ///< Dimension with the entries, and the dimension whose placement it follows.
    ExprPtr width;              ///< Number of entries from the neighbors.
    Span span;
  };
  std::vector<Halo> halo;
  /// A weight with the structure of a matrix or a stack of matrices.
  struct Matrix {
    std::string weight;   ///< Name of the weight's port.
    ExprPtr rows, stack;  ///< Dimensions of rows and stack; the remaining dimensions are columns. Null: none.
    Span span;
  };
  std::vector<Matrix> matrices;                        ///< Weights that optimizers may treat as matrices.
  std::vector<std::pair<std::string, ExprPtr>> carry;  ///< Dimension -> dimensions of the state passed along it between shards.
  std::string like;                                    ///< Input whose placement the node adopts; empty for none.
  std::vector<std::string> linear;                     ///< Inputs in each of which alone the outputs are linear.
  std::vector<std::string> broadcast;                  ///< Inputs that may lack some dimensions of their formula and are constant along those.
  bool sum = false;                                    ///< True if the output is the plain sum of the inputs.
  std::optional<StatedOrder> order;                    ///< Order of work of the pipeline schedule that the operator represents.
  bool data = false;                                   ///< True if `in`, `weights` or `out` is declared: an operator with a signature.
  std::vector<Definition> lets, quantities;            ///< Own ones only; inherited ones are in `parents`.

  const Port* port(std::string_view name) const;            ///< Returns an input, weight or output by name; null if none matches.
  const Attribute* attribute(std::string_view name) const;  ///< Returns an attribute by name; null if none matches.
  std::vector<std::string> ports() const;                   ///< Returns the names of inputs, weights and outputs, in this order.
};

/// The operators of `ops` documents. Other sections (`sets`, `quantities`, `functions`, `let`) are read by the
/// accounting.
class OperatorLibrary {
 public:
  /// Adds the operators of a document. Returns false, with errors, if a declaration is malformed or another document
  /// declares the name.
  bool add(const Document& document, Diagnostics& diagnostics);
  /// Returns an operator by name, or null. The pointer stays valid while the library exists.
  const Operator* find(std::string_view name) const;
  std::vector<std::string> names() const;  ///< Returns the names of all operators, sorted.
  const std::map<std::string, Operator, std::less<>>& all() const { return operators_; }

 private:
  std::map<std::string, Operator, std::less<>> operators_;
};

}  // namespace opledger
