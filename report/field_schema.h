#pragma once
#include <map>
#include <string>

#include "formulas/program.h"
#include "report/json_value.h"

/// Declared types of inputs as JSON Schema (draft-07), for editors.
namespace opledger {

/// The `definitions` section of a schema, which holds large or repeated subschemas once.
class SchemaDefinitions {
 public:
  /// Returns a reference to `schema`, stored as `name` or, if another schema has that name, as `name` with a number.
  /// Short schemas are returned unchanged. Equal schemas share a definition.
  Json refer(const std::string& name, Json schema);
  /// Stores `schema` under exactly `name`, replacing an earlier schema of that name, and returns a reference.
  Json keep(const std::string& name, Json schema);
  /// Returns the section and leaves it empty.
  Json take() { return std::move(all_); }

 private:
  std::map<std::string, std::string> names_;  ///< Name of each stored schema, by its text.
  Json all_ = Json::object();
};

/// Returns the schema of an input's value; with `formula`, scalars may also be formulas, as in executions. The
/// description contains the type's doc, unit and default.
Json field_schema(const Program& program, const std::string& name, const Type& type, bool formula, SchemaDefinitions& definitions);

}  // namespace opledger
