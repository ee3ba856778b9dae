#pragma once
#include <memory>
#include <string>
#include <vector>

#include "report/output_stream.h"

/// A table for programs that is written while its rows are found, as CSV or as a JSON array of an object for each row. Nothing is kept of a row.
namespace opledger {

class TableStream {
 public:
  TableStream(std::vector<std::string> columns, bool json) : columns_(std::move(columns)), json_(json) {}

  /// As of an OutputStream.
  std::string open(const std::string& path);
  std::string write(const std::vector<std::string>& cells);
  std::string finish();
  bool reader_gone() const { return out_.reader_gone(); }

 private:
  std::vector<std::string> columns_;
  bool json_, any_ = false;
  OutputStream out_;
};

}  // namespace opledger
