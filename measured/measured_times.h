#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"

/// Measured times, and what is computed in their place from constants that may be moved.
namespace opledger {

class MeasuredTimes {
 public:
  virtual ~MeasuredTimes() = default;
  virtual const std::string& name() const = 0;
  virtual const std::string& file() const = 0;  ///< Where the rows are from.
  virtual std::size_t count() const = 0;        ///< Of rows.
  virtual double seconds(std::size_t row) const = 0;
  virtual bool left_out(std::size_t row) const = 0;  ///< Nothing is fitted to it.
  /// Constants that rows may depend on: by their paths, and which of all constants each is.
  virtual const std::vector<std::pair<std::string, std::size_t>>& opened() const = 0;
  /// Seconds, by constants in base units. Empty, with an error, if that can't be computed.
  virtual std::optional<double> predict(std::size_t row, const std::vector<double>& constants, Diagnostics& diagnostics) = 0;
};

}  // namespace opledger
