#include "import/checkpoint/checkpoint_names.h"

namespace opledger {

CheckpointNames read_checkpoint_names(const Mapping& mapping) {
  return {mapping.name(),
          mapping.merged_section("tensors"),
          mapping.merged_section("packed"),
          mapping.all_texts("buffers"),
          mapping.all_texts("left_out"),
          mapping.last_value("further_layers").text() == "true"};
}

}  // namespace opledger
