#include "formulas/program.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "formulas/link/published.h"

namespace opledger {

struct Program::Numbers {
  std::uint32_t names = 0;
  std::unordered_map<std::string, std::size_t> fields;
  struct NamedSet {
    SetId id;
    bool is_former = false;
  };
  std::unordered_map<std::string, NamedSet> sets;  ///< First set of each name; a set of this name replaces a former name of another.
};

Program::Program() : numbers_(std::make_unique<Numbers>()) {}
Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

Set& Program::add(std::unique_ptr<Set> set) {
  set->id = sets.next();
  const auto [named, is_new] = numbers_->sets.try_emplace(set->name, Numbers::NamedSet{set->id});
  if (!is_new && named->second.is_former) named->second = {set->id};
  sets.push_back(std::move(set));
  return *sets.back();
}

void Program::add_former_name(std::string name, SetId set) { numbers_->sets.emplace(std::move(name), Numbers::NamedSet{set, true}); }

std::pair<SetId, bool> Program::find_set_or_former(const std::string& name) const {
  const auto found = numbers_->sets.find(name);
  return found == numbers_->sets.end() ? std::pair(SetId(), false) : std::pair(found->second.id, found->second.is_former);
}

SetId Program::find_set(const std::string& name) const {
  const auto [set, is_former] = find_set_or_former(name);
  return is_former ? SetId() : set;
}

SetId Program::find_set(const std::string& name, const Span& at, Diagnostics& diagnostics) const {
  const auto [set, is_former] = find_set_or_former(name);
  if (is_former) diagnostics.warning(at, fmt::format("set `{}` is now called `{}`: rename it, the old name will be removed", name, this->set(set).name));
  return set;
}

std::vector<SetId> Program::with_joined(std::vector<SetId> of) const {
  // Breadth-first closure: sets appended to the list are visited later in the same loop.
  for (std::size_t i = 0; i < of.size(); ++i) {
    for (const SetId other : set(of[i]).belongs_to) {
      if (!contains(of, other)) of.push_back(other);
    }
  }
  return of;
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

std::int32_t Program::field_id(const std::string& name) const {
  return static_cast<std::int32_t>(numbers_->fields.emplace(name, numbers_->fields.size()).first->second);
}

std::uint32_t Program::next_name() const { return numbers_->names++; }

std::optional<Published> Program::metric(std::string_view name, Diagnostics& diagnostics) const {
  if (const Published* found = find_published(name)) return *found;
  if (const Name* found = find(name)) return Published{std::string(name), found, {}};
  if (const Published* found = find_labeled(*this, name)) return *found;
  diagnostics.error({}, fmt::format("unknown metric `{}`{}", name, suggestion(name, names_of(published))));
  return std::nullopt;
}

const Role* Program::find_role(std::string_view command, std::string_view word) const {
  const auto found = commands.find(command);
  if (found == commands.end()) return nullptr;
  for (const Role& role : found->second) {
    if (role.word == word) return &role;
  }
  return nullptr;
}

}  // namespace opledger
