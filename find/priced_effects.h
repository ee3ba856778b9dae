#pragma once
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/function_ref.h"
#include "find/incumbent.h"
#include "find/placed_graphs.h"

/// Seconds and bytes of transfers and saved copies that many placements of single tensors share. All are priced by one
/// evaluation of the accounting.
namespace opledger {

/// The effects of one combination of placements, as positions in a pool.
struct PooledEffects {
  std::vector<std::size_t> transfers, saved;
  bool impossible = false;  ///< No run has this combination.
};

/// Different transfers and saved copies, with their prices.
class EffectPool {
 public:
  /// Adds effects; equal ones are stored once.
  PooledEffects add(TensorDerivation::Effects effects);

  /// Prices everything in the pool: evaluates formulas of the section `find` of an accounting over a graph with these
  /// transfers and saved copies. Returns false, with errors, if a formula fails.
  bool price(PlacedGraphs& graphs, TensorDerivation& derivation, const Datum& section, Diagnostics& diagnostics);

  /// Returns the exposed seconds of a step. `node_seconds` are those of a node, in one layer and phase, beside which a transfer can
  /// be hidden; other transfers hide in windows of the incumbent.
  double seconds(const PooledEffects& effects, const Incumbent& incumbent, FunctionRef<double(NodeId, Phase)> node_seconds) const;
  double bytes(const PooledEffects& effects) const;  ///< Bytes of the saved copies.

 private:
  /// The properties on which the price of a transfer depends.
  using TransferKey =
      std::tuple<TensorId, Phase, Collective, AxisList, std::vector<std::pair<DimId, AxisList>>, bool, bool, std::vector<NodeId>, std::vector<NodeId>, bool>;
  using SavedKey = std::tuple<TensorId, std::vector<std::pair<DimId, AxisList>>, bool, bool, std::vector<NodeId>>;
  bool price_transfers(PlacedGraphs::Placed& placed, const Datum& section, Diagnostics& diagnostics);

  std::map<TransferKey, std::size_t> transfer_at_;
  std::map<SavedKey, std::size_t> saved_at_;
  std::vector<Transfer> transfers_;
  std::vector<Saved> saved_;
  std::vector<TransferPrice> prices_;  ///< By transfer.
  std::vector<double> bytes_;          ///< By saved copy.
};

}  // namespace opledger
