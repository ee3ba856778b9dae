#include "import/quantization_mapping.h"

namespace opledger {

QuantizationMapping read_quantization_mapping(const Mapping& mapping) {
  QuantizationMapping out{read_field_mapping(mapping), mapping.merged_section("rules")};
  // These fields of the config are read for the rules, so they are not reported as unknown.
  for (const char* key : {"groups", "targets_at", "exceptions_at"}) {
    for (std::string& field : out.rules.texts(key)) out.config.ignored.push_back(std::move(field));
  }
  const Datum* const modules = out.rules.find("modules");
  const Datum* const at = modules != nullptr ? modules->find("at") : nullptr;
  if (at != nullptr) out.config.ignored.push_back(at->text());
  return out;
}

}  // namespace opledger
