#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "expr/parser.h"
#include "ops/operator_reader.h"

namespace opledger {

namespace {

/// Reads a port: `any`, `given`, or a formula of dimensions.
Port read_port(const Datum& name, const Datum& value, Diagnostics& diagnostics) {
  Port port;
  port.name = name.text();
  port.span = name.span();
  if (value.is_scalar() && value.text() == "any") {
    port.shape = Port::Shape::any;
  } else if (value.is_scalar() && value.text() == "given") {
    port.shape = Port::Shape::stated;
  } else {
    port.dims = parse_formula(value, port.name, diagnostics);
  }
  return port;
}

/// Reads an attribute of an operator into `out`. `dims` or `number` states its kind, and every node must set it. A mapping
/// with either `dims` or `value` states the kind by a default. Other values are errors.
void read_attribute(const Datum& name, const Datum& value, Diagnostics& diagnostics, Attribute& out) {
  out.name = name.text();
  out.span = name.span();
  if (value.is_scalar() && (value.text() == "dims" || value.text() == "number")) {
    out.dims = value.text() == "dims";
    return;
  }
  const Datum* dims = value.find("dims");
  const Datum* number = value.find("value");
  if (!value.is_map() || (dims != nullptr) == (number != nullptr)) {
    diagnostics.error(value.span(), fmt::format("attribute `{}` must be `dims`, `number`, or a default: `{{dims: […]}}` or `{{value: …}}`", out.name));
    return;
  }
  out.dims = dims != nullptr;
  out.required = false;
  if (dims) out.default_dims = read_names(*dims, diagnostics);
  if (number) out.default_value = parse_formula(*number, out.name, diagnostics);
  if (const Datum* doc = value.find("doc")) out.doc = doc->text();
}

/// Parses a statistic such as `max(x - over)` into `out`. The reduction, `sum` or `max` of ranks' parts, is not part of the
/// formula language. Only the argument, the dimensions of the reduced tensor, is parsed as a formula, at its own position.
/// Returns false, with an error, for other texts.
bool read_statistic(const Datum& value, Diagnostics& diagnostics, Statistic& out) {
  const std::string& text = value.text();
  std::size_t open = text.find('(');
  std::string_view whole = trim(text);
  out.reduction = open == std::string::npos ? "" : std::string(trim(std::string_view(text).substr(0, open)));
  if ((out.reduction != "sum" && out.reduction != "max") || whole.back() != ')') {
    diagnostics.error(value.span(), fmt::format("`{}` must be `sum(DIMENSIONS)` or `max(DIMENSIONS)`", out.name));
    return false;
  }
  Span span = value.span();
  if (span.column > 0) span.column += static_cast<std::uint32_t>(open + 1 + (value.quoted() ? 1 : 0));
  out.dims = parse_expression(std::string_view(text).substr(open + 1, text.rfind(')') - open - 1), span, diagnostics);
  return out.dims != nullptr;
}

}  // namespace

bool expect_map(const Datum& section, const char* section_name, Diagnostics& diagnostics) {
  if (section.is_map()) return true;
  if (!section.is_null()) diagnostics.error(section.span(), fmt::format("`{}` must be a mapping, found {}", section_name, section.describe()));
  return false;
}

std::vector<std::string> read_names(const Datum& value, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const Datum& name : value.all()) {
    if (name.is_scalar()) {
      names.push_back(name.text());
    } else {
      diagnostics.error(name.span(), fmt::format("expected a name, found {}", name.describe()));
    }
  }
  return names;
}

std::vector<std::pair<std::string, std::vector<std::string>>> read_name_lists(const Datum& section, Diagnostics& diagnostics) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lists;
  if (!section.is_map()) {
    diagnostics.error(section.span(), fmt::format("expected a mapping of names to lists of names, found {}", section.describe()));
    return lists;
  }
  for (const auto& [name, value] : section.entries()) lists.emplace_back(name.text(), read_names(value, diagnostics));
  return lists;
}

std::vector<Port> read_ports(const Datum& section, Diagnostics& diagnostics) {
  std::vector<Port> ports;
  if (!expect_map(section, "ports", diagnostics)) return ports;
  for (const auto& [name, value] : section.entries()) ports.push_back(read_port(name, value, diagnostics));
  return ports;
}

