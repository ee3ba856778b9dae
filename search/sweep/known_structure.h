#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "expr/guarded_program.h"
#include "run/trace.h"
#include "search/space/free_axes.h"
#include "search/space/region.h"

/// A structure that was met in a space: its trace, and the filters and guards that decide whether a candidate has it.
namespace opledger {

/// Guards that depend on the same axes.
class JointGuards {
 public:
  /// `read`: the axes, with all that their domains read.
  JointGuards(const Trace& trace, AxisSet axes, AxisSet read, const std::vector<Tape::Guard>& guards) : axes_(axes), read_(read), guards_(trace.tape, guards) {}

  AxisSet axes() const { return axes_; }
  AxisSet read() const { return read_; }
  /// Whether all of them hold. `candidate`: the values of the free axes.
  bool hold(const std::vector<double>& candidate) const { return guards_.hold(candidate); }
  /// The candidates for which they do. `candidates`: by axis, all values that these ever take together.
  Filter filter(const FreeAxes& free, const std::vector<std::vector<double>>& candidates) const;

 private:
  AxisSet axes_, read_;
  Guards guards_;
};

struct Traced {
  Trace trace;
  std::uint64_t tape = 0;  ///< Which of those that traces share.
};

struct KnownStructure : Traced {
  std::vector<Filter> filters;       ///< A candidate that has this structure passes them all,
  std::vector<JointGuards> wide;     ///< and these hold for it: their axes take too many values together for a filter of the whole space.
  std::vector<std::string> reasons;  ///< By check.
};

}  // namespace opledger
