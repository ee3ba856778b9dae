#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "python/values.h"
#include "search/sweep/columns.h"

namespace opledger::python {

/// All feasible candidates of a search, column by column, as they are found. Words are positions of texts, and an axis that has one value takes no room.
class FoundColumns {
 public:
  struct Named {
    std::string title, unit;
    Column column;
  };

  CandidateSink sink();
  /// Axes in the order of the space, then metrics.
  std::vector<Named> take() { return std::move(columns_); }

 private:
  bool begin(const CandidateColumns& columns);
  bool write(const FoundRows& rows);
  void add_axis(std::size_t axis, const FoundRows& rows);
  void add_metric(std::size_t metric, const FoundRows& rows);
  std::int32_t code(std::size_t axis, double value, const double* values);

  const CandidateColumns* told_ = nullptr;
  std::vector<Named> columns_;
  std::vector<std::map<double, std::int32_t>> codes_;  ///< By axis of words: of a value the position of its text.
  bool begun_ = false;                                 ///< Whether columns have their kinds: the first candidate tells.
};

}  // namespace opledger::python
