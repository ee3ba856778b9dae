#include "search/plan.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace opledger {
namespace {

using Stage = StagedKernel::Stage;

// What evaluation takes, in nanoseconds, about: an instruction on a block of lanes, a value handed from a row to its cells, a row.
constexpr double kBlockCost = 10, kHandedCost = 1, kRowCost = 100;

/// The axes on which each instruction depends.
std::vector<AxisSet> dependence(const Tape& tape, const FreeAxes& free) {
  std::vector<AxisSet> out;
  for (const Tape::Instruction& i : tape.instructions()) {
    AxisSet axes = i.kind == Tape::Instruction::Kind::input ? axis_bit(free.axes[i.extra]) : 0;
    for (std::uint8_t k = 0; k < i.count; ++k) {
      if (!i.args[k].constant()) axes |= out[i.args[k].symbol];
    }
    out.push_back(axes);
  }
  return out;
}

/// These and those whose domains read them, or read such.
AxisSet late_axes(const Space& space, const Stops& stops, AxisSet columns) {
  for (std::size_t a = 0; a < space.axes.size(); ++a) {  // outermost first, so once is enough
    if ((stops.reads(a) & columns) != 0) columns |= axis_bit(a);
  }
  return columns;
}

/// Chooses the axes that make columns.
class Chooser {
 public:
  Chooser(const Trace& trace, const std::vector<AxisSet>& depends, const Space& space, const Stops& stops, AxisSet fixed, const std::vector<double>& sizes)
      : trace_(trace), depends_(depends), space_(space), stops_(stops), fixed_(fixed), sizes_(sizes), live_(depends.size()) {
    for (const Scalar& result : trace.results) {
      if (!result.constant()) live_[result.symbol] = true;
    }
    for (std::size_t i = live_.size(); i-- > 0;) {
      if (!live_[i]) continue;
      const Tape::Instruction& from = trace.tape.instructions()[i];
      for (std::uint8_t k = 0; k < from.count; ++k) {
        if (!from.args[k].constant()) live_[from.args[k].symbol] = true;
      }
    }
  }

  /// Adds axes while that makes it cheaper, with those whose domains read them.
  AxisSet choose() const {
    AxisSet columns = 0;
    double cost = cost_of(0);
    for (bool better = true; better;) {
      better = false;
      AxisSet best = columns;
      for (std::size_t a = 0; a < space_.axes.size(); ++a) {
        if ((fixed_ | columns) & axis_bit(a)) continue;
        const AxisSet with = readers(columns | axis_bit(a));
        const double c = cost_of(with);
        if (c >= cost) continue;
        cost = c;
        best = with;
        better = true;
      }
      columns = best;
    }
    return columns;
  }

 private:
  AxisSet readers(AxisSet columns) const { return late_axes(space_, stops_, columns) & ~fixed_; }

  double cost_of(AxisSet columns) const {
    double rows = 1, cells = 1, tiles = 1;
    AxisSet read = 0;
    for (std::size_t a = 0; a < space_.axes.size(); ++a) {
      if (columns & axis_bit(a)) read |= stops_.reads(a);
    }
    for (std::size_t a = 0; a < space_.axes.size(); ++a) {
      if (fixed_ & axis_bit(a)) continue;
      (columns & axis_bit(a) ? cells : rows) *= sizes_[a];
      if ((columns & axis_bit(a)) == 0 && (read & axis_bit(a)) != 0) tiles *= sizes_[a];
    }
    double in_rows = 0, in_cells = 0, in_columns = 0;
    std::vector<bool> handed(live_.size());
    double handed_count = 0;
    for (std::size_t i = 0; i < live_.size(); ++i) {
      const AxisSet on = depends_[i] & ~fixed_;
      if (!live_[i] || on == 0) continue;
      if ((on & columns) == 0) {
        ++in_rows;
      } else if ((on & ~columns) == 0) {
        ++in_columns;
      } else {
        ++in_cells;
        const Tape::Instruction& from = trace_.tape.instructions()[i];
        for (std::uint8_t k = 0; k < from.count; ++k) {
          if (from.args[k].constant()) continue;
          const auto arg = static_cast<std::size_t>(from.args[k].symbol);
          if ((depends_[arg] & ~fixed_) == 0 || (depends_[arg] & columns) != 0 || handed[arg]) continue;
          handed[arg] = true;
          ++handed_count;
        }
      }
    }
    const double lanes = static_cast<double>(StagedKernel::kLanes);
    return tiles * std::ceil(cells / lanes) * in_columns * kBlockCost +
           rows * (in_rows * kBlockCost / lanes + handed_count * kHandedCost + kRowCost + std::ceil(cells / lanes) * in_cells * kBlockCost);
  }

  const Trace& trace_;
  const std::vector<AxisSet>& depends_;
  const Space& space_;
  const Stops& stops_;
  AxisSet fixed_;
  const std::vector<double>& sizes_;
  std::vector<bool> live_;
};

}  // namespace

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

Question question_of(const Space& space) {
  Question out;
  out.where = space.where;
  for (const SpaceAxis& axis : space.axes) {
    if (axis.derived != nullptr)
      out.derived.emplace_back(axis.input, axis.derived);
    else
      out.inputs.push_back(axis.input->name);
  }
  return out;
}

Plan::Plan(const Trace& trace, std::size_t metrics, const Space& space, const Stops& stops, AxisSet fixed, const std::vector<double>& sizes)
    : checks_(trace.checks.size()) {
  const FreeAxes free(space);
  columns_ = Chooser(trace, dependence(trace.tape, free), space, stops, fixed, sizes).choose();
  late_ = late_axes(space, stops, columns_);
  std::vector<Scalar> outputs;
  for (const Trace::Check& check : trace.checks) outputs.push_back(trace.results[check.result]);
  for (std::size_t m = 0; m < metrics; ++m) outputs.push_back(trace.results[m]);
  std::vector<Stage> stages;
  for (const std::size_t axis : free.axes)
    stages.push_back(fixed & axis_bit(axis) ? StagedKernel::kFixed : columns_ & axis_bit(axis) ? StagedKernel::kColumn : StagedKernel::kRow);
  kernel_.emplace(trace.tape, outputs, stages, checks_);
  std::size_t sieved = 0;
  while (sieved < checks_ && (kernel_->stage(sieved) == StagedKernel::kFixed || kernel_->stage(sieved) == StagedKernel::kColumn)) ++sieved;
  sieve_.emplace(trace.tape, std::span(outputs).subspan(0, sieved));
}

AxisSet axes_of(const Trace& trace, const FreeAxes& free, const Scalar& symbol) { return symbol.constant() ? 0 : dependence(trace.tape, free)[symbol.symbol]; }

}  // namespace opledger
