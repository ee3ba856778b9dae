#include "schemas/shipped.h"

#include "schemas/document.h"
#include "schemas/schema.h"

namespace opledger {

std::string described_schema(std::string_view kind) {
  Diagnostics ignored;
  const std::filesystem::path path = shipped_folder() / "schemas" / (std::string(kind) + ".schema.json");
  const std::shared_ptr<const SourceFile> source = read_source(path, ignored);
  return source != nullptr ? source->text : std::string(schema_text(kind));
}

}  // namespace opledger
