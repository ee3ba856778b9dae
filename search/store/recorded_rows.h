#pragma once
#include <functional>
#include <memory>

#include "search/store/recorded.h"

namespace opledger {

/// The candidates of a file, one after the other, as often as they are asked for.
class RecordedRows {
 public:
  virtual ~RecordedRows() = default;
  /// Axes, metrics, objective, facts. False, with errors.
  virtual bool describe(const RecordedRequest& request, Recorded& out, Diagnostics& diagnostics) = 0;
  using Row = std::function<void(const std::vector<RecordedCell>& cells)>;
  virtual bool visit(const Row& row, Diagnostics& diagnostics) = 0;
};

/// Null, with errors: it can't be opened, or is damaged.
std::unique_ptr<RecordedRows> open_recorded(const std::string& path, Diagnostics& diagnostics);

}  // namespace opledger
