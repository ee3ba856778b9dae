#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "base/function_ref.h"
#include "search/space/assignment.h"
#include "search/sweep/known_structures.h"

/// Divides a stretch of a space into regions whose candidates have one structure each. What waits to be divided lies in a list and not on the stack, since there
/// can be as many regions as the space has candidates.
namespace opledger {

/// Candidates of one structure.
struct Piece {
  GuardedTrace& structure;
  Region region;
  AxisSet known = 0;           ///< Axes that have a value.
  std::vector<double> values;  ///< By axis; of the others any.
};

class Division {
 public:
  Division(const Stops& stops, const FreeAxes& free, Assignment& assignment, Diagnostics& diagnostics)
      : stops_(stops), free_(free), assignment_(assignment), diagnostics_(diagnostics) {}

  /// Every candidate of the stretch is in one of the pieces that `take` is told of. False: that gave it, or `goes_on`, which is asked before each structure
  /// that is looked for; or, with errors, a candidate can't be made.
  bool run(const Stretch& stretch, KnownStructures& structures, FunctionRef<bool(Piece)> take, FunctionRef<bool()> goes_on);

 private:
  /// A region of which some axes have a value: to be divided, or of one structure already, or one more axis is to get its values one by one.
  struct Work {
    std::shared_ptr<const Region> region;
    AxisSet known = 0;
    std::vector<double> values;
    std::optional<std::size_t> axis;
    std::size_t next = 0;  ///< Of its values.
    GuardedTrace* structure = nullptr;
    std::vector<double> sample;  ///< The first candidate, by axis; empty: it wasn't looked for.
  };

  Assigned complete(AxisSet known);
  bool find_sample(Work& work);
  void expect(const std::vector<Work>& rests, KnownStructures& structures) const;
  bool divide(Work work, KnownStructures& structures);
  std::optional<Filter> filter(const JointGuards& guards, const Work& work);
  bool spread(Work work, AxisSet axes);
  bool advance(Work work);

  const Stops& stops_;
  const FreeAxes& free_;
  Assignment& assignment_;
  Diagnostics& diagnostics_;
  const Stretch* stretch_ = nullptr;
  std::vector<Work> waiting_;
};

}  // namespace opledger
