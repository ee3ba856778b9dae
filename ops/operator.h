#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "ops/definition.h"
#include "ops/order.h"
#include "schemas/library.h"

/// Operators as their documents declare them: a signature over named dimensions (from which sharding, gradients and communication follow) and the
/// quantities that each phase costs. Nothing here knows any particular operator.
namespace opledger {

/// A port's dimensions are an expression over dimensions, other ports and attributes: `a + b` all of both, `a - b` those of a that b lacks,
/// `a ^ b` those that only one has, `[batch, seq]` a list, `any` whatever the tensor has, `given` what the node writes under `out`.
struct Port {
  enum class Shape { any, given, formula };
  std::string name;
  Shape shape = Shape::formula;
  ExprPtr dims;   ///< Of `formula`.
  ExprPtr width;  ///< Bytes of one element, a formula; null: the width of activations (or of weights).
  Span span;
};

/// So many: none is called so.
std::size_t position(const std::vector<Port>& ports, std::string_view name);

/// A dimension list that a node must give (`over: [hidden]`), or a formula (`window: 4096`).
struct Attribute {
  std::string name;
  bool dims = false;
  bool required = true;
  std::vector<std::string> default_dims;
  ExprPtr default_value;
  std::string doc;
  Span span;
};

/// What an operator exchanges to settle its result when a dimension of `over` is split: `top: max(x - over)`, one small all-reduce.
struct Statistic {
  std::string phase, name;
  std::string reduction;  ///< `sum` or `max`
  ExprPtr dims;           ///< `2 * (x - over)` counts twice.
  Span span;
};

struct Operator {
  std::string name, doc, source;
  Span span;
  std::vector<const Operator*>
      parents;  ///< `extends`: what is not declared here is theirs; the last named first. Already taken over but for lets and quantities.
  std::vector<std::string> parameters;  ///< Plain numbers that a node must give.
  std::vector<Attribute> attributes;
  std::vector<Port> inputs, weights, outputs;
  std::vector<std::pair<std::string, std::vector<std::string>>> gradients;  ///< Operand or weight -> ports read besides dy, in order.
  std::vector<std::string> no_gradient;                                     ///< Outputs.
  std::vector<std::string> frozen;                                          ///< Dimensions, or attributes that list some, never split.
  std::vector<std::pair<std::string, std::vector<Statistic>>> inner;        ///< Dimension or attribute -> statistics.
  std::vector<std::pair<std::string, std::vector<std::string>>> moved;      ///< Output dimension -> input dimensions whose axes it carries.
  struct Halo {
    std::string dimension, of;
    ExprPtr width;
    Span span;
  };
  std::vector<Halo> halo;
  struct Matrix {
    std::string weight;
    ExprPtr rows, stack;  ///< Dimensions; what the weight has beside them are the columns. Null: none.
    Span span;
  };
  std::vector<Matrix> matrices;                        ///< Weights that are matrices, or stacks of them, to optimizers that treat matrices as such.
  std::vector<std::pair<std::string, ExprPtr>> carry;  ///< Dimension -> dims of the state handed on.
  std::string like;                                    ///< Input whose placement the node takes.
  std::vector<std::string> linear;                     ///< Inputs in each of which alone the outputs are linear.
  std::vector<std::string> broadcast;                  ///< Inputs that may lack some of the dimensions that their formula gives: they are the same along those.
  bool sum = false;                                    ///< y is the plain sum of its inputs.
  std::optional<StatedOrder> order;                    ///< Of the work of a pipeline that it stands for.
  bool data = false;                                   ///< Declares `in`, `weights` or `out`: an operator with a signature.
  std::vector<Definition> lets, quantities;            ///< Own ones only; see `parents`.

  const Port* port(std::string_view name) const;  ///< Input, weight or output.
  const Attribute* attribute(std::string_view name) const;
  std::vector<std::string> ports() const;  ///< Names of all ports.
};

/// What `ops` documents declare. Sections that are not operators (`sets`, `quantities`, `functions`, `let`) are read by the accounting.
class OperatorLibrary {
 public:
  /// Adds the operators of a document. A name that another document already declares is an error.
  bool add(const Document& document, Diagnostics& diagnostics);
  const Operator* find(std::string_view name) const;
  std::vector<std::string> names() const;
  const std::map<std::string, Operator, std::less<>>& all() const { return operators_; }

 private:
  std::map<std::string, Operator, std::less<>> operators_;
};

}  // namespace opledger
