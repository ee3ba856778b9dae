#pragma once
#include <string>
#include <vector>

#include "rules/transition.h"
#include "tests/rules/dense.h"
#include "tests/rules/setting.h"

/// Ranks that hold local blocks, and collectives that they carry out on each other's memory: reading no more than their group holds.
namespace opledger::testing {

using Blocks = std::vector<Dense>;  ///< By rank.

class SimulatedMesh {
 public:
  SimulatedMesh(const Derived& d, const Grid& grid);

  std::size_t ranks() const { return coordinates_.size(); }
  int steps() const { return steps_; }  ///< Collectives carried out.
  int detours() const { return detours_; }

  /// An empty block of a rank.
  Dense block(const DimList& dims, const Placement& placement, std::size_t rank) const;
  Blocks cut(const Dense& whole, const Placement& placement) const;

  /// Reads local blocks as the placement says: what is replicated must be equal, what is partial is added.
  Dense join(const Blocks& blocks, const Placement& placement, const DimList& dims, const std::string& what) const;

  /// Carries out the derived collectives. Afterwards every rank must hold exactly what the target gives it, and have received what was derived.
  Blocks reshard(const Blocks& blocks, const Placement& from, const Placement& to, const DimList& dims, const std::string& what);

  /// Sums, or maxima, of values over the ranks that differ in these axes only.
  std::vector<std::vector<double>> reduce(const std::vector<std::vector<double>>& values, const AxisList& axes, bool maximum) const;

 private:
  struct Journey;
  Blocks spread(Blocks blocks, const AxisList& partial) const;  ///< As a sum over these axes: the first rank of them has it, the others nothing.
  Blocks direct(const Blocks& blocks, const Placement& from, const Placement& to, const DimList& dims, const std::string& what);
  bool together(std::size_t a, std::size_t b, const AxisList& axes) const;
  int coordinate(std::size_t rank, AxisId axis) const { return coordinates_[rank][axis]; }
  int degree(AxisId axis) const { return static_cast<int>(d_.degree[axis]); }

  const Derived& d_;
  const Grid& grid_;
  std::vector<IdVector<AxisId, int>> coordinates_;  ///< By rank.
  int steps_ = 0, detours_ = 0;
};

}  // namespace opledger::testing
