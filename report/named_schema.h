#pragma once
#include <functional>
#include <string>
#include <vector>

#include "report/field_schema.h"

/// The schemas of schemas/*.schema.json with the names that their `$comment`s speak of: `names of rules` (of documents, by kind; others are paths), `such as operators` (others
/// may be defined in the document itself).
namespace opledger {

struct NamedSchemaRequest {
  std::function<std::vector<std::string>(const std::string&)> names;  ///< Of a word of such a comment: a kind, what a catalogue lists, `axes`.
  std::function<Json(Json)> fields;                                   ///< What stands in place of a schema with the comment `fields`.
  bool only_these = false;                                            ///< `names of` are these or paths, and none that may lie beside the document.
};

/// `schema`: of a kind, whose definitions go to `definitions` as KIND.NAME.
Json named_schema(const std::string& kind, Json schema, const NamedSchemaRequest& request, SchemaDefinitions& definitions);

}  // namespace opledger
