#include "report/field_schema.h"

#include <fmt/core.h>

#include <algorithm>

#include "accounting/graph_engine.h"
#include "base/text.h"
#include "questions/linked_accounting.h"

namespace opledger {
namespace {

constexpr std::size_t kShort = 60;  // Maximum length of a schema that stays inline; a reference is not shorter.

bool is_plain(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.'; }

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return std::string(trim(text));
}

/// Returns documentation, unit and default of a type as one line.
std::string described(const Type& type) {
  std::string out = one_line(type.doc.empty() && type.of != nullptr ? type.of->doc : type.doc);
  if (!type.unit_text.empty() && type.kind != Type::Kind::steps) out += fmt::format("{}In {}.", out.empty() ? "" : " ", type.unit_text);
  if (type.optional && type.kind != Type::Kind::record && type.kind != Type::Kind::per)
    out += fmt::format("{}Default: {}", out.empty() ? "" : " ", flow(type.fallback));
  return out;
}

/// Adds a word in each form that a parser may read: unquoted words such as `on` and `4` are booleans or numbers in
/// YAML.
void add_word(const std::string& word, Json& words) {
  words.push_back(word);
  const Datum plain = Datum::scalar(word, false, {});
  if (const auto truth = plain.boolean()) words.push_back(*truth);
  if (const auto number = plain.number()) words.push_back(*number);
}

/// A writer of the schema of a declared type, recursive over records, lists and tuples.
class FieldSchema {
 public:
  FieldSchema(const Program& program, SchemaDefinitions& definitions) : program_(program), definitions_(definitions) {}

  Json of(const std::string& name, const Type& type, bool formula) {
    Json out = Json::object();
    if (const std::string text = described(type); !text.empty()) out["description"] = text;
    const Json value = value_of(name, type, formula);
    for (const auto& [key, part] : value.items()) out[key] = part;
    return definitions_.refer(name, std::move(out));
  }

 private:
  /// Returns the schema of a declared type without its description, by the kind of the type. `name` is the path of the
  /// field, which names definitions of inner schemas; `formula` allows formulas, as texts, in place of scalars. Numbers
  /// with a unit accept texts such as `80 GB`. Steps of a curve are pairs, or one value for all sizes; points have one
  /// coordinate more than the curve has arguments. Inner types of records, lists and tuples are written recursively,
  /// without formulas.
  Json value_of(const std::string& name, const Type& type, bool formula) {
    switch (type.kind) {
      case Type::Kind::integer:
        return number(type, formula ? Json{"integer", "string"} : Json("integer"));
      case Type::Kind::boolean:
        return truth(formula);
      case Type::Kind::text:
        return {{"type", {"string", "number", "boolean"}}};
      case Type::Kind::words:
        return words(type);
      case Type::Kind::record:
        return record(name, type);
      case Type::Kind::list:
        return list(name, type);
      case Type::Kind::per:
        return per(name, type);
      case Type::Kind::tuple:
        return tuple(name, type);
      case Type::Kind::steps:
        return {{"type", {"number", "string", "array"}}, {"items", pair(2)}, {"minItems", 1}};
      case Type::Kind::points:
        return {{"type", "array"}, {"items", pair(type.coordinates + 1)}};
      default:
        return number(type, type.unit.dimension.plain() && !formula ? Json("number") : Json{"number", "string"});
    }
  }

  /// Returns the schema of a number. Bounds are in base units but documents may use any unit, so only a bound of 0 is
  /// valid for numbers with a unit.
  static Json number(const Type& type, Json kinds) {
    Json out = {{"type", std::move(kinds)}};
    const auto bounded = [&](const char* key, const ExprPtr& bound) {
      if (bound != nullptr && bound->kind == Expr::Kind::number && (type.unit.dimension.plain() || bound->number == 0)) out[key] = bound->number;
    };
    if (type.unit.factor == 1 || type.minimum == nullptr || type.minimum->number == 0) bounded("minimum", type.minimum);
    if (type.unit.factor == 1) bounded("maximum", type.maximum);
    return out;
  }

