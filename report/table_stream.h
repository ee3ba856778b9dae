#pragma once
#include <memory>
#include <string>
#include <vector>

#include "report/output_stream.h"

/// A table for programs, written row by row as CSV or as a JSON array of objects. Written rows are not stored.
namespace opledger {

/// A stream of rows with fixed columns.
class TableStream {
 public:
  /// Creates a stream of CSV, or of a JSON array if `json`.
  TableStream(std::vector<std::string> columns, bool json) : columns_(std::move(columns)), json_(json) {}

  /// Opens the output as OutputStream::open does and writes the header. Like `write` and `finish`, returns an empty
  /// text, or the problem.
  std::string open(const std::string& path);
  /// Writes a row, with one cell for each column.
  std::string write(const std::vector<std::string>& cells);
  /// Writes the end of the table and completes the file.
  std::string finish();
  /// Returns true if writing failed because the reader of standard output closed its end.
  bool reader_gone() const { return out_.reader_gone(); }

 private:
  std::vector<std::string> columns_;
  bool json_, any_ = false;
  OutputStream out_;
};

}  // namespace opledger
