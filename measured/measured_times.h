#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"

/// Measured times with predictions from adjustable constants.
namespace opledger {

/// The interface that calibration uses. Rows are numbered from 0.
class MeasuredTimes {
 public:
  virtual ~MeasuredTimes() = default;
  virtual const std::string& name() const = 0;
  virtual const std::string& file() const = 0;  ///< Source of the rows.
  virtual std::size_t count() const = 0;        ///< Number of rows.
  virtual double seconds(std::size_t row) const = 0;
  virtual bool left_out(std::size_t row) const = 0;  ///< True if the row is not used for fitting.
  /// Returns the constants that rows may depend on: path and index among all constants.
  virtual const std::vector<std::pair<std::string, std::size_t>>& opened() const = 0;
  /// Predicts a time in seconds from constants in base units. Empty, with an error, if it can't be computed.
  virtual std::optional<double> predict(std::size_t row, const std::vector<double>& constants, Diagnostics& diagnostics) = 0;
};

}  // namespace opledger
