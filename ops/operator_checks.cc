#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "ops/operator_reader.h"

namespace opledger {

namespace {

using Names = std::vector<std::string>;

bool has(const Names& names, std::string_view name) { return contains(names, name); }

Names names_of(std::initializer_list<const std::vector<Port>*> lists) {
  Names names;
  for (const auto* list : lists) {
    for (const Port& port : *list) names.push_back(port.name);
  }
  return names;
}

/// Returns the position of a section's key, or of the operator if a parent declares the section.
Span place(const Operator& op, const Datum& value, std::string_view section) {
  for (const auto& [key, entry] : value.entries()) {
    if (key.text() == section) return key.span();
  }
  return op.span;
}

/// Returns the position of a key in a section, or of the section if a parent declares the key.
Span place(const Operator& op, const Datum& value, std::string_view section, std::string_view name) {
  const Datum* const all = value.find(section);
  for (const auto& [key, entry] : all != nullptr ? all->entries() : std::vector<Datum::Entry>{}) {
    if (key.text() == name) return key.span();
  }
  return place(op, value, section);
}

void expect_port(const Operator& op, const std::string& name, const Names& known, const char* noun, const Span& span, Diagnostics& diagnostics) {
  if (!has(known, name)) diagnostics.error(span, fmt::format("`{}` has no {} `{}`{}", op.name, noun, name, known_names(name, "names", known)));
}

/// Reports duplicate names among ports and attributes.
void check_twice(const Operator& op, Diagnostics& diagnostics) {
  Names seen;
  auto add = [&](const std::string& name, const Span& span) {
    if (has(seen, name)) diagnostics.error(span, fmt::format("operator `{}` has two ports or attributes called `{}`", op.name, name));
    seen.push_back(name);
  };
  for (const auto* list : {&op.inputs, &op.weights, &op.outputs}) {
    for (const Port& port : *list) add(port.name, port.span);
  }
  for (const Attribute& attribute : op.attributes) add(attribute.name, attribute.span);
}

/// Reports shapes that a kind of port can't have.
void check_shapes(const Operator& op, Diagnostics& diagnostics) {
  for (const Port& port : op.inputs) {
    if (port.shape == Port::Shape::stated) diagnostics.error(port.span, fmt::format("input `{}` of `{}` can't be `given`: use `any`", port.name, op.name));
  }
  for (const auto* list : {&op.weights, &op.outputs}) {
    for (const Port& port : *list) {
      bool weight = list == &op.weights;
      if (port.shape == Port::Shape::any || (weight && port.shape == Port::Shape::stated)) {
        diagnostics.error(port.span, fmt::format("{} `{}` of `{}` needs a formula of dimensions{}", weight ? "weight" : "output", port.name, op.name,
                                                 weight ? "" : " or `given`"));
      }
    }
  }
}

/// Reports broadcast inputs that do not exist or have no formula to compare dimensions with.
void check_broadcast(const Operator& op, const Span& span, Diagnostics& diagnostics) {
  for (const std::string& name : op.broadcast) {
    expect_port(op, name, names_of({&op.inputs}), "input", span, diagnostics);
    const Port* port = op.port(name);
    if (port != nullptr && port->shape == Port::Shape::any)
      diagnostics.error(span, fmt::format("input `{}` of `{}` is `any`: `broadcast` needs the dimensions along which it may be one", name, op.name));
  }
}

/// Warns of FLOPs in `wgrad` that no run counts, because only gradients of weights run there. An operator without ports
/// may state its weights as a quantity.
void check_weight_gradients(const Operator& op, const Datum& value, Diagnostics& diagnostics) {
  const Datum* const flops = value.find("flops");
  if (op.inputs.empty() || !op.weights.empty() || flops == nullptr || flops->find("wgrad") == nullptr) return;
  diagnostics.warning(place(op, value, "flops", "wgrad"),
                      fmt::format("no run counts the FLOPs of `wgrad`, because `{}` has no weights: gradients of inputs are `agrad`", op.name));
}

}  // namespace

/// Checks an operator after its own and inherited sections are merged. Names must be unique, shapes possible, and each
/// section may refer only to ports of its kind: gradients to inputs and weights, which may read any port; `no_gradient` to
/// outputs; `linear`, `broadcast` and `like` to inputs.
void check_operator(const Operator& op, const Datum& value, Diagnostics& diagnostics) {
  check_twice(op, diagnostics);
  check_shapes(op, diagnostics);
  Names operands = names_of({&op.inputs, &op.weights}), ports = op.ports(), outputs = names_of({&op.outputs}), inputs = names_of({&op.inputs});
  for (const auto& [target, reads] : op.gradients) {
    const Span gradients = place(op, value, "gradients", target);
    expect_port(op, target, operands, "input or weight", gradients, diagnostics);
    for (const std::string& port : reads) expect_port(op, port, ports, "port", gradients, diagnostics);
  }
  for (const Operator::Matrix& matrix : op.matrices) expect_port(op, matrix.weight, names_of({&op.weights}), "weight", matrix.span, diagnostics);
  for (const std::string& port : op.no_gradient) expect_port(op, port, outputs, "output", place(op, value, "no_gradient"), diagnostics);
  for (const std::string& port : op.linear) expect_port(op, port, inputs, "input", place(op, value, "linear"), diagnostics);
  check_broadcast(op, place(op, value, "broadcast"), diagnostics);
  check_weight_gradients(op, value, diagnostics);
  if (!op.like.empty()) expect_port(op, op.like, inputs, "input", place(op, value, "like"), diagnostics);
}

}  // namespace opledger
