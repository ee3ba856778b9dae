#pragma once
#include <functional>
#include <memory>

#include "search/store/recorded_search.h"

namespace opledger {

/// The candidates of a file, readable any number of times.
class RecordedRows {
 public:
  virtual ~RecordedRows() = default;
  /// Fills in axes, metrics, objective with its direction, and facts. Must be called before `visit`. Returns false,
  /// with errors, on failure.
  virtual bool describe(const RecordedRequest& request, RecordedSearch& out, Diagnostics& diagnostics) = 0;
  /// A callback for one candidate; `cells` has axes, then metrics.
  using Row = std::function<void(const std::vector<RecordedCell>& cells)>;
  /// Calls `row` for every candidate, in the order of the file. Returns false, with errors, on failure.
  virtual bool visit(const Row& row, Diagnostics& diagnostics) = 0;
};

/// Opens a store or a CSV file. Returns null, with errors, if the file can't be opened or is damaged.
std::unique_ptr<RecordedRows> open_recorded(const std::string& path, Diagnostics& diagnostics);

}  // namespace opledger
