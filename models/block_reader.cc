#include "models/block_reader.h"
#include "expr/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace opledger {

namespace {

/// Reads the name under `key` into `name`, and its position into `span`. Reports a value that is no name.
void read_target(const Datum& value, const char* key, std::string& name, Span& span, Diagnostics& diagnostics) {
  if (!value.is_scalar()) diagnostics.error(value.span(), fmt::format("`{}` must be a name, found {}", key, value.describe()));
  name = value.text();
  span = value.span();
}

/// Reads one key of a node into `node`. `when` is joined with the condition of enclosing groups, which `node.when` holds
/// from the start. `weights` is a mapping of shared weights; any other value of this key is a quantity. A key without a
/// fixed meaning becomes an argument, because only graph construction knows the attributes of the operator.
void node_entry(const Datum& key, const Datum& value, Diagnostics& diagnostics, NodeSpec& node) {
  const std::string_view word = key.text();
  if (word == "name") {
    check_name(value, "a node", diagnostics);
    node.name = value.text();
    node.span = value.span();
  } else if (word == "op") {
    read_target(value, "op", node.op, node.target_span, diagnostics);
  } else if (word == "block") {
    read_target(value, "block", node.block, node.target_span, diagnostics);
  } else if (word == "when") {
    node.when = both(node.when, parse_formula(value, key.text(), diagnostics));
  } else if (word == "else") {
    read_target(value, "else", node.otherwise, node.otherwise_span, diagnostics);
  } else if (word == "in") {
    node.inputs = read_inputs(value, diagnostics);
  } else if (word == "out") {
    node.out = read_dimension_names(value, diagnostics, node.out_spans);
    node.out_span = value.span();
  } else if (word == "weights" && value.is_map()) {
    read_ties(value, diagnostics, node.weights, node.weight_spans);
  } else if (word == "component") {
    node.component = read_text(key, value, diagnostics);
  } else if (word == "tags") {
    std::vector<Span> spans;
    node.tags = read_dimension_names(value, diagnostics, spans);
  } else if (word != "doc") {
    node.arguments.emplace_back(key, value);
  }
}

/// Reads one node and appends it to `out`. `when` is the condition of the enclosing groups, or null. A node without a name,
/// or with `else` and no `when`, is reported. A node that does not name exactly one operator or block is reported and left
/// out.
void read_node(const Datum& value, const ExprPtr& when, Diagnostics& diagnostics, std::vector<NodeSpec>& out) {
  NodeSpec node;
  node.span = value.span();
  node.when = when;
  for (const auto& [key, entry] : value.entries()) node_entry(key, entry, diagnostics, node);
  if (node.name.empty() && !value.find("name")) diagnostics.error(value.span(), "a node needs a `name`");
  if (!node.otherwise.empty() && !value.find("when")) diagnostics.error(node.otherwise_span, fmt::format("node `{}`: `else` needs a `when`", node.name));
  if (node.op.empty() == node.block.empty()) {
    diagnostics.error(node.span,
                      fmt::format("node `{}` needs {}", node.name, node.op.empty() ? "an `op` or a `block`" : "either an `op` or a `block`, not both"));
    return;
  }
  out.push_back(std::move(node));
}

/// Reads a group of nodes and appends the nodes to `out`. The condition of the group is joined with `when`, the condition of
/// the enclosing groups, and passed to each node; nodes under `else` get its negation. A key without a meaning is an error.
void read_group(const Datum& value, const ExprPtr& when, Diagnostics& diagnostics, std::vector<NodeSpec>& out) {
  const Datum* condition = value.find("when");
  ExprPtr own = condition ? parse_formula(*condition, "when", diagnostics) : nullptr;
  for (const auto& [key, entry] : value.entries()) {
    if (key.text() == "nodes") {
      read_nodes(entry, both(when, own), diagnostics, out);
    } else if (key.text() == "else" && own) {
      read_nodes(entry, both(when, operation(Op::logical_not, {own})), diagnostics, out);
    } else if (key.text() == "else") {
      diagnostics.error(key.span(), "a group with `else` needs a `when`");
    } else if (key.text() != "when" && key.text() != "doc") {
      diagnostics.error(key.span(),
                        fmt::format("unknown key `{}` in a group of nodes{}", key.text(), known_names(key.text(), "keys", {"when", "nodes", "else", "doc"})));
    }
  }
}

/// Reads inputs of a block, `{TENSOR: [DIMENSION, …]}`, in order.
std::vector<TensorSpec> read_tensors(const Datum& section, Diagnostics& diagnostics) {
  std::vector<TensorSpec> tensors;
  if (!section.is_map()) {
    diagnostics.error(section.span(), fmt::format("expected a mapping of tensors to their dimensions, found {}", section.describe()));
    return tensors;
  }
  for (const auto& [name, dims] : section.entries()) {
    TensorSpec tensor;
    check_name(name, "a tensor", diagnostics);
    tensor.name = name.text();
    tensor.span = name.span();
    tensor.dims = read_dimension_names(dims, diagnostics, tensor.dim_spans);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

/// Splits a message into parts, each a text and the formula in braces after it; the last part has no formula. Formulas get
/// their own positions: the column moves past an opening quote and the brace. A brace that is never closed stays text.
std::vector<Requirement::Part> read_message(const Datum& message, Diagnostics& diagnostics) {
  std::vector<Requirement::Part> out;
  const std::string& text = message.text();
  std::size_t at = 0;
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', at)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) break;
    Span span = message.span();
    span.column += static_cast<std::uint32_t>(open + (message.quoted() ? 2 : 1));
    out.push_back({text.substr(at, open - at), parse_expression(text.substr(open + 1, close - open - 1), span, diagnostics)});
    at = close + 1;
  }
  out.push_back({text.substr(at), nullptr});
  return out;
}

/// Reads one key of a block; the schema has rejected unknown keys.
void block_entry(const Datum& key, const Datum& value, Diagnostics& diagnostics, Block& block) {
  const std::string_view word = key.text();
  if (word == "doc") block.doc = read_text(key, value, diagnostics);
  if (word == "component") block.component = read_text(key, value, diagnostics);
  if (word == "inputs") block.inputs = read_tensors(value, diagnostics);
  if (word == "data") block.data = read_tensors(value, diagnostics);
  if (word == "nodes") read_nodes(value, nullptr, diagnostics, block.nodes);
  if (word == "constraints") block.constraints = read_constraints(value, diagnostics);
  if (word == "output") {
    block.output = read_text(key, value, diagnostics);
    block.output_span = value.span();
  }
}

/// Reads a segment, alone or in a group. A key without a fixed meaning becomes an argument: a dimension or parameter that
/// the block gets under another name. A missing name or block is reported only if no other error was, because a malformed
/// key may be the reason. Returns nothing after any error.
std::optional<SegmentSpec> read_segment(const Datum& value, Diagnostics& diagnostics) {
  std::size_t errors = diagnostics.errors();
  SegmentSpec segment;
  segment.span = value.span();
  if (!value.is_map()) diagnostics.error(value.span(), fmt::format("a segment must be a mapping, found {}", value.describe()));
  for (const auto& [key, entry] : value.entries()) {
    const std::string_view word = key.text();
    if (word == "name") {
      check_name(entry, "a segment", diagnostics);
      segment.name = entry.text();
      segment.span = entry.span();
    } else if (word == "block") {
      read_target(entry, "block", segment.block, segment.block_span, diagnostics);
    } else if (word == "repeat") {
      segment.repeat = parse_formula(entry, key.text(), diagnostics);
    } else if (word == "when") {
      segment.when = parse_formula(entry, key.text(), diagnostics);
    } else if (word == "in") {
      segment.inputs = read_inputs(entry, diagnostics);
    } else if (word == "weights") {
      read_ties(entry, diagnostics, segment.weights, segment.weight_spans);
    } else if (word != "doc") {
      segment.arguments.emplace_back(key, entry);
    }
  }
  if (diagnostics.errors() == errors && segment.name.empty()) diagnostics.error(value.span(), "a segment needs a `name`");
  if (diagnostics.errors() == errors && segment.block.empty()) diagnostics.error(segment.span, fmt::format("segment `{}` needs a `block`", segment.name));
  if (diagnostics.errors() != errors) return std::nullopt;
  return segment;
}

}  // namespace

std::string read_text(const Datum& key, const Datum& value, Diagnostics& diagnostics) {
  if (!value.is_scalar()) diagnostics.error(value.span(), fmt::format("`{}` must be text, found {}", key.text(), value.describe()));
  return value.text();
}

bool check_name(const Datum& name, const char* noun, Diagnostics& diagnostics) {
  const std::string& text = name.text();
  auto good = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (name.is_scalar() && !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front())) && std::all_of(text.begin(), text.end(), good)) return true;
  diagnostics.error(name.span(), fmt::format("`{}` can't name {}: use letters, digits and _", text, noun));
  return false;
}

