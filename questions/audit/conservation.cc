// Recounts sharded tensors over all ranks from degrees and sizes alone, independently of the formulas of an accounting.
#include <algorithm>
#include <cmath>

#include "accounting/sizes.h"
#include "questions/audit/audit.h"

namespace opledger {
namespace {

constexpr double kRounding = 1e-9;  // Rounding of sums of doubles.

/// Counts elements in two ways: one rank's share times the number of ranks, and the whole size times the number of
/// copies.
class Recount {
 public:
  explicit Recount(Run& run) : notes_(run.annotations()), inquiry_(run.evaluator()), sizes_(inquiry_, run.graph_run()) {
    for (const AxisId axis : notes_.mesh.order) {
      if (!contains(notes_.layers, axis)) ranks_ *= degree(axis);
    }
    for (const auto& [dimension, _] : notes_.padded) padded_.push_back(dimension);
  }

  /// Returns the elements on all ranks of a stage, from the share of one rank.
  double counted(const DimList& dims, const Placement& placement) { return sizes_.elements(dims, placement).value * ranks_; }

  /// Returns the expected elements: the whole times the number of ranks per shard. Ranks differ in their positions on
  /// the splitting axes; each axis can split a tensor only once, so duplicate axes are removed.
  double expected(const DimList& dims, const Placement& placement) {
    AxisList splitting;
    double elements = 1;
    for (const auto& [_, axes] : placement.shard) splitting.insert(splitting.end(), axes.begin(), axes.end());
    std::sort(splitting.begin(), splitting.end());
    splitting.erase(std::unique(splitting.begin(), splitting.end()), splitting.end());
    double shards = 1;
    for (const AxisId axis : splitting) shards *= degree(axis);
    for (const DimId d : dims) elements *= with_load(d, placement.axes(d));
    return elements * ranks_ / shards;
  }

 private:
  double degree(AxisId axis) { return sizes_.degree(axis).value; }

  double with_padding(DimId d, const AxisList* axes) {
    const double size = sizes_.size(d).value;
    if (axes == nullptr || !contains(padded_, d)) return size;
    const double parts = sizes_.degrees(*axes).value, rest = std::fmod(size, parts);
    return rest == 0 ? size : size - rest + parts;
  }

  /// Returns the size with an uneven load: all ranks count like the busiest, rounded up to whole entries.
  double with_load(DimId d, const AxisList* axes) {
    const double even = with_padding(d, axes), load = sizes_.load(d).value;
    const double parts = axes == nullptr ? 1 : sizes_.degrees(*axes).value;
    return load == 1 ? even : std::ceil(even * load / parts) * parts;
  }

  const Annotations& notes_;
  Inquiry inquiry_;
  Sizes sizes_;
  double ranks_ = 1;  ///< Ranks of one stage.
  DimList padded_;
};

AuditCheck named(const char* name, const char* doc) {
  AuditCheck check;
  check.name = name;
  check.doc = doc;
  check.elements = 0;
  return check;
}

AuditCheck skip_if_empty(AuditCheck check) {
  if (check.elements > 0) return check;
  check.state = AuditCheck::State::skipped;
  check.why = "there is none";
  return check;
}

}  // namespace

void check_conservation(Run& run, std::vector<AuditCheck>& out) {
  // Compares two counts of elements for each tensor and placement. One is the share of a rank, times the ranks of a stage.
  // The other is the whole tensor with padding, times its intended copies. Equal counts show that sharding neither loses
  // nor repeats elements. Weights have several placements (stored, computed with, updated), and one check for each; saved
  // tensors and messages have one check. A check without tensors is skipped. The cost is linear in the number of weights,
  // saved tensors and messages.
  if (!run.has_graph()) return;
  Recount recount(run);
  const auto add = [&](AuditCheck& check, const std::string& name, const DimList& dims, const Placement& placement) {
    compare(number_value(real(recount.counted(dims, placement))), number_value(real(recount.expected(dims, placement))), kRounding, 0, name, check);
  };
  struct Where {
    const char *name, *doc;
    Placement WeightPlacement::*placement;
    bool of_trained = false;
  };
  constexpr Where kWeights[] = {
      {"weights_computed_with", "Elements of a weight that all ranks of a stage compute with: the whole, once for each copy, and its padding.",
       &WeightPlacement::compute},
      {"weights_stored", "Elements of a weight that all ranks of a stage store.", &WeightPlacement::stored},
      {"weights_kept", "Elements of a weight that all ranks of a stage keep between forward and backward.", &WeightPlacement::kept},
      {"gradients_kept", "Elements of a weight's gradient on all ranks of a stage.", &WeightPlacement::gradient, true},
      {"weights_updated", "Elements of a weight that all ranks of a stage update.", &WeightPlacement::optimizer, true}};
  for (const Where& where : kWeights) {
    AuditCheck check = named(where.name, where.doc);
    for (const WeightId w : run.graph().weights.ids()) {
      if (where.of_trained && run.annotations().trained[w] == 0) continue;
      add(check, run.graph().weights[w].name, run.graph().weights[w].dims, run.annotations().weights[w].*where.placement);
    }
    out.push_back(skip_if_empty(std::move(check)));
  }
  AuditCheck saved =
      named("activations_kept", "Elements of a tensor kept for backward on all ranks of a stage: the whole, once for each copy, and its padding.");
  for (const Saved& s : run.annotations().saved) {
    const Tensor& tensor = run.graph().tensors[s.tensor];
    add(saved, tensor.name, tensor.dims, s.placement);
  }
  out.push_back(skip_if_empty(std::move(saved)));
  AuditCheck sent = named("messages", "Elements of a collective's tensor on all ranks of a stage: the whole, once for each copy, and its padding.");
  for (const Transfer& t : run.annotations().transfers) add(sent, t.name, t.dims, t.message);
  out.push_back(skip_if_empty(std::move(sent)));
}

}  // namespace opledger
