#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/rules/simulated_mesh.h"

/// Kernels for the operators of tests/data/sharding on local blocks: forward fills `out`, backward fills `grad` from
/// `dy`. A kernel reaches other ranks only through `reduce`, the small reductions that its operator declares.
namespace opledger::testing {

struct Rank {
  std::map<std::string, Dense> in, out, dy, grad;  ///< Blocks by port; weights are among `in`.
};

class Kernel {
 public:
  using Values = std::vector<std::vector<double>>;  ///< Values by rank.

  Kernel(const Derived& d, const SimulatedMesh& mesh, NodeId node, std::vector<Rank>& all) : ranks(all), d_(d), mesh_(mesh), node_(node) {}

  void forward();
  void backward();

  std::vector<Rank>& ranks;
  std::set<std::string> reductions;      ///< Reductions over several ranks: `norm.square`.
  std::map<std::string, double> handed;  ///< Elements received from the neighbor, by input port or state.

  DimId dim(const std::string& name) const { return d_.graph.dimension(name); }
  int total(const std::string& name) const { return total(dim(name)); }
  int total(DimId dimension) const { return static_cast<int>(d_.size(dimension)); }
  double margin() const;  ///< Entries that a halo reads from the neighbor.
  const DimList& over() const { return d_.graph.nodes[node_].attributes.find("over")->second; }
  const std::vector<std::pair<DimId, DimId>>& grouped() const { return d_.graph.grouped; }
  Values reduce(const std::string& name, bool maximum, const std::function<std::vector<double>(Rank&)>& local);

 private:
  const Derived& d_;
  const SimulatedMesh& mesh_;
  NodeId node_;
};

using KernelFunction = void (*)(Kernel&);
using KernelTable = std::map<std::string, std::pair<KernelFunction, KernelFunction>>;  ///< Forward and backward of each operator.

void add_dense_kernels(KernelTable& table);  ///< Contractions and elementwise operators.
void add_norm_kernels(KernelTable& table);   ///< Operators with reductions over some dimensions.
void add_token_kernels(KernelTable& table);  ///< Operators of attention, lookups and routing.
void add_chain_kernels(KernelTable& table);  ///< Operators that read neighbors: windows and scans.

/// Operands of attention.
struct AttentionDims {
  explicit AttentionDims(const Kernel& k)
      : batch(k.dim("batch")),
        seq(k.dim("seq")),
        kv_seq(k.dim("kv_seq")),
        heads(k.dim("heads")),
        kv_heads(k.dim("kv_heads")),
        head_dim(k.dim("head_dim")),
        v_dim(k.dim("v_dim")) {}

  DimId batch, seq, kv_seq, heads, kv_heads, head_dim, v_dim;
};

/// Returns an index for each entry of a block outside `over`, with the indices inside.
struct Lane {
  Index outside;
  std::vector<Index> inside;
};
std::vector<Lane> lanes(const Dense& block, const DimList& over);

/// Returns the index with one more dimension.
inline Index with(Index ix, DimId d, int at) {
  ix[d] = static_cast<short>(at);
  return ix;
}
inline int of(const Index& ix, DimId d) { return ix[d]; }

}  // namespace opledger::testing
