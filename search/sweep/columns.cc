#include "search/sweep/columns.h"

#include <cmath>

#include "formulas/evaluate/evaluator.h"

namespace opledger {

Value metric_value(const Dimension& unit, double number) { return std::isfinite(number) ? number_value(real(number), unit) : Value{}; }

/// Resolves every column once, so that rows convert without lookups. An axis with several values has a position among
/// the axes of the space, and an input with a type. An axis with one value has position -1; its value is evaluated
/// here. It has no value if the program has no such input. A metric gets unit and description from its newest
/// definition, which overrides earlier ones.
CandidateColumns::CandidateColumns(Space& space, std::vector<std::string> metrics) : program_(&space.run->program()), metrics_(std::move(metrics)) {
  Evaluator evaluator(*program_);
  for (const auto& [name, position] : space.order) {
    axes_.push_back(name);
    positions_.push_back(position);
    inputs_.push_back(position >= 0 ? space.axes[position].input : program_->find_input(name));
    Value& constant = constants_.emplace_back();
    if (position >= 0 || inputs_.back() == nullptr) continue;
    constant = evaluator.ask(*inputs_.back()).value;
  }
  for (const std::string& metric : metrics_) {
    const Name* name = program_->find_published(metric)->metric;
    const Def* def = name->newest();
    units_.push_back(def != nullptr && def->unit ? *def->unit : Dimension{});
    docs_.push_back(def != nullptr ? def->doc : "");
  }
}

std::string CandidateColumns::axis_unit(std::size_t column) const {
  if (inputs_[column] == nullptr) return {};
  const Type& type = inputs_[column]->type;
  const bool number = type.kind == Type::Kind::number || type.kind == Type::Kind::integer;
  return number ? to_string(type.unit.dimension) : "";
}

}  // namespace opledger
