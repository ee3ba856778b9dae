#pragma once
#include <map>
#include <string>

#include "formulas/program.h"
#include "report/json_value.h"

/// Declared types of inputs as JSON Schema (draft-07), for editors.
namespace opledger {

/// The `definitions` of a schema: what is large or often said is in it once.
class SchemaDefinitions {
 public:
  /// A reference to it; `name`: how it is called, if another one isn't. What is short stays as it is.
  Json refer(const std::string& name, Json schema);
  /// Under exactly this name.
  Json keep(const std::string& name, Json schema);
  Json take() { return std::move(all_); }

 private:
  std::map<std::string, std::string> names_;  ///< By text.
  Json all_ = Json::object();
};

/// A value of an input; `formula`: scalars may also be formulas, as in executions. The description has the type's doc, unit and default.
Json field_schema(const Program& program, const std::string& name, const Type& type, bool formula, SchemaDefinitions& definitions);

}  // namespace opledger
