#pragma once
#include <string>
#include <vector>

#include "import/mapping.h"

/// The names of tensors in the checkpoints of a family.
namespace opledger {

/// The keys of a mapping that name checkpoint tensors.
struct CheckpointNames {
  std::string mapping_name;                    ///< The name of the mapping.
  Datum tensors;                               ///< Tensor names, each with patterns of the weights stored in the tensor (tensor_names.h).
  Datum packed;                                ///< Suffixes of quantized weight names, each with the suffix of the unquantized name.
  std::vector<std::string> buffers, left_out;  ///< Patterns of tensors without a weight, and of weights that the model leaves out.
  bool further_layers = false;                 ///< Layers after the model's last one are left out, too.
};

/// Reads the keys `tensors`, `packed`, `buffers`, `left_out` and `further_layers`.
CheckpointNames read_checkpoint_names(const Mapping& mapping);

}  // namespace opledger
