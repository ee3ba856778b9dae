#include "import/launch_mapping.h"

namespace opledger {

LaunchMapping read_launch_mapping(const Mapping& mapping) {
  return {read_family_mapping(mapping), mapping.last("arguments_at").text(), mapping.section("execution"), mapping.texts("of_model"),
          mapping.texts("assumed"),     mapping.section("stretched")};
}

}  // namespace opledger
