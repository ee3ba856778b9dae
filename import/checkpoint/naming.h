#pragma once
#include <string>
#include <vector>

#include "import/checkpoint/checkpoint.h"
#include "import/checkpoint/tensor_names.h"

/// The same model is saved under names that begin otherwise: without the outermost module (`wte.weight` for `transformer.wte.weight`), or inside a larger model
/// (`language_model.model.layers…` for `model.layers…`). Which it is, the checkpoint's own names say.
namespace opledger {

struct Naming {
  std::string from, to;  ///< Names that begin with `from` begin with `to` instead.

  bool plain() const { return from == to; }
  std::string around() const;  ///< What names of the larger model begin with: `language_model.`; empty: there is none.
  /// What a name may be called; the first one first.
  std::vector<std::string> names(const std::string& name) const;
};

/// The one by which most names of the model are there; as the mapping has them where no other is better.
Naming find_naming(const TensorNames& names, const Checkpoint& checkpoint);

}  // namespace opledger
