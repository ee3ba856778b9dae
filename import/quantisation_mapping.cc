#include "import/quantisation_mapping.h"

namespace opledger {

QuantisationMapping read_quantisation_mapping(const Mapping& mapping) {
  QuantisationMapping out{read_field_mapping(mapping), mapping.section("rules")};
  // These fields of the config are read for the rules, so they are not reported as unknown.
  for (const char* key : {"groups", "targets_at", "kept_at"}) {
    for (std::string& field : out.rules.texts(key)) out.config.ignored.push_back(std::move(field));
  }
  return out;
}

}  // namespace opledger
