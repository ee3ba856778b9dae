#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "python/values.h"
#include "search/sweep/columns.h"

namespace opledger::python {

/// The feasible candidates of a search as columns, filled during the search. Words are stored as indices of texts, and
/// a constant axis as a single number.
class FoundColumns {
 public:
  /// A column with its title and unit.
  struct Named {
    std::string title, unit;
    Column column;
  };

  /// Returns the callbacks for a search, which keep a pointer to this object.
  CandidateSink sink();
  /// Returns the columns, axes in the order of the space before metrics, and leaves none.
  std::vector<Named> take() { return std::move(columns_); }

 private:
  bool begin(const CandidateColumns& columns);
  bool write(const CandidateRows& rows);
  void add_axis(std::size_t axis, const CandidateRows& rows);
  void add_metric(std::size_t metric, const CandidateRows& rows);
  std::int32_t code(std::size_t axis, double value, const double* values);

  const CandidateColumns* source_ = nullptr;  ///< Source of titles and texts; null before the search begins.
  std::vector<Named> columns_;
  std::vector<std::map<double, std::int32_t>> codes_;  ///< Index of each word's text by its value, for each axis of words.
  bool begun_ = false;                                 ///< True once the first candidate has determined the kinds of the columns.
};

}  // namespace opledger::python
