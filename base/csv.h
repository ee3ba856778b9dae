#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"

/// Comma-separated values as RFC 4180 has them: quotes around what holds commas, quotes or line ends; the first line names the columns.
namespace opledger {

struct Csv {
  struct Row {
    std::vector<std::string> cells;
    std::uint32_t line = 0;
  };
  std::vector<std::string> columns;
  std::vector<Row> rows;  ///< Each with as many cells as there are columns.
};

/// The rows of a file, one after the other.
class CsvReader {
 public:
  CsvReader(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

  /// The first line; empty, with an error, where `parse_csv` has one.
  const std::vector<std::string>& columns() const { return columns_; }
  /// False: there is none any more, or, with an error, it is none.
  bool next(Csv::Row& row);

 private:
  bool fail(std::uint32_t line, std::string message);
  bool check_columns(std::uint32_t line);
  bool read_line(Csv::Row& row);
  bool read_row(std::vector<std::string>& cells);
  bool read_quoted(std::string& cell);
  bool end_of_line();

  std::shared_ptr<const SourceFile> source_;
  const std::string& text_;
  Diagnostics& diagnostics_;
  std::vector<std::string> columns_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  bool failed_ = false;
};

/// Empty, with an error, if a row has more or fewer cells than columns, a column has no name or that of another, or a quotation mark is not closed.
std::optional<Csv> parse_csv(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

/// A cell as it is written: in quotes if it needs them.
std::string csv_cell(const std::string& text);

std::string csv_line(const std::vector<std::string>& cells);

/// The whole, a line for each row.
std::string csv_lines(const Csv& csv);

}  // namespace opledger
