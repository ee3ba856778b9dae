#pragma once
#include <string>

#include "report/output_stream.h"
#include "search/sweep/columns.h"

/// All feasible candidates of a search in a file, as they are found: CSV, JSON lines, or a JSON array with a candidate in each line. Numbers in base units.
namespace opledger {

class CandidateFile {
 public:
  enum class Form { csv, lines, array };

  /// What the name of a file says: `.csv`, `.jsonl`, `.json`, each also with `.gz`. Empty: none of these.
  static std::optional<Form> form_of(const std::string& path);

  CandidateFile(std::string path, Form form) : path_(std::move(path)), form_(form) {}
  CandidateSink sink();
  /// As of the stream: then there is nobody to tell either.
  bool reader_gone() const { return out_.reader_gone(); }

 private:
  bool begin(const CandidateColumns& columns, Diagnostics& diagnostics);
  bool write(const FoundRows& rows, Diagnostics& diagnostics);
  bool end(bool complete, Diagnostics& diagnostics);
  void append_csv(const FoundRows& rows, std::size_t row);
  void append_json(const FoundRows& rows, std::size_t row);

  std::string path_;
  Form form_;
  const CandidateColumns* columns_ = nullptr;
  OutputStream out_;
  std::string text_;
  bool any_ = false;
};

/// Of a value, for programs: exactly, in base units; nothing is an empty cell.
std::string csv_text(const Value& value);
/// The same as JSON; nothing is null.
std::string json_text(const Value& value);

}  // namespace opledger
