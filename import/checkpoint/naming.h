#pragma once
#include <string>
#include <vector>

#include "import/checkpoint/checkpoint.h"
#include "import/checkpoint/tensor_names.h"

/// Prefixes of tensor names in a checkpoint. The same model is saved under different prefixes. The outermost module
/// may be missing (`wte.weight` for `transformer.wte.weight`), or a larger model may enclose the language model
/// (`language_model.model.layers…` for `model.layers…`). The names in the checkpoint show which prefixes apply.
namespace opledger {

/// A replacement of prefixes.
struct Naming {
  std::string from, to;  ///< Names that begin with `from` begin with `to` instead.

  /// Returns whether names stay unchanged.
  bool plain() const { return from == to; }
  std::string outer_prefix() const;  ///< Returns the prefix of an enclosing model: `language_model.`; empty without one.
  /// Returns the names that a tensor with the mapping's name `name` may have in the checkpoint, the most likely one
  /// first.
  std::vector<std::string> names(const std::string& name) const;
};

/// Returns the naming under which the checkpoint has the first tensor of most tensor groups of the model. The mapping's
/// own names win ties.
Naming find_naming(const TensorNames& names, const Checkpoint& checkpoint);

}  // namespace opledger
