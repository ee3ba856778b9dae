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

/// Empty, with an error, if a row has more or fewer cells than columns, a column has no name or that of another, or a quotation mark is not closed.
std::optional<Csv> parse_csv(const std::shared_ptr<const SourceFile>& source, Diagnostics& diagnostics);

/// A cell as it is written: in quotes if it needs them.
std::string csv_cell(const std::string& text);

/// The whole, a line for each row.
std::string csv_lines(const Csv& csv);

}  // namespace opledger