/// Reads the items of a list in order: an item with the key `nodes` is a group, any other mapping a node.
void read_nodes(const Datum& list, const ExprPtr& when, Diagnostics& diagnostics, std::vector<NodeSpec>& out) {
  if (!list.is_list()) {
    diagnostics.error(list.span(), fmt::format("nodes must be a list, found {}", list.describe()));
    return;
  }
  for (const Datum& item : list.items()) {
    if (!item.is_map()) {
      diagnostics.error(item.span(), fmt::format("a node must be a mapping, found {}", item.describe()));
    } else if (item.find("nodes")) {
      read_group(item, when, diagnostics, out);
    } else {
      read_node(item, when, diagnostics, out);
    }
  }
}

/// Reads a list of constraints. An entry without a condition or a message is reported and skipped. A malformed formula
/// is reported too, and is null in its entry.
std::vector<Requirement> read_constraints(const Datum& value, Diagnostics& diagnostics) {
  std::vector<Requirement> out;
  if (!value.is_list()) diagnostics.error(value.span(), fmt::format("`constraints` must be a list, found {}", value.describe()));
  for (const Datum& item : value.items()) {
    const Datum *require = item.find("require"), *message = item.find("message"), *when = item.find("when");
    if (!require || !message || !message->is_scalar()) {
      diagnostics.error(item.span(), "a constraint needs `require` and `message`");
      continue;
    }
    Requirement requirement;
    requirement.span = item.span();
    requirement.require = parse_formula(*require, "require", diagnostics);
    if (when) requirement.when = parse_formula(*when, "when", diagnostics);
    requirement.message = read_message(*message, diagnostics);
    out.push_back(std::move(requirement));
  }
  return out;
}

