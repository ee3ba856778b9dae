#include "import/family_mapping.h"

namespace opledger {

FamilyMapping read_family_mapping(const Mapping& mapping) {
  const Mapping model = mapping.subsection("model");
  FamilyMapping out{read_field_mapping(mapping),       read_checkpoint_names(mapping),     {},
                    model.merged_section("published"), model.merged_section("parameters"), model.last_value("graph")};
  for (const Datum* part : model.parts) {
    if (part->find("uses") != nullptr) out.uses = part->texts("uses");  // The last list replaces earlier ones.
  }
  return out;
}

}  // namespace opledger
