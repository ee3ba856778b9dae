#pragma once
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Serialization of plain values between processes of one program, or for a store of the same machine. Values have the
/// bytes of memory, so another machine may read other values; bytes.h is portable. Reading arbitrary bytes is safe.
namespace opledger {

/// Appends values in memory layout: numbers, texts with their sizes, lists with their sizes.
class Packer {
 public:
  /// Appends a number as its bytes in memory.
  template <class T>
  requires std::is_arithmetic_v<T>
  void put(const T& value) { out_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  /// Appends the size of a text, then the text.
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    out_ += text;
  }
  /// Appends the number of items, then each item.
  template <class T>
  void put(const std::vector<T>& items) {
    put(std::uint64_t{items.size()});
    for (const T& item : items) put(item);
  }
  /// Returns all bytes; the packer is then used up.
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

/// Reads values in the order of writing. A read beyond the end is an error: `good` is then false, and no further value
/// is read. Numbers and texts then stay unchanged; a list can be incomplete. The bytes must outlive the reader.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  bool good() const { return good_; }                     ///< True if no read failed.
  bool at_end() const { return good_ && rest_.empty(); }  ///< True if every byte was read without an error.

  /// Reads a number.
  template <class T>
  requires std::is_arithmetic_v<T>
  void get(T& value) {
    if (!has(sizeof value)) return;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
  }
  /// Reads a text.
  void get(std::string& text) {
    std::uint64_t size = 0;
    get(size);
    if (!has(size)) return;
    text.assign(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }
  /// Replaces a list by the items that follow; stops at the first error, so a wrong size costs no memory.
  template <class T>
  void get(std::vector<T>& items) {
    std::uint64_t size = 0;
    get(size);
    items.clear();
    for (std::uint64_t i = 0; i < size && has(1); ++i) get(items.emplace_back());
  }

 private:
  /// Returns whether so many bytes are left; fails otherwise.
  bool has(std::uint64_t bytes) { return good_ = good_ && bytes <= rest_.size(); }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace opledger
