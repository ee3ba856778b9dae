#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Streaming reader of JSON tables larger than documents may be. It builds no tree: the visitor receives each scalar
/// with the keys of the enclosing mappings.
namespace opledger {

/// A value other than a list or mapping.
struct JsonScalar {
  enum class Kind { text, whole, other };  ///< `whole` is 0 to 2^64 - 1; `other` is another number, true, false or null.
  Kind kind = Kind::other;                 ///< Kind of the value.
  std::string text;                        ///< Value of a `text`; otherwise empty.
  std::uint64_t number = 0;                ///< Value of a `whole`; otherwise 0.
  bool listed = false;                     ///< The value is an entry of a list.
};

/// Callbacks of the reader. `keys` is the path of mapping keys from the outermost mapping on. A returned text is an
/// error and ends the reading; an empty text continues.
struct JsonVisitor {
  std::function<std::string(const std::vector<std::string>& keys)> open;  ///< Called at the beginning of a mapping.
  /// Called for each scalar, and for each entry of a list with the keys of the list.
  std::function<std::string(const std::vector<std::string>& keys, const JsonScalar& value)> scalar;
  std::function<void(const std::vector<std::string>& keys)> list = {};  ///< Called at the beginning of a list; optional.
};

/// Reads the text and returns the first error, from JSON itself or from a callback; empty without one. Repeated keys,
/// lists or mappings inside a list, more than three levels of mappings, and a text that is no mapping are errors.
std::string read_json_table(std::string_view text, const JsonVisitor& visitor);

}  // namespace opledger
