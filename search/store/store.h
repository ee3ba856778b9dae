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
    std::string path, identity;                              ///< Path of the file; digest of the search (search/identity.h).
    std::vector<std::pair<std::string, std::string>> facts;  ///< Metadata for readers: names of documents, settings.
    std::string objective;                                   ///< Name of the metric that the search optimizes.
    bool maximize = true;                                    ///< True if the largest objective is the best.
    bool resume = false;                                     ///< True: continue the store if the file has one; otherwise the file must not exist or be empty.
  };

  /// Creates or continues a store. `columns` must outlive the store. `before` must be an empty tally; `open` fills in
  /// the results of the ranges written before. Returns false, with an error, if the file can't be written or has a
  /// different search.
  bool open(const Description& description, Space& space, const CandidateColumns& columns, Tally& before, Diagnostics& diagnostics);

  std::uint64_t ranges() const { return ranges_; }  ///< Number of ranges written.
  /// Returns whether the stored search has reached its end.
  bool complete() const { return complete_; }

  /// Writes the candidates of the next range, and commits once at least 65,536 candidates were evaluated since the last
  /// commit. Returns false, with an error, on failure.
  bool add(const RangeResult& found, Diagnostics& diagnostics);
  /// Commits the last ranges; `complete` marks the search as finished. Returns false, with an error, on failure.
  bool finish(bool complete, Diagnostics& diagnostics);

 private:
  /// Reports the last failure of the database. Always returns false.
  bool fail(Diagnostics& diagnostics);
  /// Fills a new file in a transaction of its own (`create_tables`, `write_cells`), then begins the next transaction.
  bool create(const Description& description, Space& space, Diagnostics& diagnostics);
  /// Creates all tables, and writes the facts and the descriptions of columns. Returns false on failure.
  bool create_tables(const Description& description);
  /// Writes the pairs of values that two axes take together. Returns false on failure.
  bool write_cells(Space& space, Diagnostics& diagnostics);
  /// Restores the state of an existing file.
  bool read(const Description& description, Tally& before, Diagnostics& diagnostics);
  /// Reports the file's path and `why`. Always returns false.
  bool refuse(const std::string& why, Diagnostics& diagnostics) const;
  /// Begins a transaction for writing.
  bool begin();
  /// Inserts the feasible candidates of a range. Returns false on failure.
  bool write_rows(const RangeResult& found);
  /// Writes the state of a continued search and the checksums that changed, before a commit.
  bool write_state();
  /// Computes and writes the checksums of tables. Returns false on failure.
  bool update_checks(const std::vector<std::string>& tables);

  std::string path_;
  std::size_t axes_ = 0;  ///< Number of axes with several values.
  const CandidateColumns* columns_ = nullptr;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Database::Statement> row_, part_;  ///< Insertions into `candidates` and `parts`.
  Checksum row_sum_, part_sum_;                      ///< Checksums of the tables `candidates` and `parts`, updated with each row.
  /// Ranges written, and candidates since the last commit.
  std::uint64_t ranges_ = 0, waiting_ = 0;
  bool complete_ = false;
  std::string found_;                             ///< Packed tally of the ranges so far; empty until a range is added.
  std::map<std::string, std::uint64_t> reasons_;  ///< Number of refused candidates for each reason.
};

/// Returns the names of the columns of axes, then of metrics, in table `candidates`. SQLite ignores case in names, and
/// `part` is taken; a name that repeats gets `_` appended.
std::vector<std::string> store_columns(const CandidateColumns& columns);

/// Binds a value to the parameter `at` of a statement: words and truths as texts, numbers in base units, null without a
/// value.
void bind(Database::Statement& statement, int at, const Value& value);

}  // namespace opledger
