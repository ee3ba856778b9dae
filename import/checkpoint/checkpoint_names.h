#pragma once
#include <string>
#include <vector>

#include "import/mapping.h"

/// The names of tensors in the checkpoints of a family.
namespace opledger {

struct CheckpointNames {
  std::string mapping_name;                  ///< The name of the mapping.
  Datum tensors;                             ///< Names of tensors, and patterns of the weights that they hold (tensor_names.h).
  Datum packed;                              ///< The ends of names of quantized weights, and the ends of the same names in a checkpoint that is not quantized.
  std::vector<std::string> buffers, beside;  ///< Patterns of tensors that are no weights, and of weights that the model leaves out.
  bool further_layers = false;               ///< Layers after the last one of the model are left out, too.
};

CheckpointNames read_checkpoint_names(const Mapping& mapping);

}  // namespace opledger
