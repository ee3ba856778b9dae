#include "formulas/program.h"

#include <algorithm>

namespace opledger {

Program::Program() = default;
Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

SetId Program::find_set(std::string_view name) const {
  for (const auto& set : sets) {
    if (set->name == name) return set->id;
  }
  return -1;
}

Name* Program::find(std::string_view name) const {
  if (global == nullptr) return nullptr;
  const auto found = global->names.find(std::string(name));
  return found == global->names.end() ? nullptr : found->second;
}

Name* Program::find_input(std::string_view name) const {
  const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const auto& input) { return input.first->name == name; });
  return found == inputs.end() ? nullptr : found->first;
}

const Published* Program::find_published(std::string_view name) const {
  for (const Published& p : published) {
    if (p.name == name) return &p;
  }
  return nullptr;
}

Function* Program::find_function(std::string_view name) const {
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const auto& f) { return f->name == name; });
  return found == functions.end() ? nullptr : found->get();
}

const NodeValueType* Engine::node_value(std::string_view name) const {
  const auto found = std::find_if(node_values.begin(), node_values.end(), [&](const NodeValueType& t) { return t.name == name; });
  return found == node_values.end() ? nullptr : &*found;
}

std::int32_t Program::field_id(const std::string& name) { return static_cast<std::int32_t>(field_ids.emplace(name, field_ids.size()).first->second); }

const Role* Program::find_role(std::string_view command, std::string_view word) const {
  const auto found = commands.find(command);
  if (found == commands.end()) return nullptr;
  for (const Role& role : found->second) {
    if (role.word == word) return &role;
  }
  return nullptr;
}

}  // namespace opledger
