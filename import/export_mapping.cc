#include "import/export_mapping.h"

namespace opledger {

ExportMapping read_export_mapping(const Mapping& mapping) {
  return {mapping.last_value("export_format").text(), mapping.last_value("command").text(), mapping.last_value("compared_on").text(),
          mapping.last_value("separate_workers"), mapping.merged_section("writes")};
}

}  // namespace opledger
