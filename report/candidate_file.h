#pragma once
#include <string>

#include "report/output_stream.h"
#include "search/sweep/columns.h"

/// A file with every feasible candidate of a search, written while the search finds them. Numbers are in base units.
namespace opledger {

class CandidateFile {
 public:
  // CSV; JSON lines; a JSON array with a candidate in each line.
  enum class Form { csv, lines, array };

  /// Returns the form for a file name: `.csv`, `.jsonl`, `.ndjson` or `.json`, optionally followed by `.gz`; empty for
  /// every unknown ending.
  static std::optional<Form> form_of(const std::string& path);

  CandidateFile(std::string path, Form form) : path_(std::move(path)), form_(form) {}
  /// Returns the callbacks for a search. The file must outlive them.
  CandidateSink sink();
  /// Returns true if the reader of a pipe closed its end, so that further errors are pointless.
  bool reader_gone() const { return out_.reader_gone(); }

 private:
  bool begin(const CandidateColumns& columns, Diagnostics& diagnostics);
  bool write(const CandidateRows& rows, Diagnostics& diagnostics);
  bool end(bool complete, Diagnostics& diagnostics);
  void append_csv(const CandidateRows& rows, std::size_t row);
  void append_json(const CandidateRows& rows, std::size_t row);

  std::string path_;
  Form form_;
  const CandidateColumns* columns_ = nullptr;
  OutputStream out_;
  std::string text_;
  bool any_ = false;
};

/// Returns a value as a CSV cell, exact and in base units; a missing value gives an empty cell.
std::string csv_text(const Value& value);
/// Returns a value as JSON, exact and in base units; a missing value gives null.
std::string json_text(const Value& value);

}  // namespace opledger
