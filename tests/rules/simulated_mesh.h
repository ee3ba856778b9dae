#pragma once
#include <string>
#include <vector>

#include "rules/transition.h"
#include "tests/rules/dense.h"
#include "tests/rules/setting.h"

/// Simulated ranks with local blocks. Their collectives access each other's memory, but only within the group.
namespace opledger::testing {

using Blocks = std::vector<Dense>;  ///< Blocks by rank.

class SimulatedMesh {
 public:
  SimulatedMesh(const Derived& d, const Grid& grid);

  std::size_t ranks() const { return coordinates_.size(); }
  int steps() const { return steps_; }  ///< Number of executed collectives.
  int detours() const { return detours_; }

  /// Returns an empty block of a rank.
  Dense block(const DimList& dims, const Placement& placement, std::size_t rank) const;
  Blocks cut(const Dense& whole, const Placement& placement) const;

  /// Joins local blocks by a placement: replicas must be equal, partial blocks are added.
  Dense join(const Blocks& blocks, const Placement& placement, const DimList& dims, const std::string& what) const;

  /// Executes the derived collectives. Afterwards every rank must have the target's elements, and must have received
  /// the derived amounts.
  Blocks reshard(const Blocks& blocks, const Placement& from, const Placement& to, const DimList& dims, const std::string& what);

  /// Returns sums or maxima of values over ranks that differ in these axes only.
  std::vector<std::vector<double>> reduce(const std::vector<std::vector<double>>& values, const AxisList& axes, bool maximum) const;

 private:
  struct Journey;
  Blocks spread(Blocks blocks, const AxisList& partial) const;  ///< Returns a sum over these axes: the first rank has the block, the other ranks zeros.
  Blocks direct(const Blocks& blocks, const Placement& from, const Placement& to, const DimList& dims, const std::string& what);
  bool together(std::size_t a, std::size_t b, const AxisList& axes) const;
  int coordinate(std::size_t rank, AxisId axis) const { return coordinates_[rank][axis]; }
  int degree(AxisId axis) const { return static_cast<int>(d_.degree[axis]); }

  const Derived& d_;
  const Grid& grid_;
  std::vector<IdVector<AxisId, int>> coordinates_;  ///< Coordinates of each rank.
  int steps_ = 0, detours_ = 0;
};

}  // namespace opledger::testing
