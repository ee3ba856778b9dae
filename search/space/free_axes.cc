#include "search/space/free_axes.h"

namespace opledger {

FreeAxes::FreeAxes(const Space& space) : input_of(space.axes.size(), -1) {
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    if (space.axes[a].derived != nullptr) continue;
    input_of[a] = static_cast<int>(axes.size());
    axes.push_back(a);
  }
}

std::vector<double> FreeAxes::of(const std::vector<double>& values) const {
  std::vector<double> out;
  for (const std::size_t axis : axes) out.push_back(values[axis]);
  return out;
}

std::vector<AxisSet> FreeAxes::sets() const {
  std::vector<AxisSet> out;
  for (const std::size_t axis : axes) out.push_back(axis_bit(axis));
  return out;
}

FreeAxes::Columns FreeAxes::columns(const std::vector<std::vector<double>>& candidates) const {
  Columns out;
  for (const std::size_t axis : axes) {
    std::vector<double>& column = out.values.emplace_back();
    column.reserve(candidates.size());
    for (const auto& candidate : candidates) column.push_back(candidate[axis]);
  }
  for (const auto& column : out.values) out.pointers.push_back(column.data());
  return out;
}

Query query_of(const Space& space) {
  Query out;
  out.where = space.where;
  for (const SpaceAxis& axis : space.axes) {
    if (axis.derived != nullptr)
      out.derived.emplace_back(axis.input, axis.derived);
    else
      out.inputs.push_back(axis.input->name);
  }
  return out;
}

std::vector<AxisSet> dependence(const Tape& tape, const std::vector<AxisSet>& inputs) {
  // A forward data-flow pass: an instruction depends on the union of its operands' axes.
  std::vector<AxisSet> out;
  out.reserve(tape.instructions().size());
  for (const Tape::Instruction& i : tape.instructions()) {
    AxisSet axes = i.kind == Tape::Instruction::Kind::input ? inputs[i.extra] : 0;
    for (std::uint8_t k = 0; k < i.count; ++k) {
      if (!i.args[k].constant()) axes |= out[i.args[k].symbol];
    }
    out.push_back(axes);
  }
  return out;
}

}  // namespace opledger
