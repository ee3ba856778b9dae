#pragma once
#include <vector>

#include "run/trace.h"
#include "search/space/space.h"

/// The axes of a space as inputs of its tapes.
namespace opledger {

/// The free axes of a space are the inputs of its tapes, in order: those that are not derived.
struct FreeAxes {
  explicit FreeAxes(const Space& space);
  /// Their values. `values`: by axis.
  std::vector<double> of(const std::vector<double>& values) const;

  /// Those of many, as a kernel takes them: by input. `candidates`: by axis each.
  struct Columns {
    std::vector<std::vector<double>> values;
    std::vector<const double*> pointers;
  };
  Columns columns(const std::vector<std::vector<double>>& candidates) const;

  /// By input, as sets.
  std::vector<AxisSet> sets() const;

  std::vector<std::size_t> axes;  ///< By input.
  std::vector<int> input_of;      ///< By axis; -1: derived.
};

/// What is asked of every candidate: the values of free axes decide those of derived ones. Metrics are left to be named.
Question question_of(const Space& space);

/// The axes on which each instruction depends. `inputs`: the axis of each input of the tape, as a set.
std::vector<AxisSet> dependence(const Tape& tape, const std::vector<AxisSet>& inputs);

}  // namespace opledger
