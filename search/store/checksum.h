#pragma once
#include <cstdint>
#include <string>
#include <string_view>

/// What a table holds, as two numbers: how many rows, and a CRC-32 (zlib's) over every value with its type, row by row. Those of rows that are written and of
/// the same rows read again are equal; a change of up to 32 bits in a row is found for certain, any other but once in four billion.
namespace opledger {

class Checksum {
 public:
  Checksum() = default;
  /// To continue behind rows that were summed before.
  Checksum(std::uint64_t rows, std::uint32_t sum) : rows_(rows), sum_(sum) {}

  void add_null();
  void add(std::int64_t value);
  void add(double value);
  void add_text(std::string_view text);
  void add_bytes(std::string_view bytes);
  void end_row();

  std::uint64_t rows() const { return rows_; }
  /// Of whole rows.
  std::uint32_t sum() const { return sum_; }

 private:
  void put(char type, std::string_view bytes);

  std::uint64_t rows_ = 0;
  std::uint32_t sum_ = 0;
  std::string row_;  ///< What the row has so far.
};

}  // namespace opledger
