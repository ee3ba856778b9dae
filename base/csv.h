#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"

/// Comma-separated values according to RFC 4180: cells with commas, quotes or line ends are quoted; the first line has
/// the column names. `parse_csv` reads a whole table; CsvReader reads large files row by row.
namespace opledger {

/// A table in memory.
struct Csv {
  /// The first character of a cell in the file.
  struct Place {
    std::uint32_t line = 1, column = 1;  ///< From 1; columns are bytes.
  };
  /// A row with its places in the file.
  struct Row {
    std::vector<std::string> cells;  ///< Texts without quotes, in the order of columns.
    std::uint32_t line = 0;          ///< Line on which the row begins, from 1.
    std::vector<Place> places = {};  ///< Place of each cell.
  };
  std::vector<std::string> columns;  ///< Names of the columns; unique and not empty.
  std::vector<Row> rows;             ///< Each row has as many cells as there are columns.
};

/// Reads the rows of a file one at a time. The constructor reads the column names. After the first error, `next`
/// returns false. `diagnostics` must outlive the reader.
class CsvReader {
 public:
  CsvReader(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

  /// Returns the column names; empty, with an error, if the first line is missing or invalid.
  const std::vector<std::string>& columns() const { return columns_; }
  /// Reads the next row into `row`, whose memory is reused; empty lines are skipped. Returns false at the end or, with
  /// an error, if the row is malformed.
  bool next(Csv::Row& row);

 private:
  /// Reports an error, ends reading, and returns false.
  bool fail(std::uint32_t line, std::string message);
  /// Checks that column names are unique and not empty; reports an error otherwise.
  bool check_columns(std::uint32_t line);
  /// Reads the next row that is not empty; false at the end or after an error.
  bool read_line(Csv::Row& row);
  /// Reads one row and its line end; false after an error.
  bool read_row(Csv::Row& row);
  /// Reads a cell in quotation marks; false, with an error, if they are not closed.
  bool read_quoted(std::string& cell);
  /// Skips a line end; false, with an error, if other text follows the cell.
  bool end_of_line();

  std::shared_ptr<const SourceFile> source_;
  const std::string& text_;
  Diagnostics& diagnostics_;
  std::vector<std::string> columns_;
  std::size_t at_ = 0;      ///< Position in the text of the next byte to read.
  std::uint32_t line_ = 1;  ///< Line of this position, from 1.
  std::size_t begin_ = 0;   ///< Position of the first byte of this line.
  std::size_t beyond_ = 0;  ///< Cells of the last row that were not stored.
  bool failed_ = false;
};

/// Reads a whole table. Empty, with an error, if the line with column names is missing, a column name is empty or
/// duplicate, or a row has the wrong number of cells. A quotation mark that is not closed, and text behind a closed
/// one, are errors, too.
std::optional<Csv> parse_csv(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

/// Returns a cell as written: quoted if necessary.
std::string csv_cell(const std::string& text);

/// Returns a row as a line, with its line end.
std::string csv_line(const std::vector<std::string>& cells);

/// Returns the table as text, including the column names.
std::string csv_lines(const Csv& csv);

}  // namespace opledger
