#include "import/launch_mapping.h"

namespace opledger {

LaunchMapping read_launch_mapping(const Mapping& mapping) {
  return {read_family_mapping(mapping),
          {mapping.all_texts("started_by"), mapping.all_texts("programs")},
          mapping.last_value("arguments_at").text(),
          mapping.merged_section("execution"),
          mapping.all_texts("of_model"),
          mapping.all_texts("assumed"),
          mapping.all_texts("assumed_rules"),
          mapping.last_value("loads_published"),
          mapping.merged_section("included_files"),
          read_model_names(mapping),
          mapping.merged_section("approximated"),
          mapping.all_items("run_remarks")};
}

}  // namespace opledger
