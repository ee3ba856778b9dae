#include "tests/rules/simulated_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace opledger::testing {

namespace {

DimId unordered_holder(const Placement& placement, AxisId axis) {
  for (const auto& [dimension, axes] : placement.shard) {
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) return dimension;
  }
  return {};
}

}  // namespace

SimulatedMesh::SimulatedMesh(const Derived& d, const Grid& grid) : d_(d), grid_(grid) {
  coordinates_.emplace_back(d.degree.size(), 0);
  for (AxisId axis : grid.order) {
    std::vector<IdVector<AxisId, int>> more;
    for (const auto& rank : coordinates_) {
      for (int i = 0; i < degree(axis); ++i) {
        more.push_back(rank);
        more.back()[axis] = i;
      }
    }
    coordinates_ = std::move(more);
  }
}

Dense SimulatedMesh::block(const DimList& dims, const Placement& placement, std::size_t rank) const {
  std::vector<int> shape, start;
  for (DimId d : dims) {
    int part = 0, parts = 1;
    if (const AxisList* axes = placement.axes(d)) {
      for (AxisId a : *axes) {
        part = part * degree(a) + coordinate(rank, a);
        parts *= degree(a);
      }
    }
    if (static_cast<int>(d_.size(d)) % parts != 0) throw Wrong(fmt::format("{} is split into {} parts", d_.graph.name(d), parts));
    shape.push_back(static_cast<int>(d_.size(d)) / parts);
    start.push_back(part * shape.back());
  }
  return {dims, std::move(shape), std::move(start)};
}

Blocks SimulatedMesh::cut(const Dense& whole, const Placement& placement) const {
  Blocks blocks;
  for (std::size_t r = 0; r < ranks(); ++r) {
    blocks.push_back(block(whole.dims, placement, r));
    Dense& local = blocks.back();
    every(local, [&](const Index& ix) {
      Index global = ix;
      for (DimId d : whole.dims) global[d] = static_cast<short>(global[d] + local.from(d));
      local[ix] = whole.at(global);
    });
  }
  return blocks;
}

Dense SimulatedMesh::join(const Blocks& blocks, const Placement& placement, const DimList& dims, const std::string& what) const {
  std::vector<int> shape, start(dims.size(), 0);
  for (DimId d : dims) shape.push_back(static_cast<int>(d_.size(d)));
  Dense whole(dims, shape, start);
  std::map<std::vector<int>, std::size_t> first;
  for (std::size_t r = 0; r < ranks(); ++r) {
    Dense local = block(dims, placement, r);
    for (DimId d : dims) {
      if (blocks[r].extent(d) != local.extent(d)) throw Wrong(fmt::format("{}: a block has another shape than its placement says", what));
    }
    std::vector<int> key = local.start;
    for (AxisId a : placement.partial) key.push_back(coordinate(r, a));
    auto [entry, fresh] = first.emplace(key, r);
    if (!fresh) {
      if (difference(blocks[r], blocks[entry->second]) > kTolerance) throw Wrong(fmt::format("{}: replicas differ", what));
      continue;
    }
    every(local, [&](const Index& ix) {
      Index global = ix;
      for (DimId d : dims) global[d] = static_cast<short>(global[d] + local.from(d));
      whole[global] += blocks[r].at(ix);
    });
  }
  return whole;
}

bool SimulatedMesh::together(std::size_t a, std::size_t b, const AxisList& axes) const {
  return std::all_of(grid_.order.begin(), grid_.order.end(),
                     [&](AxisId axis) { return coordinate(a, axis) == coordinate(b, axis) || std::find(axes.begin(), axes.end(), axis) != axes.end(); });
}

