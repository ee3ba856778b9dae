#include "ops/operator_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"

namespace opledger {

namespace {

/// Merges lists: an item of `from` replaces the item with the same name, at its position.
template <class List>
void merge_by_name(List& into, const List& from) {
  for (const auto& item : from) {
    auto same = std::find_if(into.begin(), into.end(), [&](const auto& other) { return other.name == item.name; });
    if (same == into.end()) {
      into.push_back(item);
    } else {
      *same = item;
    }
  }
}

/// Replaces a list by that of a later parent, unless the parent declares none.
template <class List>
void inherit_list(List& into, const List& from) {
  if (!from.empty()) into = from;
}

/// Copies the declarations of a parent into `op`, whose own sections are read afterwards. A section of this parent replaces
/// the section of an earlier parent as a whole; parameters and attributes merge by name. Local names and quantities are not
/// copied: users look them up in `parents`.
void inherit_sections(Operator& op, const Operator& parent) {
  for (const std::string& name : parent.parameters) {
    if (!contains(op.parameters, name)) op.parameters.push_back(name);
  }
  merge_by_name(op.attributes, parent.attributes);
  inherit_list(op.inputs, parent.inputs);
  inherit_list(op.weights, parent.weights);
  inherit_list(op.outputs, parent.outputs);
  inherit_list(op.gradients, parent.gradients);
  inherit_list(op.no_gradient, parent.no_gradient);
  inherit_list(op.frozen, parent.frozen);
  inherit_list(op.inner, parent.inner);
  inherit_list(op.moved, parent.moved);
  inherit_list(op.halo, parent.halo);
  inherit_list(op.matrices, parent.matrices);
  inherit_list(op.carry, parent.carry);
  inherit_list(op.like, parent.like);
  inherit_list(op.linear, parent.linear);
  inherit_list(op.broadcast, parent.broadcast);
  if (parent.order) op.order = parent.order;
  op.sum = op.sum || parent.sum;
  op.data = op.data || parent.data;
}

const Datum* key_of(const Datum& map, std::string_view name) {
  for (const auto& [key, value] : map.entries()) {
    if (key.text() == name) return &key;
  }
  return nullptr;
}

}  // namespace

/// Reads every operator of the section. A name that another document declared is an error; a name of this document is
/// known already if a child loaded it as its parent.
void OperatorReader::read() {
  for (const auto& [name, value] : section_.entries()) {
    auto known = operators_.find(name.text());
    if (known != operators_.end() && known->second.span.file != name.span().file) {
      diagnostics_.error(name.span(), fmt::format("operator `{}` is declared twice", name.text())).note(known->second.span, "first declared here");
      continue;
    }
    load(name, value);
  }
}

// Reads one operator and, by depth-first search, its parents first, so that it can inherit their sections. `open_` holds
// the chain of operators in progress; `parent` reports a repeated name as a cycle. Returns the operator in `operators_`, or
// null, with an error, if the value is neither a mapping nor empty. Each operator is read once.
const Operator* OperatorReader::load(const Datum& name, const Datum& value) {
  if (auto known = operators_.find(name.text()); known != operators_.end()) return &known->second;
  if (failed_.count(name.text()) > 0) return nullptr;
  if (!value.is_map() && !value.is_null()) {
    diagnostics_.error(value.span(), fmt::format("operator `{}` must be a mapping, found {}", name.text(), value.describe()));
    failed_.insert(name.text());
    return nullptr;
  }
  Operator op;
  op.name = name.text();
  op.span = name.span();
  open_.push_back(op.name);
  inherit(value, op);
  open_.pop_back();
  // Widths refer to ports that may follow in the text, so they are read last.
  for (const auto& [key, entry_value] : value.entries()) {
    if (key.text() != "extends" && key.text() != "width") entry(key, entry_value, op);
  }
  if (const Datum* widths = value.find("width")) read_widths(*widths, diagnostics_, op);
  check_operator(op, value, diagnostics_);
  return &operators_.emplace(op.name, std::move(op)).first->second;
}

/// Inherits from the operators under `extends`, in order, so that later ones have precedence. `parents` lists the last one
/// first, which is the order of lookups.
void OperatorReader::inherit(const Datum& value, Operator& op) {
  const Datum* extends = value.find("extends");
  if (!extends) return;
  auto inherit_from = [&](const Datum& name) {
    const Operator* found = parent(name);
    if (!found) return;
    inherit_sections(op, *found);
    op.parents.insert(op.parents.begin(), found);
  };
  if (!extends->is_list()) return inherit_from(*extends);
  for (const Datum& name : extends->items()) inherit_from(name);
}

/// Returns a parent by name: from this section, read on demand, or from documents that were read before. Returns null, with
/// an error, if the name is unknown, with the most similar name, or is in progress (`open_`). The message then lists the
/// cycle from the first use of the name.
const Operator* OperatorReader::parent(const Datum& name) {
  if (contains(open_, name.text())) {
    auto start = std::find(open_.begin(), open_.end(), name.text());
    std::vector<std::string> path(start, open_.end());
    path.push_back(name.text());
    diagnostics_.error(name.span(), fmt::format("cycle: {}", join(path, " -> ")));
    return nullptr;
  }
  const Datum* key = key_of(section_, name.text());
  if (key) return load(*key, *section_.find(name.text()));
  auto known = operators_.find(name.text());
  if (known != operators_.end()) return &known->second;
  std::vector<std::string> candidates = names_of(operators_);
  for (const auto& entry : section_.entries()) candidates.push_back(entry.first.text());
  diagnostics_.error(name.span(), fmt::format("unknown operator `{}`{}", name.text(), suggestion(name.text(), candidates)));
  return nullptr;
}

/// Reads one key of an operator. A key without a fixed meaning declares a quantity with this name.
void OperatorReader::entry(const Datum& key, const Datum& value, Operator& op) {
  if (text_entry(key, value, op) || relation_entry(key, value, op)) return;
  const std::string_view word = key.text();
  if (word == "params") {
    for (std::string& name : read_names(value, diagnostics_)) {
      if (!contains(op.parameters, name)) op.parameters.push_back(std::move(name));
    }
  } else if (word == "attributes") {
    read_attributes(value, diagnostics_, op);
  } else if (word == "order") {
    op.order = StatedOrder{value.is_scalar() ? nullptr : read_order(value, diagnostics_), value};
  } else if (word == "let") {
    op.lets = parse_definitions(value, diagnostics_);
  } else {
    Definition quantity;
    if (parse_definition(key, value, diagnostics_, quantity)) op.quantities.push_back(std::move(quantity));
  }
}

/// Reads a key whose value is a text (`doc`, `source`, `like`) or a truth (`sum`). Returns false if the key is another one;
/// true otherwise, also after an error.
bool OperatorReader::text_entry(const Datum& key, const Datum& value, Operator& op) {
  const std::string_view word = key.text();
  std::string* place = word == "doc" ? &op.doc : word == "source" ? &op.source : word == "like" ? &op.like : nullptr;
  if (!place && word != "sum") return false;
  if (!value.is_scalar()) {
    diagnostics_.error(value.span(), fmt::format("`{}` must be text, found {}", word, value.describe()));
  } else if (place) {
    *place = value.text();
  } else if (value.text() == "true" || value.text() == "false") {
    op.sum = value.text() == "true";
  } else {
    diagnostics_.error(value.span(), fmt::format("`sum` must be true or false, found `{}`", value.text()));
  }
  return true;
}

/// Reads a section about ports or dimensions, which replaces the inherited section. `in`, `weights` or `out` marks the
/// operator as one with a signature (`data`). Returns false if the key is another one.
bool OperatorReader::relation_entry(const Datum& key, const Datum& value, Operator& op) {
  const std::string_view word = key.text();
  std::vector<Port>* ports = word == "in" ? &op.inputs : word == "weights" ? &op.weights : word == "out" ? &op.outputs : nullptr;
  // An operator without a signature may have a quantity named `weights`, a formula.
  if (ports && !(word == "weights" && value.is_scalar())) {
    *ports = read_ports(value, diagnostics_);
    op.data = true;
  } else if (word == "gradients") {
    op.gradients = read_name_lists(value, diagnostics_);
  } else if (word == "moved") {
    op.moved = read_name_lists(value, diagnostics_);
  } else if (word == "no_gradient") {
    op.no_gradient = read_names(value, diagnostics_);
  } else if (word == "linear") {
    op.linear = read_names(value, diagnostics_);
  } else if (word == "broadcast") {
    op.broadcast = read_names(value, diagnostics_);
  } else if (word == "frozen") {
    op.frozen = read_names(value, diagnostics_);
  } else if (word == "inner") {
    read_inner(value, diagnostics_, op);
  } else if (word == "halo") {
    read_halo(value, diagnostics_, op);
  } else if (word == "carry") {
    read_carry(value, diagnostics_, op);
  } else if (word == "matrices") {
    read_matrices(value, diagnostics_, op);
  } else {
    return false;
  }
  return true;
}

}  // namespace opledger
