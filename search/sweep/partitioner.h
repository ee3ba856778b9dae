#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "base/function_ref.h"
#include "search/space/assignment.h"
#include "search/sweep/trace_cache.h"

/// A partitioner of candidate ranges: it splits a range into partitions, regions whose candidates share one trace.
namespace opledger {

/// Candidates of one trace: the members of a region with some axes already assigned.
struct Partition {
  GuardedTrace& trace;
  Region region;
  AxisSet known = 0;           ///< Axes with an assigned value.
  std::vector<double> values;  ///< One value per axis; arbitrary for axes outside `known`.
};

/// A depth-first partitioner with an explicit stack: a space can have as many regions as candidates, too many for
/// recursion.
class Partitioner {
 public:
  Partitioner(const Stops& stops, const FreeAxes& free, Assignment& assignment, Diagnostics& diagnostics)
      : stops_(stops), free_(free), assignment_(assignment), diagnostics_(diagnostics) {}

  /// Passes every candidate of the range to `take`, in exactly one partition. Missing traces are added to `cache`.
  /// `should_continue` is called before each lookup of a trace. Returns false if a callback does, or, with errors, if a
  /// candidate can't be evaluated.
  bool run(const CandidateRange& range, TraceCache& cache, FunctionRef<bool(Partition)> take, FunctionRef<bool()> should_continue);

 private:
  /// An entry of the stack: a region with some axes assigned. `trace` is set once the region has one trace; `axis` is
  /// set while the values of one more axis are enumerated.
  struct StackEntry {
    std::shared_ptr<const Region> region;
    AxisSet known = 0;
    std::vector<double> values;
    std::optional<std::size_t> axis;
    std::size_t next = 0;  ///< Index of the next value of `axis`.
    GuardedTrace* trace = nullptr;
    std::vector<double> sample;  ///< First candidate of the region, one value per axis; empty before the lookup.
  };

  AssignmentStatus complete(AxisSet known);
  bool find_sample(StackEntry& entry);
  void prefetch(const std::vector<StackEntry>& regions, TraceCache& cache) const;
  bool cut(StackEntry entry, TraceCache& cache);
  std::optional<Filter> filter(const JointGuards& guards, const StackEntry& entry);
  bool start_enumeration(StackEntry entry, AxisSet axes);
  bool assign_next(StackEntry entry);

  const Stops& stops_;
  const FreeAxes& free_;
  Assignment& assignment_;
  Diagnostics& diagnostics_;
  const CandidateRange* range_ = nullptr;
  std::vector<StackEntry> stack_;
};

}  // namespace opledger