std::optional<Block> read_block(const Datum& name, const Datum& value, Diagnostics& diagnostics) {
  std::size_t errors = diagnostics.errors();
  Block block;
  block.name = name.text();
  block.span = name.span();
  check_name(name, "a block", diagnostics);
  if (!value.is_map()) diagnostics.error(value.span(), fmt::format("block `{}` must be a mapping, found {}", block.name, value.describe()));
  for (const auto& [key, entry] : value.entries()) block_entry(key, entry, diagnostics, block);
  if (diagnostics.errors() != errors) return std::nullopt;
  return block;
}

// Reads an item of `graph`. An item without `segments` is a single segment. Otherwise the item is a group, whose segments
// take turns: each gets the number of rounds (`repeat` of the group), the number `group`, and the condition of the group
// joined with its own. Errors in one segment do not stop the reading of others, so that all are reported.
std::vector<SegmentSpec> read_segments(const Datum& value, int group, Diagnostics& diagnostics) {
  std::vector<SegmentSpec> out;
  if (!value.is_map() || !value.find("segments")) {
    if (auto segment = read_segment(value, diagnostics)) out.push_back(std::move(*segment));
    return out;
  }
  const Datum &list = *value.find("segments"), *rounds = value.find("repeat"), *when = value.find("when");
  for (const auto& [key, entry] : value.entries()) {
    const std::string_view word = key.text();
    if (word != "segments" && word != "repeat" && word != "when" && word != "doc")
      diagnostics.error(key.span(),
                        fmt::format("unknown key `{}` in a group of segments{}", word, known_names(word, "keys", {"repeat", "when", "segments", "doc"})));
  }
  if (!rounds) diagnostics.error(value.span(), "a group of segments needs a `repeat`: how often they take turns");
  if (!list.is_list()) diagnostics.error(list.span(), fmt::format("`segments` must be a list of segments, found {}", list.describe()));
  if (!rounds || !list.is_list()) return out;
  const ExprPtr times = parse_formula(*rounds, "repeat", diagnostics), condition = when ? parse_formula(*when, "when", diagnostics) : nullptr;
  for (const Datum& item : list.items()) {
    auto segment = read_segment(item, diagnostics);
    if (!segment) continue;
    segment->rounds = times;
    segment->group = group;
    segment->when = both(condition, segment->when);
    out.push_back(std::move(*segment));
  }
  return out;
}

}  // namespace opledger
