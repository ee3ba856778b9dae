#pragma once
#include <string>
#include <vector>

#include "rules/derivation.h"

/// Turns the steps of a transition into named transfers, each with the rule that caused it. A pass creates a transfer
/// with `tensor_transfer`, names it, and gives it to `emit` with the steps.
namespace opledger {

/// Sets name and label of a transfer of one tensor, or of a sum of tensors: `decoder.o`, `d decoder.ln1 (sum of 3)`,
/// `decoder.ln1 (again)`, `decoder.o + decoder.fc2`. `gradient`, `again` and `terms` of the transfer must be set
/// before.
void name_tensors(const Derivation& d, Transfer& transfer, const std::vector<TensorId>& tensors);
/// Sets name and label of a transfer of a weight or its gradient, in the same form.
void name_weight(const Derivation& d, Transfer& transfer);

/// Returns a transfer of one tensor, with its dimensions, width and segment, but without name, collective and axes.
Transfer tensor_transfer(const Derivation& d, Phase phase, TensorId tensor, Endpoint reader);

/// The copies of tensors that a pass has delivered. Later readers of a copy are added to its transfers.
class Deliveries {
 public:
  /// Records that the transfers at positions `first` to `last` (exclusive) delivered a tensor in the placement
  /// `target`.
  void add(TensorId tensor, const Placement& target, std::size_t first, std::size_t last) { all_.push_back({tensor, target, first, last}); }
  /// Adds `reader` to the transfers that delivered a tensor in the placement `target`, each reader once.
  void join(Derivation& d, TensorId tensor, const Placement& target, NodeId reader) const;
  /// Queries axes in which a delivered copy differs from `target`. If they have a single rank, the copies are equal.
  /// After the restart the existing transfers then get one more reader, on which marks and overlap may depend.
  void query_same(Derivation& d, TensorId tensor, const Placement& target) const;

 private:
  struct Delivery {
    TensorId tensor;
    Placement target;
    std::size_t first, last;  ///< Range of transfers, end exclusive.
  };
  std::vector<Delivery> all_;
};

/// Appends a transfer to Annotations::transfers for each step, except slices, which send nothing. A transfer copies
/// `base` and takes collective, axes and message from the step. `makers` are the producers of the data. Unless `base`
/// has a rule or a weight, the transfer gets the rule that placed its first axis at the reader, else at a maker.
void emit(Derivation& d, const Transfer& base, const std::vector<Step>& steps, Endpoint reader, const std::vector<Endpoint>& makers);

}  // namespace opledger
