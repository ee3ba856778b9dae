#include "find/priced_effects.h"

#include <algorithm>

#include "accounting/graph_engine.h"
#include "run/section_formulas.h"

namespace opledger {

PooledEffects EffectPool::add(TensorDerivation::Effects effects) {
  PooledEffects out;
  out.impossible = effects.contradicts;
  if (out.impossible) return out;
  for (Transfer& t : effects.transfers) {
    TransferKey key{t.tensor, t.phase, t.kind, t.axes, t.message.shard, t.gradient, t.again, t.readers, t.makers, bool(t.reader)};
    const auto [at, fresh] = transfer_at_.try_emplace(std::move(key), transfers_.size());
    if (fresh) transfers_.push_back(std::move(t));
    out.transfers.push_back(at->second);
  }
  for (Saved& s : effects.saved) {
    if (s.rebuilt) continue;  // Recomputation restores it, so no byte is saved.
    s.distinct_axes.clear();
    const auto [at, fresh] = saved_at_.try_emplace(SavedKey{s.tensor, s.placement.shard, s.as_produced, s.once, s.readers}, saved_.size());
    if (fresh) saved_.push_back(std::move(s));
    out.saved.push_back(at->second);
  }
  return out;
}

bool EffectPool::price(PlacedGraphs& graphs, TensorDerivation& derivation, const Datum& section, Diagnostics& diagnostics) {
  std::string reason;
  const std::unique_ptr<PlacedGraphs::Placed> placed = graphs.evaluate(derivation.with(transfers_, saved_), reason);
  if (placed == nullptr) return diagnostics.error({}, "transfers can't be priced: " + reason), false;
  if (!price_transfers(*placed, section, diagnostics)) return false;
  SectionFormulas formulas(section, "find", placed->evaluator, diagnostics);
  for (std::size_t i = 0; i < saved_.size(); ++i) {
    const auto bytes = formulas.number({"placements", "saved"}, placed->evaluator.choose(nowhere(), kSavedSet, static_cast<WordId>(i)));
    if (!bytes) return false;
    bytes_.push_back(*bytes);
  }
  return true;
}

/// Transfers of activations are messages of their own, so message i is transfer i. Its nodes follow those of the messages
/// before it: the producers of the data, then its readers, each once.
bool EffectPool::price_transfers(PlacedGraphs::Placed& placed, const Datum& section, Diagnostics& diagnostics) {
  Evaluator& evaluator = placed.evaluator;
  SectionFormulas formulas(section, "find", evaluator, diagnostics);
  WordId node_at = 0;
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    const Point at = evaluator.choose(nowhere(), kMessageSet, static_cast<WordId>(i));
    std::optional<TransferPrice> price = read_price(formulas, at, transfers_[i].segment);
    if (!price) return false;
    price->phase = transfers_[i].phase;
    std::vector<NodeId> nodes;
    for (const std::vector<NodeId>* const list : {&transfers_[i].makers, &transfers_[i].readers}) {
      for (const NodeId n : *list) {
        if (std::find(nodes.begin(), nodes.end(), n) == nodes.end()) nodes.push_back(n);
      }
    }
    for (const NodeId n : nodes) {
      const auto hosts = formulas.truth({"placements", "hosts"}, evaluator.choose(nowhere(), kMessageNodeSet, node_at++));
      if (!hosts) return false;
      if (*hosts) price->hosts.push_back(n);
    }
    prices_.push_back(std::move(*price));
  }
  return true;
}

double EffectPool::seconds(const PooledEffects& effects, const Incumbent& incumbent, FunctionRef<double(NodeId, Phase)> node_seconds) const {
  double out = 0;
  for (const std::size_t i : effects.transfers) {
    const TransferPrice& price = prices_[i];
    if (price.window.second != 0) {
      out += incumbent.seconds(price);
      continue;
    }
    double hiding = 0;
    for (const NodeId n : price.hosts) hiding += node_seconds(n, price.phase);
    out += incumbent.layers(price.segment) * (price.seconds - std::min(price.claim, price.usable * hiding));
  }
  return out;
}

double EffectPool::bytes(const PooledEffects& effects) const {
  double out = 0;
  for (const std::size_t i : effects.saved) out += bytes_[i];
  return out;
}

}  // namespace opledger
