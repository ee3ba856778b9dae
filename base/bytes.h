#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

/// Serialization of numbers and texts with the same bytes on every machine, and bounds-checked reading of arbitrary
/// bytes. A reader calls the functions of ByteReader in the order in which the writer called those of ByteWriter, which
/// have the same names.
namespace opledger {

/// Appends values to a byte string, which `take` returns.
class ByteWriter {
 public:
  /// Writes one byte.
  void byte(std::uint8_t value) { out_ += static_cast<char>(value); }
  /// Writes a variable-length integer (LEB128): seven bits a byte, lowest first.
  void number(std::uint64_t value) {
    for (; value > 0x7f; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }
  /// Writes a signed integer with zigzag encoding, so that numbers near zero are short.
  void difference(std::int64_t value) { number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63)); }
  /// Writes `bytes` bytes in little-endian order.
  void fixed(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) byte(static_cast<std::uint8_t>(value >> 8 * i));
  }
  /// Writes the bits of a double as eight bytes.
  void real(double value) { fixed(std::bit_cast<std::uint64_t>(value), 8); }
  /// Writes bytes without their size.
  void plain(std::string_view bytes) { out_ += bytes; }
  /// Writes the size, then the bytes.
  void text(std::string_view bytes) {
    number(bytes.size());
    plain(bytes);
  }

  std::size_t size() const { return out_.size(); }  ///< Number of bytes written so far.
  /// Returns all bytes; the writer is then used up.
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

/// Reads values from bytes, which the caller owns; texts are views into them. A read beyond the end, or a number that
/// is too long, is an error: `good` is then false, and nothing is left to read. Later reads give 0 or an empty text.
/// The number that fails may have any value, so check `good` before use.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool good() const { return good_; }                ///< True if no read failed.
  bool at_end() const { return rest_.empty(); }      ///< True if no byte is left, also after an error.
  std::size_t left() const { return rest_.size(); }  ///< Number of bytes left.
  /// Makes the reader fail; callers do so for values that make no sense.
  void fail() {
    good_ = false;
    rest_ = {};
  }

  std::uint8_t byte() {
    if (rest_.empty()) return fail(), std::uint8_t{0};
    const auto out = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return out;
  }
  /// Reads a variable-length integer of at most ten bytes.
  std::uint64_t number() {
    std::uint64_t out = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t part = byte();
      out |= static_cast<std::uint64_t>(part & 0x7f) << shift;
      if (part < 0x80) return out;
    }
    return fail(), std::uint64_t{0};
  }
  /// Reads a signed integer in zigzag encoding.
  std::int64_t difference() {
    const std::uint64_t folded = number();
    return static_cast<std::int64_t>(folded >> 1) ^ -static_cast<std::int64_t>(folded & 1);
  }
  /// Reads an integer of `bytes` bytes, at most 8, in little-endian order.
  std::uint64_t fixed(int bytes) {
    const auto count = static_cast<std::size_t>(bytes);
    if (count > rest_.size()) return fail(), std::uint64_t{0};
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < count; ++i) out |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[i])) << 8 * i;
    rest_.remove_prefix(count);
    return out;
  }
  double real() { return std::bit_cast<double>(fixed(8)); }
  /// Reads `bytes` bytes as a text.
  std::string_view plain(std::uint64_t bytes) {
    if (bytes > rest_.size()) return fail(), std::string_view();
    const std::string_view out = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return out;
  }
  /// Reads a size and then a text of this size.
  std::string_view text() { return plain(number()); }
  /// Reads a number of items that each take at least `least` bytes. Fails if so many items can't follow, which bounds
  /// allocations.
  std::size_t count(std::size_t least) {
    const std::uint64_t out = number();
    if (out > rest_.size() / least) return fail(), std::size_t{0};
    return static_cast<std::size_t>(out);
  }

 private:
  std::string_view rest_;  ///< Bytes that are not read yet.
  bool good_ = true;
};

}  // namespace opledger
