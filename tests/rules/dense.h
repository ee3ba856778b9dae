#pragma once
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "graph/dims.h"

/// Small dense tensors with named dimensions, for executing derivations on simulated ranks. A rank holds a local block and knows where it starts.
namespace opledger::testing {

/// An error that an execution finds.
struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr double kTolerance = 1e-9;  ///< Tolerance for sums in another order of terms.

inline constexpr std::size_t kMostDims = 40;
struct Index : private std::array<short, kMostDims> {
  short& operator[](DimId d) { return at(d.index()); }
  short operator[](DimId d) const { return at(d.index()); }
};

struct Dense {
  DimList dims;
  std::vector<int> shape, start;  ///< Extents and offsets, by position in dims.
  std::vector<double> data;
  bool readable = true;                         ///< False: only the shape may be used.
  std::vector<std::vector<double>> statistics;  ///< Further values that forward stores for backward, in addition to the tensor.

  Dense() = default;
  Dense(DimList d, std::vector<int> s, std::vector<int> from);

  std::size_t offset(const Index& ix) const;
  double at(const Index& ix) const;
  double& operator[](const Index& ix);
  int from(DimId d) const;  ///< Offset along a dimension.
  int extent(DimId d) const;
  bool has(DimId d) const { return contains(dims, d); }
  Dense renamed(const std::vector<std::pair<DimId, DimId>>& renames) const;
};

/// Calls `f(Index)` for every combination of the dimensions, whose extents `extent(d)` gives.
template <class Extent, class F>
void every(const DimList& dims, const Extent& extent, const F& f) {
  std::vector<int> limits;
  for (DimId d : dims) {
    limits.push_back(extent(d));
    if (limits.back() == 0) return;
  }
  Index ix{};
  while (true) {
    f(ix);
    std::size_t k = dims.size();
    while (k > 0 && ++ix[dims[k - 1]] == limits[k - 1]) ix[dims[--k]] = 0;
    if (k == 0) return;
  }
}

template <class F>
void every(const Dense& block, const F& f) {
  every(
      block.dims, [&](DimId d) { return block.extent(d); }, f);
}

/// Adds b to a; dimensions may be in different orders.
void add_to(Dense& a, const Dense& b);

/// Returns the greatest difference of two blocks of equal dimensions.
double difference(const Dense& a, const Dense& b);

}  // namespace opledger::testing
