#include <fmt/format.h>

#include "models/block_reader.h"

namespace opledger {

namespace {

/// Reads a renamed dimension: `seq: kv_seq`, or `seq: {to: kv_seq, size: context}` if the sizes differ.
std::optional<RenameSpec> read_rename(const Datum& from, const Datum& value, Diagnostics& diagnostics) {
  const Datum *to = &value, *size = nullptr;
  if (value.is_map()) {
    to = value.find("to"), size = value.find("size");
  }
  if (to == nullptr || !to->is_scalar()) {
    const Datum& found = to == nullptr ? value : *to;
    diagnostics.error(found.span(), fmt::format("dimension `{}` can only be renamed to a name, or to `{{to: NAME, size: FORMULA}}`, found {}", from.text(),
                                                found.describe()));
    return std::nullopt;
  }
  return RenameSpec{from.text(), to->text(), size != nullptr ? parse_formula(*size, "size", diagnostics) : nullptr, from.span()};
}

/// Reads an input: `x`, or `{k: {seq: kv_seq}}` for the tensor k with dimension seq renamed to kv_seq. A mapping must have
/// exactly one entry, whose value is a mapping of dimensions. For other values an error is reported, and the input has no
/// tensor, so that later inputs keep their positions.
InputSpec read_input(const Datum& value, Diagnostics& diagnostics) {
  InputSpec input;
  input.span = input.port_span = value.span();
  if (value.is_scalar()) {
    input.tensor = value.text();
    return input;
  }
  if (value.is_map() && value.entries().size() > 1) {
    const Datum& second = value.entries()[1].first;
    diagnostics.error(second.span(), fmt::format("`{}` is a second name beside `{}`, but an input is one tensor: `{{TENSOR: {{DIMENSION: ITS_NAME_HERE}}}}`",
                                                 second.text(), value.entries().front().first.text()));
    return input;
  }
  if (!value.is_map() || value.entries().size() != 1 || !value.entries().front().second.is_map()) {
    diagnostics.error(value.span(), fmt::format("an input is the name of a tensor, or `{{TENSOR: {{DIMENSION: ITS_NAME_HERE}}}}`, found {}", value.describe()));
    return input;
  }
  const auto& [tensor, renames] = value.entries().front();
  input.tensor = tensor.text();
  input.span = input.port_span = tensor.span();
  for (const auto& [from, to] : renames.entries()) {
    if (auto rename = read_rename(from, to, diagnostics)) input.renames.push_back(std::move(*rename));
  }
  return input;
}

}  // namespace

std::vector<InputSpec> read_inputs(const Datum& value, Diagnostics& diagnostics) {
  std::vector<InputSpec> inputs;
  if (value.is_list()) {
    for (const Datum& item : value.items()) inputs.push_back(read_input(item, diagnostics));
  } else if (value.is_map()) {
    for (const auto& [port, tensor] : value.entries()) {
      inputs.push_back(read_input(tensor, diagnostics));
      inputs.back().port = port.text();
      inputs.back().port_span = port.span();
    }
  } else {
    inputs.push_back(read_input(value, diagnostics));
  }
  return inputs;
}

void read_ties(const Datum& value, Diagnostics& diagnostics, std::vector<std::pair<std::string, std::string>>& out, std::vector<TieSpec>& spans) {
  if (!value.is_map()) {
    diagnostics.error(value.span(), fmt::format("`weights` must be a mapping of weights to those they share, found {}", value.describe()));
    return;
  }
  for (const auto& [port, target] : value.entries()) {
    out.emplace_back(port.text(), read_text(port, target, diagnostics));
    spans.push_back({port.span(), target.span()});
  }
}

// `add` takes one name; a value that is no list counts as a list of one.
std::vector<std::string> read_dimension_names(const Datum& value, Diagnostics& diagnostics, std::vector<Span>& spans) {
  std::vector<std::string> names;
  auto add = [&](const Datum& name) {
    if (name.is_scalar()) {
      names.push_back(name.text());
      spans.push_back(name.span());
    } else {
      diagnostics.error(name.span(), fmt::format("expected the name of a dimension, found {}", name.describe()));
    }
  };
  if (value.is_list()) {
    for (const Datum& item : value.items()) add(item);
  } else {
    add(value);
  }
  return names;
}

}  // namespace opledger
