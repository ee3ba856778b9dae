#include "import/export_mapping.h"

namespace opledger {

ExportMapping read_export_mapping(const Mapping& mapping) {
  return {mapping.last_value("written_as").text(), mapping.last_value("command").text(), mapping.last_value("judged_on").text(),
          mapping.merged_section("writes")};
}

}  // namespace opledger