std::vector<std::vector<double>> SimulatedMesh::reduce(const std::vector<std::vector<double>>& values, const AxisList& axes, bool maximum) const {
  std::vector<std::vector<double>> result = values;
  for (std::size_t r = 0; r < ranks(); ++r) {
    for (std::size_t other = 0; other < ranks(); ++other) {
      if (other == r || !together(r, other, axes)) continue;
      for (std::size_t i = 0; i < values[r].size(); ++i) result[r][i] = maximum ? std::max(result[r][i], values[other][i]) : result[r][i] + values[other][i];
    }
  }
  return result;
}

/// A tensor during a transition: the elements of each rank, and the layout that locates them along each axis.
struct SimulatedMesh::Journey {
  std::size_t elements = 1;
  std::vector<Index> index;                           ///< Index of each element in the whole tensor.
  IdVector<AxisId, std::vector<int>> source, target;  ///< Coordinate of each element along the axis.
  IdVector<AxisId, int> layout;                       ///< 0: undetermined, 1: source, 2: target.
  std::vector<std::vector<double>> value;             ///< Values by rank and element.
  std::vector<std::vector<char>> present;

  void locate(const SimulatedMesh& mesh, const Placement& placement, IdVector<AxisId, std::vector<int>>& where) const {
    where.assign(mesh.d_.degree.size(), {});
    for (const auto& [dimension, axes] : placement.shard) {
      int parts = 1;
      for (AxisId a : axes) parts *= mesh.degree(a);
      if (static_cast<int>(mesh.d_.size(dimension)) % parts != 0) throw Wrong(fmt::format("{} is split into {} parts", mesh.d_.graph.name(dimension), parts));
      int part_size = static_cast<int>(mesh.d_.size(dimension)) / parts;
      for (AxisId a : axes) {
        auto& coordinates = where[a];
        parts /= mesh.degree(a);
        for (const Index& ix : index) coordinates.push_back(ix[dimension] / part_size / parts % mesh.degree(a));
      }
    }
  }

  Journey(const SimulatedMesh& mesh, const Blocks& blocks, const Placement& from, const Placement& to, const DimList& dims) {
    every(
        dims, [&](DimId d) { return static_cast<int>(mesh.d_.size(d)); }, [&](const Index& ix) { index.push_back(ix); });
    elements = index.size();
    locate(mesh, from, source);
    locate(mesh, to, target);
    layout.assign(mesh.d_.degree.size(), 0);
    for (const AxisId a : layout.ids()) layout[a] = source[a].empty() ? 0 : 1;
    for (std::size_t r = 0; r < mesh.ranks(); ++r) {
      value.emplace_back(elements, 0.0);
      present.push_back(mine(mesh, r));
      for (std::size_t e = 0; e < elements; ++e) {
        if (!present[r][e]) continue;
        Index local = index[e];
        for (DimId d : dims) local[d] = static_cast<short>(local[d] - blocks[r].from(d));
        value[r][e] = blocks[r].at(local);
      }
    }
  }

  std::vector<char> mine(const SimulatedMesh& mesh, std::size_t rank) const {
    std::vector<char> own_elements(elements, 1);
    for (const AxisId a : layout.ids()) {
      if (layout[a] == 0) continue;
      const std::vector<int>& where = layout[a] == 1 ? source[a] : target[a];
      int own = mesh.coordinate(rank, a);
      for (std::size_t e = 0; e < elements; ++e) own_elements[e] = own_elements[e] && where[e] == own;
    }
    return own_elements;
  }
};

Blocks SimulatedMesh::reshard(const Blocks& blocks, const Placement& from, const Placement& to, const DimList& dims, const std::string& what) {
  if (from == to) return blocks;
  if (!std::includes(from.partial.begin(), from.partial.end(), to.partial.begin(), to.partial.end()))
    throw Wrong(what + " should become a sum that is still spread");
  if (std::optional<Placement> middle = detour(grid_, from, to)) {
    ++detours_;
    return reshard(reshard(blocks, from, *middle, dims, what), *middle, to, dims, what);
  }
  return direct(blocks, from, to, dims, what);
}

