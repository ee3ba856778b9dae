#include "schemas/schema.h"

#include <cassert>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "schemas/kinds.h"

namespace opledger {
namespace {

using Json = nlohmann::json;

// Annotation keywords, which have no effect on validation.
const std::set<std::string, std::less<>> kAnnotations = {"$schema", "$id", "$comment", "title", "description", "default", "examples"};

struct TypeName {
  std::string_view name;
  TypeMask mask;
};
constexpr TypeName kTypeNames[] = {{"null", kNullType},       {"boolean", kBooleanType}, {"number", kNumberType | kIntegerType},
                                   {"integer", kIntegerType}, {"string", kStringType},   {"array", kArrayType},
                                   {"object", kObjectType}};

/// Reads a schema recursively and resolves `$ref` at the end, once all definitions are known.
class Reader {
 public:
  std::unique_ptr<Schema> read_root(const Json& json) {
    std::unique_ptr<Schema> root = read(json);
    for (const auto& [from, name] : references_) {
      const auto found = root->definitions.find(name);
      if (found == root->definitions.end()) fail("no definition `" + name + "`");
      if (found != root->definitions.end()) from->reference = found->second.get();
    }
    return problem_.empty() ? std::move(root) : nullptr;
  }
  const std::string& problem() const { return problem_; }

 private:
  std::unique_ptr<Schema> read(const Json& json) {
    auto schema = std::make_unique<Schema>();
    if (json.is_boolean()) {
      schema->never = !json.get<bool>();
    } else if (json.is_object()) {
      for (const auto& [key, value] : json.items()) read_key(*schema, key, value);
      if (!schema->words.empty() && schema->types == kAnyType) schema->types = kStringType;  // Words are scalars.
    } else {
      fail("a schema is an object or a boolean");
    }
    return schema;
  }

  /// Reads one keyword of a schema; fails for keywords outside the subset, which the checker would ignore.
  void read_key(Schema& schema, const std::string& key, const Json& value) {
    if (kAnnotations.count(key) > 0) return;
    if (!read_value_key(schema, key, value) && !read_object_key(schema, key, value) && !read_logic_key(schema, key, value)) fail("keyword `" + key + "`");
  }

  /// Reads a keyword about scalars and lists into the schema; returns false if `key` is another keyword. `type`, `enum`
  /// and `const` may be one value or a list. Words that are no strings are kept as written in JSON, since scalars of
  /// documents are compared as texts. A value of the wrong type throws; `read_schema` reports it.
  bool read_value_key(Schema& schema, const std::string& key, const Json& value) {
    if (key == "type") {
      schema.types = 0;
      for (const Json& name : as_list(value)) schema.types |= mask(name.get<std::string>());
    } else if (key == "enum" || key == "const") {
      for (const Json& word : as_list(value)) schema.words.push_back(word.is_string() ? word.get<std::string>() : word.dump());
    } else if (key == "minimum") {
      schema.minimum = value.get<double>();
    } else if (key == "maximum") {
      schema.maximum = value.get<double>();
    } else if (key == "pattern") {
      schema.pattern_text = value.get<std::string>();
      schema.pattern.emplace(schema.pattern_text, std::regex::ECMAScript | std::regex::optimize);
    } else if (key == "items") {
      schema.items = read(value);
    } else if (key == "minItems") {
      schema.min_items = value.get<std::size_t>();
    } else {
      return false;
    }
    return true;
  }

  /// Reads a keyword about mappings into the schema, with subschemas for keys and values; returns false if `key` is
  /// another keyword. A value of the wrong type throws; `read_schema` reports it.
  bool read_object_key(Schema& schema, const std::string& key, const Json& value) {
    if (key == "required") {
      schema.required = value.get<std::vector<std::string>>();
    } else if (key == "properties") {
      for (const auto& [name, child] : value.items()) schema.properties.emplace(name, read(child));
    } else if (key == "former") {
      schema.former_keys = value.get<decltype(schema.former_keys)>();
    } else if (key == "patternProperties") {
      for (const auto& [text, child] : value.items()) schema.pattern_properties.emplace_back(std::regex(text), read(child));
    } else if (key == "additionalProperties") {
      schema.additional = read(value);
    } else if (key == "propertyNames") {
      schema.property_names = read(value);
    } else if (key == "definitions") {
      for (const auto& [name, child] : value.items()) schema.definitions.emplace(name, read(child));
    } else {
      return false;
    }
    return true;
  }

  /// Reads a reference, alternatives or a condition into the schema; returns false if `key` is another keyword.
  /// References may precede the definitions that they name, so they are collected in `references_` and resolved at the
  /// end. Only references into the definitions of the same document are understood.
  bool read_logic_key(Schema& schema, const std::string& key, const Json& value) {
    if (key == "$ref") {
      const std::string text = value.get<std::string>();
      const std::string prefix = "#/definitions/";
      if (text.compare(0, prefix.size(), prefix) != 0) fail("reference `" + text + "`");
      references_.emplace_back(&schema, text.substr(std::min(text.size(), prefix.size())));
    } else if (key == "oneOf" || key == "anyOf") {
      for (const Json& child : value) (key == "oneOf" ? schema.one_of : schema.any_of).push_back(read(child));
    } else if (key == "if") {
      schema.condition = read(value);
    } else if (key == "then") {
      schema.consequence = read(value);
    } else if (key == "else") {
      schema.alternative = read(value);
    } else {
      return false;
    }
    return true;
  }

  static Json as_list(const Json& value) { return value.is_array() ? value : Json::array({value}); }

  TypeMask mask(const std::string& name) {
    for (const TypeName& type : kTypeNames) {
      if (type.name == name) return type.mask;
    }
    fail("type `" + name + "`");
    return 0;
  }

  /// Keeps the first problem: a keyword, type or reference that is not understood.
  void fail(const std::string& keyword) {
    if (problem_.empty()) problem_ = keyword + " is not understood";
  }

  std::vector<std::pair<Schema*, std::string>> references_;
  std::string problem_;
};

}  // namespace

std::unique_ptr<const Schema> read_schema(std::string_view text, std::string& problem) {
  Reader reader;
  std::unique_ptr<const Schema> schema;
  try {
    schema = reader.read_root(Json::parse(text));
    problem = reader.problem();
  } catch (const std::exception& error) {  // Invalid JSON, a wrong value type, or an invalid regular expression.
    problem = error.what();
  }
  return problem.empty() ? std::move(schema) : nullptr;
}

const Schema* find_schema(std::string_view kind) {
  static std::array<std::once_flag, kDocumentKinds.size()> once;
  static std::array<std::unique_ptr<const Schema>, kDocumentKinds.size()> schemas;
  for (std::size_t i = 0; i < kDocumentKinds.size(); ++i) {
    if (kDocumentKinds[i].name != kind) continue;
    std::call_once(once[i], [&] {
      std::string problem;
      schemas[i] = read_schema(schema_text(kind), problem);
      assert(schemas[i] && "a schema that is compiled in can't be read");
    });
    return schemas[i].get();
  }
  return nullptr;
}

}  // namespace opledger
