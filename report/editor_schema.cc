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

Json must_be(const std::string& key, Json words) { return {{"required", Json::array({key})}, {"properties", {{key, {{"enum", std::move(words)}}}}}}; }

/// What formulas can name, and what means nothing else in a pattern.
bool is_name(const std::string& text) { return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos; }

class EditorSchema {
 public:
  EditorSchema(const EditorSchemaRequest& request, Library& library, Diagnostics& diagnostics)
      : request_(request), library_(library), diagnostics_(diagnostics) {}

  std::optional<std::string> write() {
    usual_ = accepted_fields(request_.accounting, library_, diagnostics_);
    if (usual_ == nullptr) return std::nullopt;
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
    const Json kind = {{"description", "What this document is."}, {"enum", request_.kinds}};
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

  const std::vector<std::string>& names(const std::string& of) {
    const auto [known, fresh] = names_.emplace(of, std::vector<std::string>{});
    if (!fresh) return known->second;
    if (of == kAxes) {
      known->second = names_of(usual_->accounting.sources.program.axes);
    } else if (of == "inputs") {
      known->second = names_of(usual_->execution);
    } else if (!is_catalogue(of)) {
      known->second = library_.names(of);
    } else {
      const auto found = catalogue(of, of == "metrics" ? usual_->accounting.name : "", library_, diagnostics_);
      if (found) known->second = names_of(found->rows);
    }
    return known->second;
  }

  /// The fields of an accounting by themselves, as executions have them.
  Json field_properties(const AcceptedFields& fields) {
    Json out = Json::object();
    for (const DocumentField& field : fields.execution) out[field.name] = field_schema(*fields.accounting.program, field.name, field.type, true, definitions_);
    return out;
  }

  /// Parameters of models are good, too, but none that an editor should offer.
  Json parameter_patterns() {
    if (parameters_.empty()) return Json::object();
    const Json value = {{"description", "A parameter of models, in place of the value that the model gives it: a formula."},
                        {"type", {"string", "number", "boolean", "array"}}};
    return {{"^(" + join(parameters_, "|") + ")$", definitions_.refer("parameter", value)}};
  }

  /// Fields that are merged into others: any that there are.
  Json values_open(Json open) {
    open["properties"] = field_properties(*usual_);
    return definitions_.refer("fields", std::move(open));
  }

  Json with_fields(Json base, const AcceptedFields& fields) {
    const Json properties = field_properties(fields);
    for (const auto& [key, schema] : properties.items()) {
      if (!base["properties"].contains(key)) base["properties"][key] = schema;
    }
    base["patternProperties"] = parameter_patterns();
    base["additionalProperties"] = false;
    return base;
  }

  /// `for: {NAME: {…}}`
  void add_fields_apart(Json& base, bool of_system) {
    if (const auto found = base["properties"].find(kFor); found == base["properties"].end() || !found->is_object()) return;
    for (const auto& [name, fields] : accountings_) {
      Json apart = {{"type", "object"}, {"properties", of_system ? system_properties(*fields) : field_properties(*fields)}};
      if (apart["properties"].empty()) continue;
      if (!of_system) apart["patternProperties"] = parameter_patterns();
      if (of_system) apart["required"] = required_of(*fields, system_properties(*usual_));
      apart["additionalProperties"] = false;
      base["properties"][kFor]["properties"][name] = definitions_.refer(std::string(kFor) + (of_system ? ".system." : ".") + name, std::move(apart));
    }
  }

  Json by_accounting(const std::string& kind, Json base) {
    add_fields_apart(base, false);
    const Json usual = definitions_.keep(kind + ".usual", with_fields(base, *usual_));
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

  /// Of a system, but for what may also be said elsewhere.
  static Json required_of(const AcceptedFields& fields, const Json& elsewhere) {
    Json out = Json::array();
    for (const DocumentField& field : fields.system) {
      if (!field.type.optional && !elsewhere.contains(field.name)) out.push_back(field.name);
    }
    return out;
  }

  Json of_system(Json base) {
    add_fields_apart(base, true);
    const Json properties = system_properties(*usual_);
    for (const auto& [key, schema] : properties.items()) base["properties"][key] = schema;
    base["required"] = required_of(*usual_, Json::object());
    base["required"].push_back("kind");
    base["additionalProperties"] = false;
    return base;
  }

  const EditorSchemaRequest& request_;
  Library& library_;
  Diagnostics& diagnostics_;
  SchemaDefinitions definitions_;
  std::unique_ptr<AcceptedFields> usual_;
  std::map<std::string, std::unique_ptr<AcceptedFields>> accountings_;
  std::map<std::string, std::vector<std::string>> names_;
  std::vector<std::string> parameters_;
};

}  // namespace

std::optional<std::string> editor_schema(const EditorSchemaRequest& request, Library& library, Diagnostics& diagnostics) {
  return EditorSchema(request, library, diagnostics).write();
}

}  // namespace opledger
