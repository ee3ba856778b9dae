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

/// A JSON Schema as data for the checker: the subset listed in checker.h, with resolved references. `find_schema`
/// returns the schema of a kind of document; `read_schema` parses any other.
namespace opledger {

/// Kinds of values as bits, so that a schema may allow several.
using TypeMask = std::uint8_t;
/// The schema type `number` sets the bits of number and integer. A whole number has the type integer, too.
inline constexpr TypeMask kNullType = 1, kBooleanType = 2, kNumberType = 4, kIntegerType = 8, kStringType = 16, kArrayType = 32, kObjectType = 64;
inline constexpr TypeMask kAnyType = 127;

/// A schema or subschema. Each field is a keyword; its default allows everything. A value must satisfy all keywords.
struct Schema {
  using Child = std::unique_ptr<Schema>;  ///< A subschema; null: none.

  TypeMask types = kAnyType;                                     ///< Allowed types.
  bool never = false;                                            ///< The schema `false`.
  std::vector<std::string> words;                                ///< Words of `enum` or `const` as written; empty: any word.
  std::vector<std::string> required;                             ///< Keys that a mapping must have.
  std::map<std::string, Child, std::less<>> properties;          ///< Schemas of values by key.
  std::map<std::string, std::string, std::less<>> former_keys;   ///< Present key by former key; the keyword `former`, not in JSON Schema.
  std::vector<std::pair<std::regex, Child>> pattern_properties;  ///< Schemas of values whose keys match a pattern.
  Child additional;                                              ///< Schema of values with other keys; null: any value.
  Child property_names, items;                                   ///< Schemas of all keys, and of all items of a list.
  std::size_t min_items = 0;                                     ///< Least number of items of a list.
  std::optional<double> minimum, maximum;                        ///< Bounds of a number, both allowed.
  std::optional<std::regex> pattern;                             ///< A pattern that a part of the text must match.
  std::string pattern_text;                                      ///< The pattern as written, for messages.
  std::vector<Child> one_of, any_of;                             ///< Alternatives: exactly one, or at least one, must fit.
  Child condition, consequence, alternative;                     ///< The keywords `if`, `then`, `else`.
  const Schema* reference = nullptr;                             ///< Target of `$ref`, owned by the root; replaces all other keywords.
  std::map<std::string, Child, std::less<>> definitions;         ///< Definitions of the root schema.
};

/// Returns the text of schemas/KIND.schema.json as compiled in; empty for an unknown kind.
std::string_view schema_text(std::string_view kind);
/// Returns a hash of all schema texts, which changes with any schema.
std::string_view schema_stamp();

/// Parses a schema. Null if the text is not JSON or uses keywords outside the subset, with the reason in `problem`.
std::unique_ptr<const Schema> read_schema(std::string_view text, std::string& problem);

/// Returns the schema of a kind, parsed on first use; null for an unknown kind. Thread-safe.
const Schema* find_schema(std::string_view kind);

}  // namespace opledger
