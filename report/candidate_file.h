#pragma once
#include <string>

#include "report/output_stream.h"
#include "search/sweep/columns.h"

/// A file with every feasible candidate of a search, written while the search finds them. Numbers are in base units.
namespace opledger {

/// A writer of candidates to a file. The search calls the callbacks of `sink`: begin once, write for each candidate
/// range, and end once.
class CandidateFile {
 public:
  /// Form of the file: CSV with a header line; one JSON object in each line; a JSON array with a candidate in each
  /// line.
  enum class Form { csv, lines, array };

  /// Returns the form for a file name: `.csv`, `.jsonl`, `.ndjson` or `.json`, optionally followed by `.gz`; empty for
  /// every unknown ending.
  static std::optional<Form> form_of(const std::string& path);

  /// Creates a writer; `path` is opened by the first callback. An empty path or `-` is standard output.
  CandidateFile(std::string path, Form form) : path_(std::move(path)), form_(form) {}
  /// Returns the callbacks for a search. They return false after a failed write, with an error. The file must outlive
  /// them.
  CandidateSink sink();
  /// Returns true if writing failed because the reader of standard output closed its end; an error message is then
  /// pointless.
  bool reader_gone() const { return out_.reader_gone(); }

 private:
  /// The callbacks of `sink`. Each returns false, with an error, after a failed write.
  bool begin(const CandidateColumns& columns, Diagnostics& diagnostics);
  bool write(const CandidateRows& rows, Diagnostics& diagnostics);
  bool end(bool complete, Diagnostics& diagnostics);
  /// Appends one candidate to `text_` as a line of CSV.
  void append_csv(const CandidateRows& rows, std::size_t row);
  /// Appends one candidate to `text_` as an object, after a comma and a line end in an array.
  void append_json(const CandidateRows& rows, std::size_t row);

  std::string path_;
  Form form_;
  const CandidateColumns* columns_ = nullptr;  ///< Names and values of axes and metrics; null before `begin`.
  OutputStream out_;
  std::string text_;  ///< Text of the current candidate.
  bool any_ = false;  ///< True after the first candidate, which no comma precedes.
};

/// Returns a value as a CSV cell, exact and in base units; a missing value gives an empty cell.
std::string csv_text(const Value& value);
/// Returns a value as JSON, exact and in base units; a missing value gives null.
std::string json_text(const Value& value);

}  // namespace opledger
