#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"

/// Measured times with predictions from adjustable constants. Calibration reads rows and predicts their times only
/// through this interface, whether rows are kernels or whole runs.
namespace opledger {

/// Rows of measured times, numbered from 0.
class MeasuredTimes {
 public:
  virtual ~MeasuredTimes() = default;
  virtual const std::string& name() const = 0;        ///< Name of the document of measurements.
  virtual const std::string& file() const = 0;        ///< Source of the rows.
  virtual std::size_t count() const = 0;              ///< Number of rows.
  virtual double seconds(std::size_t row) const = 0;  ///< Measured time of a row, seconds.
  virtual bool left_out(std::size_t row) const = 0;   ///< True if the row is not used for fitting.
  /// Returns the constants that rows may depend on: the path of each constant, and its index among all constants.
  virtual const std::vector<std::pair<std::string, std::size_t>>& opened() const = 0;
  /// Predicts the time of a row in seconds. `constants` has the values of all constants in base units. Returns
  /// nothing and reports an error if the time can't be computed.
  virtual std::optional<double> predict(std::size_t row, const std::vector<double>& constants, Diagnostics& diagnostics) = 0;
};

}  // namespace opledger
