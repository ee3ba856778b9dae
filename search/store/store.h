#pragma once
#include <memory>
#include <string>
#include <vector>

#include "search/store/soundness.h"
#include "search/sweep/columns.h"
#include "search/sweep/tally.h"

/// What a search finds, in a SQLite file: every feasible candidate, counts, and what is needed to continue behind the last stretch that is written down.
/// docs/search.md describes the tables. A transaction holds whole stretches, so that a search that is killed loses what came after the last one, and no more.
namespace opledger {

class Store {
 public:
  struct Description {
    std::string path, identity;
    std::vector<std::pair<std::string, std::string>> facts;  ///< For people: the names of documents, what is set.
    std::string objective;
    bool maximise = true;
    bool resume = false;  ///< What is there is continued. Otherwise nothing may be there.
  };

  /// `before`: nothing found yet; what was found earlier then. False, with an error, if it can't be written or holds another search.
  bool open(const Description& description, Space& space, const CandidateColumns& columns, Tally& before, Diagnostics& diagnostics);

  std::uint64_t stretches() const { return stretches_; }  ///< That are written down.
  bool complete() const { return complete_; }

  bool add(const StretchFound& found, Diagnostics& diagnostics);
  bool finish(bool complete, Diagnostics& diagnostics);

 private:
  bool fail(Diagnostics& diagnostics);
  bool create(const Description& description, Space& space, Diagnostics& diagnostics);
  bool create_tables(const Description& description);
  bool write_cells(Space& space, Diagnostics& diagnostics);
  bool read(const Description& description, Tally& before, Diagnostics& diagnostics);
  bool refuse(const std::string& why, Diagnostics& diagnostics) const;
  bool begin();
  bool write_rows(const StretchFound& found);
  bool write_state();
  bool note_checks(const std::vector<std::string>& tables);

  std::string path_;
  std::size_t axes_ = 0;
  const CandidateColumns* columns_ = nullptr;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Database::Statement> row_, part_;
  Checksum row_sum_, part_sum_;                ///< Of all that the tables have.
  std::uint64_t stretches_ = 0, waiting_ = 0;  ///< Rows of this transaction.
  bool complete_ = false;
  std::string found_;  ///< In all stretches so far.
  std::map<std::string, std::uint64_t> reasons_;
};

/// Names of columns: those of axes and metrics; SQLite knows no upper and lower case, so that some get a line at their end.
std::vector<std::string> store_columns(const CandidateColumns& columns);

/// Binds a value: words and truths as texts, numbers in base units.
void bind(Database::Statement& statement, int at, const Value& value);

}  // namespace opledger
