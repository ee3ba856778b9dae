#include "ops/operator.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/lists.h"
#include "ops/operator_reader.h"

namespace opledger {

namespace {

template <class List>
auto by_name(const List& list, std::string_view name) {
  auto found = std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.name == name; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

std::size_t position(const std::vector<Port>& ports, std::string_view name) {
  return static_cast<std::size_t>(std::find_if(ports.begin(), ports.end(), [&](const Port& port) { return port.name == name; }) - ports.begin());
}

const Port* Operator::port(std::string_view name) const {
  for (const auto* list : {&inputs, &weights, &outputs}) {
    if (const Port* found = by_name(*list, name)) return found;
  }
  return nullptr;
}

const Attribute* Operator::attribute(std::string_view name) const { return by_name(attributes, name); }

std::vector<std::string> Operator::ports() const {
  std::vector<std::string> names;
  for (const auto* list : {&inputs, &weights, &outputs}) {
    for (const Port& port : *list) names.push_back(port.name);
  }
  return names;
}

bool OperatorLibrary::add(const Document& document, Diagnostics& diagnostics) {
  const Datum* section = document.root.find("ops");
  if (!section || section->is_null()) return true;
  if (!section->is_map()) {
    diagnostics.error(section->span(), fmt::format("`ops` must be a mapping of operators, found {}", section->describe()));
    return false;
  }
  std::size_t errors = diagnostics.errors();
  OperatorReader(*section, operators_, diagnostics).read();
  return diagnostics.errors() == errors;
}

const Operator* OperatorLibrary::find(std::string_view name) const {
  auto found = operators_.find(name);
  return found == operators_.end() ? nullptr : &found->second;
}

std::vector<std::string> OperatorLibrary::names() const { return names_of(operators_); }

}  // namespace opledger
