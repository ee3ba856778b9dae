#include "report/editor_schema.h"

#include <map>
#include <memory>

#include "base/lists.h"
#include "base/text.h"
#include "questions/catalogue.h"
#include "questions/field_catalogue.h"
#include "report/named_schema.h"
#include "run/documents.h"
#include "schemas/kinds.h"
#include "schemas/shipped.h"

namespace opledger {
namespace {

constexpr const char* kExecution = "execution";
constexpr const char* kSystem = "system";
constexpr const char* kFor = "for";
constexpr const char* kAxes = "axes";

/// Returns a schema that holds for documents whose `key` is one of `words`.
Json must_be(const std::string& key, Json words) { return {{"required", Json::array({key})}, {"properties", {{key, {{"enum", std::move(words)}}}}}}; }

/// Returns true if a formula can refer to `text`; such names contain no special characters of regular expressions.
bool is_name(const std::string& text) { return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos; }

/// A writer of JSON Schema for editors.
/// Documents select their fields by their accounting, so a schema is a chain of `if`/`then` over the accountings of the
/// library. Fields of several accountings share definitions, which keeps the schema small.
class EditorSchema {
 public:
  EditorSchema(const EditorSchemaRequest& request, Library& library, Diagnostics& diagnostics)
      : request_(request), library_(library), diagnostics_(diagnostics) {}

