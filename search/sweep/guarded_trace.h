#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "expr/guarded_program.h"
#include "run/trace.h"
#include "search/space/free_axes.h"
#include "search/space/region.h"

/// Traces with their conditions of validity. A trace is the program recorded while one candidate is evaluated. Its
/// guards are conditions on the axes; every candidate that satisfies them shares the trace.
namespace opledger {

/// The guards of a trace that depend on the same axes.
class JointGuards {
 public:
  /// `axes`: the axes that the guards read. `read`: `axes` and all axes that their domains read.
  JointGuards(const Trace& trace, AxisSet axes, AxisSet read, const std::vector<Tape::Guard>& guards) : axes_(axes), read_(read), guards_(trace.tape, guards) {}

  AxisSet axes() const { return axes_; }  ///< The axes that the guards read.
  AxisSet read() const { return read_; }  ///< The guards' axes, and all axes that the domains of `axes` read.
  /// Returns whether all guards hold. `candidate`: the values of the free axes.
  bool hold(const std::vector<double>& candidate) const { return guards_.hold(candidate); }
  /// Returns a filter for the candidates that satisfy the guards. `candidates`: all combinations of values of the
  /// axes, as candidates with one value per axis of the space.
  Filter filter(const FreeAxes& free, const std::vector<std::vector<double>>& candidates) const;

 private:
  AxisSet axes_, read_;
  Guards guards_;  ///< The guards as one compiled condition.
};

/// A trace and the tape that it was recorded on.
struct NumberedTrace {
  Trace trace;
  std::uint64_t tape = 0;  ///< Number of the shared tape on which the trace was recorded.
};

/// A trace with filters. A candidate shares the trace if it passes all filters and satisfies all remaining guards. The
/// recording is dropped when all its plans are made and recordings are many. Further candidates then get a new trace.
struct GuardedTrace : NumberedTrace {
  mutable std::atomic<int> plans{0};  ///< Number of partitions that still need the recording for a plan.
  bool is_dropped = false;            ///< Tape, results, checks, filters and guards are dropped; metrics have their kinds only.
  std::vector<Filter> filters;        ///< Guards as tables of admitted values.
  std::vector<JointGuards> wide;      ///< Guards without a filter, because their axes have too many combinations of values.
  std::vector<std::string> reasons;   ///< Reasons of refusal, one for each check.
};

}  // namespace opledger
