#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// JSON of a known form, far larger than documents may be, read without a tree of it: every value that is no list or mapping is handed over with the keys around it.
namespace opledger {

struct JsonScalar {
  enum class Kind { text, whole, other };  ///< `whole`: not negative and below 2^64; `other`: any other number, true, false, null.
  Kind kind = Kind::other;
  std::string text;
  std::uint64_t number = 0;
  bool listed = false;  ///< In a list.
};

/// What is told of a text while it is read. Each may say what is wrong: then the rest is not read. Empty: all is well.
struct JsonVisitor {
  std::function<std::string(const std::vector<std::string>& keys)> open;                             ///< A mapping begins; the keys that lead to it.
  std::function<std::string(const std::vector<std::string>& keys, const JsonScalar& value)> scalar;  ///< Of a list each of its values, by the list's keys.
  std::function<void(const std::vector<std::string>& keys)> list = {};                               ///< A list begins.
};

/// What is wrong with the text, or was said to be; empty: nothing. Keys that are there twice are wrong, and so are more levels than three.
std::string read_json_table(std::string_view text, const JsonVisitor& visitor);

}  // namespace opledger