  static Json truth(bool formula) {
    if (!formula) return {{"type", "boolean"}};
    const Json other_languages = {{"enum", {"True", "False", "TRUE", "FALSE", "yes", "no", "on", "off"}}};
    return {{"type", {"boolean", "string"}}, {"not", other_languages}};
  }

  Json words(const Type& type) const {
    Json out = Json::array();
    for (const std::string& word : program_.set(type.set).words) add_word(word, out);
    if (out.empty()) return {{"type", "string"}};
    return {{"enum", std::move(out)}};
  }

  Json record(const std::string& name, const Type& type) {
    Json out = {{"type", "object"}, {"properties", Json::object()}}, required = Json::array();
    for (const auto& [field, inner] : type.fields) {
      out["properties"][field] = of(name + "." + field, inner, false);
      if (!inner.optional) required.push_back(field);
    }
    if (!required.empty()) out["required"] = std::move(required);
    out["additionalProperties"] = false;
    return out;
  }

  Json list(const std::string& name, const Type& type) {
    Json out = {{"type", "array"}, {"items", of(name + "_item", *type.of, false)}};
    if (type.minimum != nullptr && type.minimum->kind == Expr::Kind::number && type.minimum->number >= 0)
      out["minItems"] = static_cast<int>(type.minimum->number);
    return out;
  }

  /// Returns the schema of a map from words to values. Sets such as axes have different words in each run, so any key
  /// is accepted.
  Json per(const std::string& name, const Type& type) {
    const Set& set = program_.set(type.set);
    const Json value = of(name + "_each", *type.of, false);
    Json out = {{"type", "object"}, {"properties", Json::object()}};
    for (const std::string& word : set.words) out["properties"][word] = value;
    const bool open = set.elements || type.set == kAxisSet || set.words.empty();
    out["additionalProperties"] = open ? value : Json(false);
    return out;
  }

  Json tuple(const std::string& name, const Type& type) {
    Json items = Json::array();
    for (const auto& [field, inner] : type.fields) {
      const Json value = of(name + "." + field, inner, false);
      items.push_back(inner.optional ? Json{{"anyOf", {value, {{"type", "null"}}}}} : value);
    }
    const auto last = std::find_if(type.fields.rbegin(), type.fields.rend(), [](const auto& field) { return !field.second.optional; });
    return {{"type", "array"}, {"items", std::move(items)}, {"additionalItems", false}, {"minItems", type.fields.rend() - last}};
  }

  /// Returns the schema of a list of numbers, each with an optional unit.
  static Json pair(std::size_t size) {
    const Json number = {{"type", {"number", "string"}}};
    return {{"type", "array"}, {"items", number}, {"minItems", size}, {"maxItems", size}};
  }

  const Program& program_;
  SchemaDefinitions& definitions_;
};

}  // namespace

/// Shares equal definitions. The schema's text identifies it: a text seen before gives the existing reference. Names
/// with special characters, as of documents in folders, are made plain; a number makes them unique.
Json SchemaDefinitions::refer(const std::string& name, Json schema) {
  std::string text = schema.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= kShort) return schema;
  std::string plain = name;  // Names of documents in folders contain characters that are special in references.
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return !is_plain(c); }, '.');
  const auto [known, fresh] = names_.emplace(std::move(text), plain);
  for (int i = 2; fresh && all_.contains(known->second); ++i) known->second = fmt::format("{}.{}", plain, i);
  if (fresh) all_[known->second] = std::move(schema);
  return {{"$ref", "#/definitions/" + known->second}};
}

Json SchemaDefinitions::keep(const std::string& name, Json schema) {
  all_[name] = std::move(schema);
  return {{"$ref", "#/definitions/" + name}};
}

Json field_schema(const Program& program, const std::string& name, const Type& type, bool formula, SchemaDefinitions& definitions) {
  return FieldSchema(program, definitions).of(name, type, formula);
}

}  // namespace opledger
