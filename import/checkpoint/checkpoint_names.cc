#include "import/checkpoint/checkpoint_names.h"

namespace opledger {

CheckpointNames read_checkpoint_names(const Mapping& mapping) {
  return {mapping.name(),           mapping.section("tensors"), mapping.section("packed"),
          mapping.texts("buffers"), mapping.texts("beside"),    mapping.last("further_layers").text() == "true"};
}

}  // namespace opledger