  /// Returns the schema of the requested kinds as text. Fields depend on the accounting of a document. The fields of
  /// the default accounting (`default_`) and of each accounting with reports (`accountings_`) are therefore read first.
  /// Unreadable accountings are left out, with a warning. `parameters_` gets the names of all model parameters that are
  /// plain words. Subschemas used repeatedly are collected in `definitions_` meanwhile and written last. Returns
  /// nothing, with errors, if the default accounting is unreadable.
  std::optional<std::string> write() {
    default_ = accepted_fields(request_.accounting, library_, diagnostics_);
    if (default_ == nullptr) return std::nullopt;
    for (const std::string& name : whole_accountings(library_)) {
      Diagnostics own;
      auto fields = accepted_fields(name, library_, own);
      if (fields != nullptr)
        accountings_.emplace(name, std::move(fields));
      else
        diagnostics_.warning({}, "the accounting `" + name + "` can't be read and is left out");
    }
    for (const std::string& name : model_parameters(library_)) {
      if (is_name(name)) parameters_.push_back(name);
    }
    Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"}};
    const Json body = request_.kinds.size() == 1 ? of_kind(request_.kinds[0]) : of_kinds();
    for (const auto& [key, part] : body.items()) out[key] = part;
    out["definitions"] = definitions_.take();
    return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  Json of_kinds() {
    Json choices = Json::array();
    for (const std::string& kind : request_.kinds) choices.push_back({{"if", must_be("kind", {kind})}, {"then", definitions_.keep(kind, of_kind(kind))}});
    const Json kind = {{"description", "Kind of the document."}, {"enum", request_.kinds}};
    return {{"title", "A document of opledger"}, {"type", "object"}, {"required", {"kind"}}, {"properties", {{"kind", kind}}}, {"allOf", std::move(choices)}};
  }

  Json of_kind(const std::string& kind) {
    Json schema = Json::parse(described_schema(kind), nullptr, false);
    const NamedSchemaRequest request{[&](const std::string& of) { return names(of); }, [&](Json open) { return kind == kSystem ? open : values_open(open); },
                                     request_.only_these};
    Json base = named_schema(kind, std::move(schema), request, definitions_);
    if (kind == kExecution || kind == "stack") return by_accounting(kind, base);
    return kind == kSystem ? of_system(std::move(base)) : base;
  }

  /// Returns the names for a word of a `$comment`, read from the library once.
  const std::vector<std::string>& names(const std::string& of) {
    const auto [known, fresh] = names_.emplace(of, std::vector<std::string>{});
    if (!fresh) return known->second;
    if (of == kAxes) {
      known->second = names_of(default_->accounting.sources.program.axes);
    } else if (of == "inputs") {
      known->second = names_of(default_->execution);
    } else if (!is_catalogue(of)) {
      known->second = library_.names(of);
    } else {
      const auto found = catalogue(of, of == "metrics" ? default_->accounting.name : "", library_, diagnostics_);
      if (found) known->second = names_of(found->rows);
    }
    return known->second;
  }

  /// Returns the schemas of an accounting's fields in executions.
  Json field_properties(const AcceptedFields& fields) {
    Json out = Json::object();
    for (const DocumentField& field : fields.execution) out[field.name] = field_schema(*fields.accounting.program, field.name, field.type, true, definitions_);
    return out;
  }

  /// Returns patterns for parameters of models. Patterns accept a key, but editors do not suggest it.
  Json parameter_patterns() {
    if (parameters_.empty()) return Json::object();
    const Json value = {{"description", "A parameter of models, in place of the value that the model gives it: a formula."},
                        {"type", {"string", "number", "boolean", "array"}}};
    return {{"^(" + join(parameters_, "|") + ")$", definitions_.refer("parameter", value)}};
  }

  /// Returns the schema of merged fields, such as cases, which accepts every field of the default accounting.
  Json values_open(Json open) {
    open["properties"] = field_properties(*default_);
    return definitions_.refer("fields", std::move(open));
  }

  /// Returns `base` with the fields of an accounting. Keys of the base schema take precedence.
  Json with_fields(Json base, const AcceptedFields& fields) {
    const Json properties = field_properties(fields);
    for (const auto& [key, schema] : properties.items()) {
      if (!base["properties"].contains(key)) base["properties"][key] = schema;
    }
    base["patternProperties"] = parameter_patterns();
    base["additionalProperties"] = false;
    return base;
  }

  /// Adds `for: {NAME: {…}}`, the fields that apply only to one accounting.
  void add_accounting_fields(Json& base, bool of_system) {
    if (const auto found = base["properties"].find(kFor); found == base["properties"].end() || !found->is_object()) return;
    for (const auto& [name, fields] : accountings_) {
      Json schema = {{"type", "object"}, {"properties", of_system ? system_properties(*fields) : field_properties(*fields)}};
      if (schema["properties"].empty()) continue;
      if (!of_system) schema["patternProperties"] = parameter_patterns();
      if (of_system) schema["required"] = required_of(*fields, system_properties(*default_));
      schema["additionalProperties"] = false;
      base["properties"][kFor]["properties"][name] = definitions_.refer(std::string(kFor) + (of_system ? ".system." : ".") + name, std::move(schema));
    }
  }

  /// Returns a schema that selects fields by the key `accounting`: without the key, the default accounting; a known
  /// name, its fields; an unknown name, only the base schema, because its fields are unknown. If the request names an
  /// accounting, its fields apply always.
  Json by_accounting(const std::string& kind, Json base) {
    add_accounting_fields(base, false);
    const Json usual = definitions_.keep(kind + ".usual", with_fields(base, *default_));
    if (!request_.accounting.empty()) return {{"title", base["title"]}, {"allOf", Json::array({usual})}};
    Json choices = Json::array();
    choices.push_back({{"if", {{"required", {"accounting"}}}}, {"else", usual}});
    for (const auto& [name, fields] : accountings_)
      choices.push_back({{"if", must_be("accounting", {name})}, {"then", definitions_.refer(kind + "." + name, with_fields(base, *fields))}});
    const Json others = {{"required", {"accounting"}}, {"not", must_be("accounting", names_of(accountings_))}};
    choices.push_back({{"if", others}, {"then", definitions_.keep(kind + ".other", base)}});
    return {{"title", base["title"]}, {"description", base.value("description", "")}, {"type", "object"}, {"allOf", std::move(choices)}};
  }

  Json system_properties(const AcceptedFields& fields) {
    Json out = Json::object();
    for (const DocumentField& field : fields.system)
      out[field.name] = field_schema(*fields.accounting.program, "system." + field.name, field.type, false, definitions_);
    return out;
  }

  /// Returns the required fields of a system except fields that `elsewhere` can contain.
  static Json required_of(const AcceptedFields& fields, const Json& elsewhere) {
    Json out = Json::array();
    for (const DocumentField& field : fields.system) {
      if (!field.type.optional && !elsewhere.contains(field.name)) out.push_back(field.name);
    }
    return out;
  }

  Json of_system(Json base) {
    add_accounting_fields(base, true);
    const Json properties = system_properties(*default_);
    for (const auto& [key, schema] : properties.items()) base["properties"][key] = schema;
    base["required"] = required_of(*default_, Json::object());
    base["required"].push_back("kind");
    base["additionalProperties"] = false;
    return base;
  }

  const EditorSchemaRequest& request_;
  Library& library_;
  Diagnostics& diagnostics_;
  SchemaDefinitions definitions_;
  std::unique_ptr<AcceptedFields> default_;
  std::map<std::string, std::unique_ptr<AcceptedFields>> accountings_;
  std::map<std::string, std::vector<std::string>> names_;
  std::vector<std::string> parameters_;
};

}  // namespace

std::optional<std::string> editor_schema(const EditorSchemaRequest& request, Library& library, Diagnostics& diagnostics) {
  return EditorSchema(request, library, diagnostics).write();
}

}  // namespace opledger
