#include "report/named_schema.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/lists.h"
#include "base/text.h"

namespace opledger {
namespace {

constexpr std::string_view kNames = "names of ", kSuch = "such as ", kReference = "#/definitions/";
constexpr const char* kFields = "fields";
constexpr const char* kPath = R"(/|\.(yaml|yml|json)$)";

bool has_type(const Json& schema, const char* type) {
  const auto found = schema.find("type");
  return found != schema.end() && (*found == type || (found->is_array() && contains(*found, Json(type))));
}

/// A transformation of a kind's schema.
/// The recursion copies the schema, renames references to `KIND.NAME`, and replaces each `$comment` by the names that
/// it requests.
class SchemaNaming {
 public:
  SchemaNaming(std::string kind, const NamedSchemaRequest& request, const Json& definitions, SchemaDefinitions& out)
      : kind_(std::move(kind)), request_(request), definitions_(definitions), out_(out) {}

  Json of(const Json& schema) {
    if (schema.is_array()) return array_of(schema, [&](const Json& item) { return of(item); });
    if (!schema.is_object()) return schema;
    const std::string comment = schema.value("$comment", "");
    Json out = Json::object();
    for (const auto& [key, part] : schema.items()) {
      if (key == "$ref")
        out[key] = renamed(part.get<std::string>());
      else if (key != "$comment")
        out[key] = key == "enum" || key == "const" || key == "required" ? part : of(part);
    }
    if (comment == kFields) return request_.fields(std::move(out));
    if (const auto names = names_of_comment(comment)) return with_names(schema.contains("$ref") ? resolved(schema) : std::move(out), *names);
    return keys_named(schema, std::move(out));
  }

 private:
  struct Names {
    std::string title;
    std::vector<std::string> words;
    bool closed, fields;
  };

  std::string renamed(const std::string& reference) const { return std::string(kReference) + kind_ + "." + reference.substr(kReference.size()); }

  /// Adds a word, unless it is present: documents of several kinds may share a name.
  static void add(std::string word, std::vector<std::string>& words) {
    if (!contains(words, word)) words.push_back(std::move(word));
  }

  /// Returns the names requested by a comment such as `names of stack; none` or `names of execution; fields`; nothing
  /// for an ordinary comment.
  std::optional<Names> names_of_comment(std::string_view comment) const {
    const bool lists_all = comment.starts_with(kNames);
    if (!lists_all && !comment.starts_with(kSuch)) return std::nullopt;
    Names out{"", {}, lists_all && request_.only_these, false};
    const std::vector<std::string> parts = split(comment.substr(lists_all ? kNames.size() : kSuch.size()), ';');
    for (const std::string& of : split(parts[0], ' ')) {
      out.title += (out.title.empty() ? "names." : ".") + of;
      for (std::string& word : request_.names(of)) add(std::move(word), out.words);
    }
    for (std::size_t i = 1; i < parts.size(); ++i) {
      out.fields = out.fields || parts[i] == kFields;
      if (parts[i] != kFields) add(parts[i], out.words), out.title += "." + parts[i];
    }
    return out;
  }

  /// Returns the definition behind a reference, with the description at the place of use.
  Json resolved(const Json& schema) {
    Json definition = definitions_.at(schema.at("$ref").get<std::string>().substr(kReference.size()));
    definition.erase("$comment");
    Json out = of(definition);
    if (schema.contains("description")) out["description"] = schema["description"];
    return out;
  }

  Json enumeration(const Names& names) { return out_.refer(names.title, {{"enum", names.words}}); }

  /// Returns a schema of strings with names added as a choice, for completion in editors. The result is `anyOf` the
  /// names and a text: any text if the names are suggestions, or a path if they are complete (`closed`). Further types
  /// that the schema allows, such as lists, become a third choice, with names for items of a list. `fields` adds the
  /// fields of an accounting to this choice. A schema without strings, or without names, is returned unchanged.
  Json with_names(Json schema, const Names& names) {
    if (names.words.empty() || !has_type(schema, "string")) return schema;
    Json choices = Json::array();
    choices.push_back(enumeration(names));
    Json text = {{"type", "string"}};
    if (names.closed) text["pattern"] = kPath;
    choices.push_back(std::move(text));
    Json out = Json::object();
    if (schema.contains("description")) out["description"] = schema["description"];
    if (schema["type"].is_array()) {
      Json rest = std::move(schema);
      rest.erase("description");
      auto& types = rest["type"];
      types.erase(std::find(types.begin(), types.end(), Json("string")));
      if (rest.contains("items")) rest["items"] = item_named(rest["items"], names);
      choices.push_back(names.fields ? request_.fields(std::move(rest)) : std::move(rest));
    }
    out["anyOf"] = std::move(choices);
    return out;
  }

  Json item_named(const Json& item, const Names& names) {
    if (!item.contains("$ref")) return with_names(item, names);
    Json choices = Json::array();
    choices.push_back(enumeration(names));
    choices.push_back(item);
    return {{"anyOf", std::move(choices)}};
  }

  /// Returns `out`, the transformed form of `schema`, with names of keys as properties: editors complete properties,
  /// but not `propertyNames`. Each name gets the schema of additional properties; stated properties take precedence. If
  /// the names are complete (`closed`), other keys must be paths. A schema whose `propertyNames` asks for no names is
  /// returned unchanged.
  Json keys_named(const Json& schema, Json out) {
    const auto keys = schema.find("propertyNames");
    const auto names = keys == schema.end() || !keys->is_object() ? std::nullopt : names_of_comment(keys->value("$comment", ""));
    if (!names) return out;
    const Json value = out.value("additionalProperties", Json::object());
    out.erase("propertyNames");
    Json properties = Json::object();
    for (const std::string& word : names->words) properties[word] = value;
    const Json others = out.value("properties", Json::object());
    for (const auto& [key, part] : others.items()) properties[key] = part;
    out["properties"] = std::move(properties);
    if (!names->closed) return out;
    out["patternProperties"] = {{kPath, value}};
    out["additionalProperties"] = false;
    return out;
  }

  std::string kind_;
  const NamedSchemaRequest& request_;
  const Json& definitions_;
  SchemaDefinitions& out_;
};

}  // namespace

Json named_schema(const std::string& kind, Json schema, const NamedSchemaRequest& request, SchemaDefinitions& definitions) {
  const Json own = schema.value("definitions", Json::object());
  schema.erase("definitions");
  schema.erase("$schema");
  SchemaNaming named(kind, request, own, definitions);
  for (const auto& [name, definition] : own.items()) definitions.keep(kind + "." + name, named.of(definition));
  return named.of(schema);
}

}  // namespace opledger
