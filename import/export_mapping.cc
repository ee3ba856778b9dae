#include "import/export_mapping.h"

namespace opledger {

ExportMapping read_export_mapping(const Mapping& mapping) {
  return {mapping.last("written_as").text(), mapping.last("command").text(), mapping.last("judged_on").text(), mapping.section("writes")};
}

}  // namespace opledger
