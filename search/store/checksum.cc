#include "search/store/checksum.h"

#include <zlib.h>

#include <array>
#include <bit>
#include <cmath>

namespace opledger {
namespace {

/// Returns the bytes in little-endian order on every machine.
std::array<char, 8> bytes_of(std::uint64_t value) {
  std::array<char, 8> out{};
  for (char& byte : out) {
    byte = static_cast<char>(value & 0xff);
    value >>= 8;
  }
  return out;
}

}  // namespace

/// Appends one value to the row: a letter for its type, then its bytes. Texts carry their length, so that no two rows
/// have equal encodings.
void Checksum::put(char type, std::string_view bytes) {
  row_ += type;
  row_ += bytes;
}

void Checksum::add_null() { put('n', {}); }

void Checksum::add(std::int64_t value) {
  const auto bytes = bytes_of(static_cast<std::uint64_t>(value));
  put('i', {bytes.data(), bytes.size()});
}

void Checksum::add(double value) {
  if (std::isnan(value)) return add_null();  // SQLite stores NaN as NULL
  const auto bytes = bytes_of(std::bit_cast<std::uint64_t>(value));
  put('r', {bytes.data(), bytes.size()});
}

void Checksum::add_text(std::string_view text) {
  const auto size = bytes_of(text.size());
  put('t', {size.data(), size.size()});
  row_ += text;
}

void Checksum::add_bytes(std::string_view bytes) {
  const auto size = bytes_of(bytes.size());
  put('b', {size.data(), size.size()});
  row_ += bytes;
}

void Checksum::end_row() {
  // The CRC runs on over whole rows. Hence the sum of a table doesn't depend on when a search was interrupted.
  row_ += '\n';
  sum_ = static_cast<std::uint32_t>(crc32_z(sum_, reinterpret_cast<const Bytef*>(row_.data()), row_.size()));
  row_.clear();
  ++rows_;
}

}  // namespace opledger
