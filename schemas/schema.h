#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A JSON Schema as data for the checker: the subset listed in checker.h, with resolved references.
namespace opledger {

/// Kinds of values as bits, so that a schema may allow several.
using TypeMask = std::uint8_t;
inline constexpr TypeMask kNullType = 1, kBooleanType = 2, kNumberType = 4, kIntegerType = 8, kStringType = 16, kArrayType = 32, kObjectType = 64;
inline constexpr TypeMask kAnyType = 127;

/// A schema or subschema.
struct Schema {
  using Child = std::unique_ptr<Schema>;

  TypeMask types = kAnyType;
  bool never = false;              ///< The schema `false`.
  std::vector<std::string> words;  ///< Words of `enum` or `const` as written; empty: any word.
  std::vector<std::string> required;
  std::map<std::string, Child, std::less<>> properties;
  /// The keyword `former`, an extension of JSON Schema: present key by former key of a mapping.
  std::map<std::string, std::string, std::less<>> former_keys;
  std::vector<std::pair<std::regex, Child>> pattern_properties;
  Child additional;  ///< Null: any value.
  Child property_names, items;
  std::size_t min_items = 0;
  std::optional<double> minimum, maximum;
  std::optional<std::regex> pattern;
  std::string pattern_text;
  std::vector<Child> one_of, any_of;
  Child condition, consequence, alternative;              ///< The keywords `if`, `then`, `else`.
  const Schema* reference = nullptr;                      ///< Target of `$ref`, which replaces all other keywords.
  std::map<std::string, Child, std::less<>> definitions;  ///< Definitions of the root schema.
};

/// Returns the text of schemas/KIND.schema.json as compiled in; empty for an unknown kind.
std::string_view schema_text(std::string_view kind);
/// Returns a hash of all schema texts.
std::string_view schema_stamp();

/// Parses a schema. Null if the text is not JSON or uses keywords outside the subset, with the reason in `problem`.
std::unique_ptr<const Schema> read_schema(std::string_view text, std::string& problem);

/// Returns the schema of a kind, parsed on first use; null for an unknown kind. Thread-safe.
const Schema* find_schema(std::string_view kind);

}  // namespace opledger
