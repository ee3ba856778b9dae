#include "search/room.h"

#include <fmt/core.h>

#include "base/text.h"
#include "run/structure.h"
#include "search/plan.h"

namespace opledger {
namespace {

constexpr double kLittle = 0.03;
constexpr const char* kCommand = "search";

/// `workspace` = 0 B is its share for memory that the framework takes`, of each input that the accounting names for `audit`.
std::string stand_ins(const Program& program, const std::vector<std::string>& names, const std::vector<Value>& values) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Name* input = program.find_input(names[i]);
    const Value& value = values[i + 2];
    if (input == nullptr || value.kind == Value::Kind::nothing) continue;
    out += fmt::format("; `{}` stands for {} and is {}", input->name, input->type.doc, human(value));
  }
  return out;
}

}  // namespace

void warn_of_little_room(Space& space, const std::vector<double>& candidate, Diagnostics& diagnostics) {
  const Program& program = space.run->program();
  const Role *size = program.find_role(kCommand, "size"), *capacity = program.find_role(kCommand, "capacity");
  if (size == nullptr || capacity == nullptr) return;
  std::vector<std::string> names;
  if (const auto audit = program.commands.find("audit"); audit != program.commands.end()) {
    for (const Role& role : audit->second) names.push_back(role.name);
  }
  Question question = question_of(space);
  question.outputs = {size->name, capacity->name};
  question.outputs.insert(question.outputs.end(), names.begin(), names.end());
  question.constraints = true;  // what has no value has none then, and is no error
  Diagnostics told_before;
  const std::optional<Structure> structure = Structure::compile(*space.run, question, candidate, told_before);
  if (!structure) return;
  const std::vector<Value> values = structure->evaluate(candidate).outputs;
  if (!values[0].is_number() || !values[1].is_number()) return;
  const double all = values[1].scalar.value, left = all - values[0].scalar.value;
  if (left >= kLittle * all) return;
  diagnostics.warning({}, fmt::format("the best leaves {} of {} free, {:.1f} %: there is little room for what is not counted{}", human(left, values[1].unit),
                                      human(values[1]), 100 * left / all, stand_ins(program, names, values)));
}

}  // namespace opledger
