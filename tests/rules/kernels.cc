#include "tests/rules/kernels.h"

#include "graph/signature.h"

namespace opledger::testing {

namespace {

const std::pair<KernelFunction, KernelFunction>& kernel_of(const std::string& name) {
  static const KernelTable table = [] {
    KernelTable made;
    add_dense_kernels(made);
    add_norm_kernels(made);
    add_token_kernels(made);
    add_chain_kernels(made);
    return made;
  }();
  auto found = table.find(name);
  if (found == table.end()) throw Wrong("no kernel for " + name);
  return found->second;
}

}  // namespace

void Kernel::forward() { kernel_of(d_.graph.nodes[node_].op->name).first(*this); }
void Kernel::backward() { kernel_of(d_.graph.nodes[node_].op->name).second(*this); }

double Kernel::margin() const { return d_.value(*d_.graph.nodes[node_].op->halo.front().width); }

Kernel::Values Kernel::reduce(const std::string& name, bool maximum, const std::function<std::vector<double>(Rank&)>& local) {
  AxisList axes;
  for (const auto& entry : d_.graph.nodes[node_].op->inner) {
    for (DimId dimension : named_dims(d_.graph, node_, entry.first)) {
      const AxisList& more = d_.annotations.nodes[node_].of(dimension);
      axes.insert(axes.end(), more.begin(), more.end());
    }
  }
  if (d_.ranks(axes) > 1) reductions.insert(d_.graph.nodes[node_].label + "." + name);
  Values values;
  for (Rank& rank : ranks) values.push_back(local(rank));
  return mesh_.reduce(values, axes, maximum);
}

std::vector<Lane> lanes(const Dense& block, const DimList& over) {
  DimList outside = without(block.dims, over), inside = without(block.dims, outside);
  auto extent = [&](DimId d) { return block.extent(d); };
  std::vector<Lane> all;
  every(outside, extent, [&](const Index& ix) {
    Lane lane{ix, {}};
    every(inside, extent, [&](const Index& jx) {
      Index both = ix;
      for (DimId d : inside) both[d] = jx[d];
      lane.inside.push_back(both);
    });
    all.push_back(std::move(lane));
  });
  return all;
}

}  // namespace opledger::testing
