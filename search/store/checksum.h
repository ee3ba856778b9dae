#pragma once
#include <cstdint>
#include <string>
#include <string_view>

/// The checksum of a table: the number of rows, and a CRC-32 (zlib) over every value with its type, row by row. Rows
/// have equal checksums when written and when read again. A CRC-32 detects every change within 32 consecutive bits;
/// a larger change goes undetected with probability 2^-32.
namespace opledger {

/// An incremental checksum: values of a row are added in the order of columns, then `end_row` is called.
class Checksum {
 public:
  Checksum() = default;
  /// Continues after rows that were summed before.
  Checksum(std::uint64_t rows, std::uint32_t sum) : rows_(rows), sum_(sum) {}

  /// Each function adds one value of the current row, with its type. A NaN counts as null, because SQLite stores it so.
  void add_null();
  void add(std::int64_t value);  ///< An integer.
  void add(double value);        ///< A floating-point number.
  void add_text(std::string_view text);
  void add_bytes(std::string_view bytes);
  /// Ends the current row: adds its values to the sum.
  void end_row();

  /// Returns the number of complete rows.
  std::uint64_t rows() const { return rows_; }
  /// Returns the CRC-32 of the complete rows.
  std::uint32_t sum() const { return sum_; }

 private:
  /// Appends a value to the encoded row: a letter for its type, then its bytes.
  void put(char type, std::string_view bytes);

  std::uint64_t rows_ = 0;  ///< Number of complete rows.
  std::uint32_t sum_ = 0;   ///< CRC-32 of the complete rows.
  std::string row_;         ///< Encoded values of the current row.
};

}  // namespace opledger
