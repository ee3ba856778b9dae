#pragma once
#include <string>
#include <vector>

#include "rules/derivation.h"

/// Steps become transfers here: named, with the rules that made them and the way in which they are done.
namespace opledger {

/// `decoder.o`, `d decoder.ln1 (sum of 3)`, `decoder.ln1 (again)`, `decoder.o + decoder.fc2`.
void name_tensors(const Derivation& d, Transfer& transfer, const std::vector<TensorId>& tensors);
void name_weight(const Derivation& d, Transfer& transfer);

/// A transfer of one tensor, its dimensions and width filled in.
Transfer tensor_transfer(const Derivation& d, Phase phase, TensorId tensor, Party reader);

/// What was brought where, so that later readers of the same copy can be added to the transfers that brought it.
class Deliveries {
 public:
  void add(TensorId tensor, const Placement& target, std::size_t first, std::size_t last) { all_.push_back({tensor, target, first, last}); }
  void join(Derivation& d, TensorId tensor, const Placement& target, NodeId reader) const;
  /// Asks whether axes make a delivered copy differ from `target`. If not, its transfers get one more reader, which marks and overlap may depend on.
  void ask_same(Derivation& d, TensorId tensor, const Placement& target) const;

 private:
  struct Delivery {
    TensorId tensor;
    Placement target;
    std::size_t first, last;  ///< Transfers.
  };
  std::vector<Delivery> all_;
};

/// One transfer for each step but slices, like `base`. The rule is the reader's that placed the axis, else that of one of the `makers`.
void emit(Derivation& d, const Transfer& base, const std::vector<Step>& steps, Party reader, const std::vector<Party>& makers);

}  // namespace opledger
