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
  TableStream(std::vector<std::string> columns, bool json) : columns_(std::move(columns)), json_(json) {}

  /// Opens the output as OutputStream::open does. Every function returns an empty text, or the problem.
  std::string open(const std::string& path);
  std::string write(const std::vector<std::string>& cells);
  std::string finish();
  /// Returns true if the reader closed its end of the pipe.
  bool reader_gone() const { return out_.reader_gone(); }

 private:
  std::vector<std::string> columns_;
  bool json_, any_ = false;
  OutputStream out_;
};

}  // namespace opledger
