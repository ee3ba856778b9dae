#pragma once
#include <string>
#include <vector>

#include "rules/derivation.h"

/// Turns the steps of a transition into named transfers, each with the rule that caused it.
namespace opledger {

/// Set the name of a transfer: `decoder.o`, `d decoder.ln1 (sum of 3)`, `decoder.ln1 (again)`, `decoder.o +
/// decoder.fc2`.
void name_tensors(const Derivation& d, Transfer& transfer, const std::vector<TensorId>& tensors);
void name_weight(const Derivation& d, Transfer& transfer);

/// Returns a transfer of one tensor, with its dimensions and width.
Transfer tensor_transfer(const Derivation& d, Phase phase, TensorId tensor, Endpoint reader);

/// Delivered copies of tensors. Later readers of a copy are added to its transfers.
class Deliveries {
 public:
  /// Adds `reader` to the transfers that delivered a tensor in the placement `target`.
  void add(TensorId tensor, const Placement& target, std::size_t first, std::size_t last) { all_.push_back({tensor, target, first, last}); }
  void join(Derivation& d, TensorId tensor, const Placement& target, NodeId reader) const;
  /// Queries axes in which a delivered copy differs from `target`. If they have a single rank, the copies are equal:
  /// its transfers get one more reader, which marks and overlap may depend on.
  void query_same(Derivation& d, TensorId tensor, const Placement& target) const;

 private:
  struct Delivery {
    TensorId tensor;
    Placement target;
    std::size_t first, last;  ///< Range of transfers, end exclusive.
  };
  std::vector<Delivery> all_;
};

/// Adds a transfer like `base` per step, except slices, which send nothing. The transfer gets the rule that placed the
/// axis at the reader, else at a maker.
void emit(Derivation& d, const Transfer& base, const std::vector<Step>& steps, Endpoint reader, const std::vector<Endpoint>& makers);

}  // namespace opledger
