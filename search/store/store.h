#pragma once
#include <memory>
#include <string>
#include <vector>

#include "search/store/integrity.h"
#include "search/sweep/columns.h"
#include "search/sweep/tally.h"

/// The results of a search in a SQLite file: every feasible candidate, counts, and the state needed to continue after
/// the last range that is written. docs/search.md describes the tables. A transaction holds whole ranges. A search
/// that is killed therefore loses only the ranges of the open transaction.
namespace opledger {

/// A writer of the results of one search.
class Store {
 public:
  /// Identity and metadata of a search.
  struct Description {
    std::string path, identity;
    std::vector<std::pair<std::string, std::string>> facts;  ///< Metadata for readers: names of documents, settings.
    std::string objective;
    bool maximize = true;
    bool resume = false;  ///< True: continue an existing store; otherwise the file must not exist.
  };

  /// Creates or continues a store. `before` must be an empty tally; `open` fills in the results of earlier sessions.
  /// Returns false, with an error, if the file can't be written or holds a different search.
  bool open(const Description& description, Space& space, const CandidateColumns& columns, Tally& before, Diagnostics& diagnostics);

  std::uint64_t ranges() const { return ranges_; }  ///< Number of ranges written.
  /// Returns whether the stored search has reached its end.
  bool complete() const { return complete_; }

  /// Writes the candidates of the next range, and commits after every 65,536 candidates. Returns false, with an
  /// error, on failure.
  bool add(const RangeResult& found, Diagnostics& diagnostics);
  /// Commits the last ranges; `complete` marks the search as finished.
  bool finish(bool complete, Diagnostics& diagnostics);

 private:
  bool fail(Diagnostics& diagnostics);
  bool create(const Description& description, Space& space, Diagnostics& diagnostics);
  bool create_tables(const Description& description);
  bool write_cells(Space& space, Diagnostics& diagnostics);
  bool read(const Description& description, Tally& before, Diagnostics& diagnostics);
  bool refuse(const std::string& why, Diagnostics& diagnostics) const;
  bool begin();
  bool write_rows(const RangeResult& found);
  bool write_state();
  bool update_checks(const std::vector<std::string>& tables);

  std::string path_;
  std::size_t axes_ = 0;
  const CandidateColumns* columns_ = nullptr;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Database::Statement> row_, part_;
  Checksum row_sum_, part_sum_;  ///< Checksums of the tables `candidates` and `parts`, updated with each row.
  /// Ranges written, and candidates since the last commit.
  std::uint64_t ranges_ = 0, waiting_ = 0;
  bool complete_ = false;
  std::string found_;  ///< Packed tally of the ranges so far: the state of a continued search.
  std::map<std::string, std::uint64_t> reasons_;
};

/// Returns the column names of axes and metrics. SQLite ignores case in names, so that a name which repeats gets `_`
/// appended.
std::vector<std::string> store_columns(const CandidateColumns& columns);

/// Binds a value: words and truths as texts, numbers in base units.
void bind(Database::Statement& statement, int at, const Value& value);

}  // namespace opledger