/// Sets the widths of ports that were read before.
void read_widths(const Datum& section, Diagnostics& diagnostics, Operator& op) {
  if (!expect_map(section, "width", diagnostics)) return;
  for (const auto& [name, value] : section.entries()) {
    Port* port = nullptr;
    for (auto* list : {&op.inputs, &op.weights, &op.outputs}) {
      for (Port& candidate : *list) port = candidate.name == name.text() ? &candidate : port;
    }
    if (port) {
      port->width = parse_formula(value, "width", diagnostics);
    } else {
      diagnostics.error(name.span(), fmt::format("`{}` has no port `{}`{}", op.name, name.text(), known_names(name.text(), "ports", op.ports())));
    }
  }
}

/// Adds attributes; an attribute replaces the inherited one with its name.
void read_attributes(const Datum& section, Diagnostics& diagnostics, Operator& op) {
  if (!expect_map(section, "attributes", diagnostics)) return;
  for (const auto& [name, value] : section.entries()) {
    Attribute attribute;
    read_attribute(name, value, diagnostics, attribute);
    auto same = std::find_if(op.attributes.begin(), op.attributes.end(), [&](const Attribute& other) { return other.name == attribute.name; });
    if (same == op.attributes.end()) {
      op.attributes.push_back(std::move(attribute));
    } else {
      *same = std::move(attribute);
    }
  }
}

/// Reads the small all-reduces that complete a result if a dimension is split, by dimension (or attribute that lists
/// dimensions), phase and name: `inner: {DIMENSION: {PHASE: {NAME: max(DIMENSIONS)}}}`. The section replaces an inherited
/// one. Malformed levels and statistics are reported and skipped.
void read_inner(const Datum& section, Diagnostics& diagnostics, Operator& op) {
  op.inner.clear();
  if (!expect_map(section, "inner", diagnostics)) return;
  for (const auto& [dimension, phases] : section.entries()) {
    std::vector<Statistic> statistics;
    if (!expect_map(phases, "inner", diagnostics)) continue;
    for (const auto& [phase, entries] : phases.entries()) {
      if (!expect_map(entries, "inner", diagnostics)) continue;
      for (const auto& [name, value] : entries.entries()) {
        Statistic statistic{phase.text(), name.text(), {}, nullptr, name.span()};
        if (read_statistic(value, diagnostics, statistic)) statistics.push_back(std::move(statistic));
      }
    }
    op.inner.emplace_back(dimension.text(), std::move(statistics));
  }
}

/// Reads the entries of neighbors that a rank needs: `halo: {DIMENSION: {of: DIMENSION, width: ENTRIES}}`.
void read_halo(const Datum& section, Diagnostics& diagnostics, Operator& op) {
  op.halo.clear();
  if (!expect_map(section, "halo", diagnostics)) return;
  for (const auto& [dimension, value] : section.entries()) {
    const Datum* of = value.find("of");
    const Datum* width = value.find("width");
    if (!of || !width || !of->is_scalar()) {
      diagnostics.error(value.span(), fmt::format("a halo is written `{}: {{of: DIMENSION, width: ENTRIES}}`", dimension.text()));
      continue;
    }
    op.halo.push_back({dimension.text(), of->text(), parse_formula(*width, "width", diagnostics), dimension.span()});
  }
}

/// Reads the dimensions of a state that is passed along a split dimension: `carry: {DIMENSION: [DIMENSION, …]}`.
void read_carry(const Datum& section, Diagnostics& diagnostics, Operator& op) {
  op.carry.clear();
  if (!expect_map(section, "carry", diagnostics)) return;
  for (const auto& [dimension, value] : section.entries()) op.carry.emplace_back(dimension.text(), parse_formula(value, "carry", diagnostics));
}

/// Reads the structure of weights that are matrices: `matrices: {WEIGHT: {rows: DIMENSIONS, stack: DIMENSIONS}}`.
void read_matrices(const Datum& section, Diagnostics& diagnostics, Operator& op) {
  op.matrices.clear();
  if (!expect_map(section, "matrices", diagnostics)) return;
  for (const auto& [weight, value] : section.entries()) {
    const Datum* rows = value.find("rows");
    const Datum* stack = value.find("stack");
    if (!rows) {
      diagnostics.error(value.span(), fmt::format("a matrix is written `{}: {{rows: DIMENSIONS, stack: DIMENSIONS}}`; `stack` may be left out", weight.text()));
      continue;
    }
    op.matrices.push_back(
        {weight.text(), parse_formula(*rows, "rows", diagnostics), stack ? parse_formula(*stack, "stack", diagnostics) : nullptr, weight.span()});
  }
}

}  // namespace opledger
