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
  GuardedTrace& trace;         ///< The common trace, owned by the cache.
  Region region;               ///< Combinations of values that belong to the partition.
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
  /// `should_continue` is called before each division of a region. Returns false if a callback does, or, with errors, if
  /// a domain can't be evaluated.
  bool run(const CandidateRange& range, TraceCache& cache, FunctionRef<bool(Partition)> take, FunctionRef<bool()> should_continue);

 private:
  /// An entry of the stack: a region with some axes assigned. `trace` is set once the region has one trace; `axis` is
  /// set while the values of one more axis are enumerated.
  struct StackEntry {
    std::shared_ptr<const Region> region;
    AxisSet known = 0;                ///< Axes with an assigned value.
    std::vector<double> values;       ///< One value per axis; arbitrary for axes outside `known`.
    std::optional<std::size_t> axis;  ///< Axis whose values are enumerated; empty: the region is cut by guards.
    std::size_t next = 0;             ///< Index of the next value of `axis`.
    GuardedTrace* trace = nullptr;    ///< Common trace of a finished partition; else null.
    std::vector<double> sample;       ///< First candidate of the region, one value per axis; empty before the lookup.
  };

  /// Assigns all axes outside `known`, to the first candidate of the current region.
  AssignmentStatus complete(AxisSet known);
  /// Sets the sample of an entry to the first candidate of its region; false if the region is empty, or with errors.
  bool find_sample(StackEntry& entry);
  /// Requests the traces of new regions in advance.
  void prefetch(const std::vector<StackEntry>& regions, TraceCache& cache) const;
  /// Finds the trace of a region and divides the region by the trace's guards. False, with errors, on failure.
  bool cut(StackEntry entry, TraceCache& cache);
  /// Returns a filter for wide guards under the assigned values of the entry; nothing if the table is still too large.
  std::optional<Filter> filter(const JointGuards& guards, const StackEntry& entry);
  /// Pushes the entry with its first open axis among `axes` to enumerate; drops an empty region. False, with errors, on
  /// failure.
  bool start_enumeration(StackEntry entry, AxisSet axes);
  /// Pushes the region with the next value of the enumerated axis, above the entry itself if values are left. False, with
  /// errors, on failure.
  bool assign_next(StackEntry entry);

  const Stops& stops_;
  const FreeAxes& free_;
  Assignment& assignment_;
  Diagnostics& diagnostics_;
  const CandidateRange* range_ = nullptr;  ///< The range that `run` divides.
  std::vector<StackEntry> stack_;          ///< Regions to divide; the last one is next.
};

}  // namespace opledger
