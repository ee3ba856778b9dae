#include "search/headroom.h"

#include <fmt/core.h>

#include "base/text.h"

namespace opledger {
namespace {

constexpr double kMinFree = 0.03;  // share of the capacity
constexpr const char* kCommand = "search";

/// Returns the part of the warning about estimated inputs: name, description and value of each.
std::string estimates(const Program& program, const std::vector<std::string>& names, std::span<const Value> values) {
  std::string out;
  for (std::size_t i = 2; i < names.size(); ++i) {
    const Name* input = program.find_input(names[i]);
    const Value& value = values[i];
    if (input == nullptr || value.kind == Value::Kind::nothing) continue;
    out += fmt::format("; `{}` ({}) is {}", input->name, input->type.doc, human(value));
  }
  return out;
}

}  // namespace

std::vector<std::string> headroom_names(const Program& program) {
  const Role *size = program.find_role(kCommand, "size"), *capacity = program.find_role(kCommand, "capacity");
  const auto known = [&](const std::string& name) {
    Diagnostics ignored;
    return program.metric(name, ignored).has_value();
  };
  if (size == nullptr || capacity == nullptr || !known(size->name) || !known(capacity->name)) return {};
  std::vector<std::string> out = {size->name, capacity->name};
  if (const auto audit = program.commands.find("audit"); audit != program.commands.end()) {
    for (const Role& role : audit->second) {
      if (known(role.name)) out.push_back(role.name);
    }
  }
  return out;
}

void warn_about_headroom(const Program& program, std::span<const Value> values, Diagnostics& diagnostics) {
  if (values.empty() || !values[0].is_number() || !values[1].is_number()) return;
  const double all = values[1].scalar.value, left = all - values[0].scalar.value;
  if (left >= kMinFree * all) return;
  diagnostics.warning({}, fmt::format("the best candidate leaves {} of {} free, {:.1f} %: little headroom for memory that no formula counts{}",
                                      human(left, values[1].unit), human(values[1]), 100 * left / all, estimates(program, headroom_names(program), values)));
}

}  // namespace opledger
