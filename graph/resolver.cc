#include "graph/resolver.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"

namespace opledger {

namespace {

std::vector<std::string> output_names(const Operator& op) { return names_of(op.outputs); }

/// Returns the position among a block's inputs, then its data; -1 if the name is neither.
std::int32_t input_position(const Block& block, std::string_view name) {
  std::int32_t position = 0;
  for (const auto* list : {&block.inputs, &block.data}) {
    for (const TensorSpec& tensor : *list) {
      if (tensor.name == name) return position;
      ++position;
    }
  }
  return -1;
}

const TensorSpec& input_at(const Block& block, std::size_t index) {
  return index < block.inputs.size() ? block.inputs[index] : block.data[index - block.inputs.size()];
}

std::vector<std::string> input_names(const Block& block) {
  std::vector<std::string> names;
  for (const auto* list : {&block.inputs, &block.data}) {
    for (const TensorSpec& tensor : *list) names.push_back(tensor.name);
  }
  return names;
}

Ports ports_of(const PendingNode& node) {
  Ports ports{fmt::format("node `{}`", node.label), fmt::format("`{}`", node.op->name), {}};
  for (const Port& port : node.op->inputs) ports.names.push_back(port.name);
  return ports;
}

Ports ports_of(const Scope& scope) {
  return {fmt::format("node `{}`", scope.prefix.substr(0, scope.prefix.size() - 1)), fmt::format("block `{}`", scope.block->name), input_names(*scope.block)};
}

std::string counted(std::size_t n, const char* noun) { return n == 0 ? fmt::format("no {}s", noun) : fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

}  // namespace

std::optional<std::vector<const InputSpec*>> match_inputs(const std::vector<InputSpec>& inputs, const Ports& ports, const Span& span,
                                                          Diagnostics& diagnostics) {
  // An input without a port belongs to the port at its own position in the list. Surplus inputs are reported alone, as
  // other messages would follow from them; missing ports are only reported if all given ports are known.
  if (inputs.size() > ports.names.size()) {
    auto message = fmt::format("{} has {}, but {} takes {}", ports.reader, counted(inputs.size(), "input"), ports.callee,
                               ports.names.empty() ? "none" : std::to_string(ports.names.size()));
    diagnostics.error(inputs[ports.names.size()].port_span, message);
    return std::nullopt;
  }
  std::size_t errors = diagnostics.errors();
  std::vector<const InputSpec*> matched(ports.names.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto place =
        inputs[i].port.empty() ? ports.names.begin() + static_cast<std::ptrdiff_t>(i) : std::find(ports.names.begin(), ports.names.end(), inputs[i].port);
    if (place == ports.names.end()) {
      diagnostics.error(inputs[i].port_span,
                        fmt::format("{} has no input `{}`{}", ports.callee, inputs[i].port, known_names(inputs[i].port, "inputs", ports.names)));
    } else {
      matched[place - ports.names.begin()] = &inputs[i];
    }
  }
  if (diagnostics.errors() != errors) return std::nullopt;
  for (std::size_t i = 0; i < matched.size(); ++i) {
    if (!matched[i]) diagnostics.error(span, fmt::format("{} lacks input `{}` of {}", ports.reader, ports.names[i], ports.callee));
  }
  return diagnostics.errors() == errors ? std::make_optional(std::move(matched)) : std::nullopt;
}

std::optional<std::vector<Source>> Resolver::inputs(const PendingNode& node) {
  // Finds the origin of each input of an operator node. Matches the written inputs to the operator's ports, then
  // resolves each tensor name in the node's block to a source. A source is an output of a node or an input of the
  // segment, with the path of renaming edges (`layers`) to the reader. The edge of the node itself is the last of the
  // path. After an error the other inputs are still resolved, so that one run reports all errors.
  if (!check_block_inputs(*node.scope)) return std::nullopt;
  auto matched = match_inputs(node.spec->inputs, ports_of(node), node.spec->span, diagnostics_);
  if (!matched) return std::nullopt;
  std::vector<Source> sources;
  bool good = true;
  for (const InputSpec* input : *matched) {
    auto source = name(*node.scope, input->tensor, input->span);
    if (!source) {
      good = false;
      continue;
    }
    source->layers.push_back({input, node.scope, nullptr, nullptr});
    sources.push_back(std::move(*source));
  }
  return good ? std::make_optional(std::move(sources)) : std::nullopt;
}

/// Checks the inputs of every block around the node, because inputs that nothing reads would otherwise stay unchecked.
bool Resolver::check_block_inputs(const Scope& scope) {
  for (const Scope* s = &scope; s->parent; s = s->parent) {
    auto matched = match_inputs(s->instance->inputs, ports_of(*s), s->instance->span, diagnostics_);
    if (!matched) return false;
  }
  return true;
}

/// A block's output is its `output`, else its last child: a nested block's output, or the first output of an operator.
std::optional<Source> Resolver::output(const Scope& scope) {
  const Block& block = *scope.block;
  if (!block.output.empty()) return name(scope, block.output, block.output_span);
  if (!scope.last) return Source{};
  const Scope::Child& last = scope.children.find(*scope.last)->second;
  if (last.absent) return name(scope, last.absent->otherwise, last.absent->otherwise_span);
  if (last.scope) return output(*last.scope);
  const Operator* op = expansion_.nodes[last.node].op;
  if (op && op->outputs.empty()) return Source{};
  return Source{last.node, -1, 0, {}};
}

/// Resolves a name in a scope. An input of the block is resolved in the enclosing scope, through the edge that feeds
/// it. Any other name is a path of children. Blocks that pass on their own inputs can form a cycle, so the depth is
/// limited.
std::optional<Source> Resolver::name(const Scope& scope, const std::string& text, const Span& span) {
  if (depth_ > 4 * kMaxBlockDepth) {
    diagnostics_.error(span, fmt::format("cycle: block `{}` reads its own output through `{}`", scope.block->name, text));
    return std::nullopt;
  }
  ++depth_;
  std::int32_t input = input_position(*scope.block, text);
  auto source = input >= 0 ? block_input(scope, static_cast<std::size_t>(input)) : child(scope, split(text, '.'), text, span);
  --depth_;
  return source;
}

std::optional<Source> Resolver::block_input(const Scope& scope, std::size_t index) {
  if (!scope.parent) return Source{{}, static_cast<std::int32_t>(index), 0, {}};
  auto matched = match_inputs(scope.instance->inputs, ports_of(scope), scope.instance->span, diagnostics_);
  if (!matched) return std::nullopt;
  const InputSpec* edge = (*matched)[index];
  auto source = name(*scope.parent, edge->tensor, edge->span);
  if (source) source->layers.push_back({edge, scope.parent, &input_at(*scope.block, index), &scope});
  return source;
}

/// Resolves a dotted path of names from a block down into nested blocks: to a node and perhaps its port, or to a
/// block, whose output counts. An absent node is replaced by the tensor of its `else`, but has no ports. `text` is the
/// whole path, for messages. Returns nothing after an error.
std::optional<Source> Resolver::child(const Scope& scope, const std::vector<std::string>& path, const std::string& text, const Span& span) {
  const Scope* at = &scope;
  for (std::size_t i = 0; i < path.size(); ++i) {
    auto found = at->children.find(path[i]);
    if (found == at->children.end()) return unknown(*at, path[i] == text ? text : path[i], span);
    std::vector<std::string> rest(path.begin() + static_cast<std::ptrdiff_t>(i) + 1, path.end());
    if (const NodeSpec* absent = found->second.absent) {
      if (rest.empty()) return name(*at, absent->otherwise, absent->otherwise_span);
      diagnostics_.error(span, fmt::format("`{}` does not exist here: `{}` is replaced by `{}`", text, absent->name, absent->otherwise));
      return std::nullopt;
    }
    if (!found->second.scope) return node_port(found->second.node, rest, span);
    at = found->second.scope;
    if (!rest.empty()) continue;
    auto source = output(*at);
    if (!source || source->node || source->input >= 0) return source;
    diagnostics_.error(span, fmt::format("block `{}` (`{}`) has no output", at->block->name, text));
  }
  return std::nullopt;
}

/// Returns an output of an operator node: the first one, or the one whose name is the rest of the path. Returns
/// nothing, with an error, for an unknown port or an operator without outputs.
std::optional<Source> Resolver::node_port(PendingId node, const std::vector<std::string>& rest, const Span& span) {
  const PendingNode& pending = expansion_.nodes[node];
  if (!pending.op) return Source{node, -1, 0, {}};  // Reported before; a reader finds no tensor.
  std::vector<std::string> names = output_names(*pending.op);
  if (names.empty()) {
    diagnostics_.error(span, fmt::format("node `{}` has no output: `{}` works on no tensors", pending.label, pending.op->name));
    return std::nullopt;
  }
  if (rest.empty()) return Source{node, -1, 0, {}};
  auto found = std::find(names.begin(), names.end(), join(rest, "."));
  if (found != names.end()) return Source{node, -1, static_cast<std::size_t>(found - names.begin()), {}};
  diagnostics_.error(span, fmt::format("`{}` ({}) has no output `{}`{}", pending.label, pending.op->name, join(rest, "."), suggestion(join(rest, "."), names)));
  return std::nullopt;
}

std::nullopt_t Resolver::unknown(const Scope& scope, const std::string& text, const Span& span) {
  std::vector<std::string> candidates = input_names(*scope.block);
  for (const auto& entry : scope.children) candidates.push_back(entry.first);
  diagnostics_.error(span, fmt::format("unknown tensor `{}` in block `{}`{}", text, scope.block->name, suggestion(text, candidates)));
  return std::nullopt;
}

}  // namespace opledger
