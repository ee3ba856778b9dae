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

/// A JSON Schema as the checker walks it: the subset that checker.h names, references resolved. It says nothing of how it is read from JSON.
namespace opledger {

/// Kinds of values, as bits: a schema may allow several.
using TypeMask = std::uint8_t;
inline constexpr TypeMask kNullType = 1, kBooleanType = 2, kNumberType = 4, kIntegerType = 8, kStringType = 16, kArrayType = 32, kObjectType = 64;
inline constexpr TypeMask kAnyType = 127;

struct Schema {
  using Child = std::unique_ptr<Schema>;

  TypeMask types = kAnyType;
  bool never = false;              ///< The schema `false`.
  std::vector<std::string> words;  ///< Of `enum` or `const`, as they are written; empty: any.
  std::vector<std::string> required;
  std::map<std::string, Child, std::less<>> properties;
  std::vector<std::pair<std::regex, Child>> pattern_properties;
  Child additional;  ///< Null: anything.
  Child property_names, items;
  std::size_t min_items = 0;
  std::optional<double> minimum, maximum;
  std::optional<std::regex> pattern;
  std::string pattern_text;
  std::vector<Child> one_of, any_of;
  Child condition, consequence, alternative;              ///< `if`, `then`, `else`
  const Schema* reference = nullptr;                      ///< `$ref`: stands for all the rest.
  std::map<std::string, Child, std::less<>> definitions;  ///< Of the root.
};

/// The text of schemas/KIND.schema.json, compiled in; empty for an unknown kind.
std::string_view schema_text(std::string_view kind);
/// Of all these texts: other ones have another.
std::string_view schema_stamp();

/// Reads a schema. Null if the text is no JSON, or uses what is not in the subset: `problem` says what.
std::unique_ptr<const Schema> read_schema(std::string_view text, std::string& problem);

/// The schema of a kind, read when first asked for; null for an unknown kind. Safe to call from several threads.
const Schema* find_schema(std::string_view kind);

}  // namespace opledger