Blocks SimulatedMesh::spread(Blocks blocks, const AxisList& partial) const {
  for (std::size_t r = 0; r < ranks(); ++r) {
    if (std::all_of(partial.begin(), partial.end(), [&](AxisId a) { return coordinate(r, a) == 0; })) continue;
    every(blocks[r], [&](const Index& ix) { blocks[r][ix] = 0; });
  }
  return blocks;
}

Blocks SimulatedMesh::direct(const Blocks& blocks, const Placement& from, const Placement& to, const DimList& dims, const std::string& what) {
  Journey journey(*this, blocks, from, to, dims);
  for (AxisId a : grid_.order) {
    DimId stays = unordered_holder(from, a);
    if (!stays || stays != unordered_holder(to, a) || journey.source[a] == journey.target[a]) continue;
    // An inner axis stays while an outer one leaves. The order within the dimension changes, so only unordered
    // dimensions allow it.
    if (!grid_.any_order(stays)) throw Wrong(fmt::format("{}: the order of {} changes", what, d_.graph.name(stays)));
    ++detours_;
    return spread(cut(join(blocks, from, dims, what), to.reduced()), to.partial);
  }
  for (const Step& step : transition(grid_, from, to)) {
    for (AxisId a : step.axes) journey.layout[a] = step.kind == Collective::all_reduce || step.kind == Collective::all_gather ? 0 : 2;
    bool sums = step.kind == Collective::all_reduce || step.kind == Collective::reduce_scatter, alone = step.kind == Collective::slice;
    double received = 0;
    auto value = journey.value;
    auto present = journey.present;
    for (std::size_t r = 0; r < ranks(); ++r) {
      std::vector<char> mine = journey.mine(*this, r), got(journey.elements, 0);
      std::vector<double>& box = value[r];
      for (std::size_t j = 0; j < ranks(); ++j) {
        if (alone ? j != r : !together(r, j, step.axes)) continue;
        for (std::size_t e = 0; e < journey.elements; ++e) {
          if (!mine[e] || !journey.present[j][e]) continue;
          if (!got[e] || (!sums && j == r)) {
            box[e] = journey.value[j][e];
          } else if (sums) {
            box[e] += journey.value[j][e];
          }
          got[e] = 1;
          if (r == 0 && j != r && (sums || !journey.present[r][e])) ++received;
        }
      }
      if (got != mine) throw Wrong(fmt::format("{}: after {} a rank holds other elements than it should", what, to_string(step.kind)));
      present[r] = mine;
    }
    journey.value = std::move(value);
    journey.present = std::move(present);
    double n = d_.ranks(step.axes), message = d_.elements(dims, step.message()), sent = alone ? 0 : message * (n - 1) / n;
    if (step.kind != Collective::all_reduce && !alone && std::abs(received - sent) > kTolerance) {
      throw Wrong(fmt::format("{}: {} moved {} elements, derived {}", what, to_string(step.kind), received, sent));
    }
    steps_ += n > 1 && !alone ? 1 : 0;
  }
  Blocks result;
  for (std::size_t r = 0; r < ranks(); ++r) {
    result.push_back(block(dims, to.reduced(), r));
    Dense& local = result.back();
    std::size_t received = static_cast<std::size_t>(std::count(journey.present[r].begin(), journey.present[r].end(), 1));
    if (received != local.data.size()) throw Wrong(fmt::format("{}: a rank holds {} of {} elements", what, received, local.data.size()));
    for (std::size_t e = 0; e < journey.elements; ++e) {
      if (!journey.present[r][e]) continue;
      Index ix = journey.index[e];
      for (DimId d : dims) ix[d] = static_cast<short>(ix[d] - local.from(d));
      for (std::size_t k = 0; k < dims.size(); ++k) {
        if (ix[dims[k]] < 0 || ix[dims[k]] >= local.shape[k]) throw Wrong(fmt::format("{}: a rank holds elements of others", what));
      }
      local[ix] = journey.value[r][e];
    }
  }
  return result;
}

}  // namespace opledger::testing
