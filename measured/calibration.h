#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measured/open_constants.h"

/// Constants of a system fitted to measured times of kernels and collectives, or those of a stack to measured times of whole runs.
///
/// Rows of kernels are dealt into two halves by their dimensions, of runs documents say which are left out; constants are fitted to the others, and errors are told of both. What is least is the sum of the soft L1 losses of
/// ln(computed / measured), so that single rows of another kind count little.
namespace opledger {

struct CalibrationRequest {
  std::string of;                                             ///< The system or stack.
  std::vector<std::pair<std::string, std::string>> measured;  ///< Documents of kind `measurements`, and the files of rows, or documents of kind `validation`.
  std::vector<std::string> open;                              ///< Patterns of paths in place of what the documents name.
  bool check = false;                                         ///< Nothing is fitted, only errors are told.
};

/// Of |computed / measured - 1|, nearest rank.
struct TimeErrors {
  std::size_t rows = 0;
  std::optional<double> median, ninety;  ///< The 90th percentile. Empty: there are no rows.
};

struct CalibratedTable {
  std::string name, file;
  TimeErrors fitted_before, fitted_after, left_out_before, left_out_after;
};

struct CalibratedConstant {
  OpenConstant constant;
  double after = 0;                 ///< As it is written, in base units.
  std::string written;              ///< With its unit.
  std::optional<double> deviation;  ///< Standard deviation, in base units; empty: rows do not tell it from other constants.
  TimeErrors errors;                ///< Afterwards, of the rows left out that depend on a constant of its record.
};

struct Calibration {
  const Document* document = nullptr;         ///< The system or stack, as it was.
  std::vector<CalibratedConstant> constants;  ///< Those that were fitted.
  std::vector<std::string> idle;              ///< Beside these, stated ones that no row depends on: left as they are.
  std::vector<CalibratedTable> tables;
};

/// Empty, with errors: what is named can't be read or has no such rows, there are fewer rows than constants, or a row has no computed time.
std::optional<Calibration> calibrate(const CalibrationRequest& request, Library& library, Diagnostics& diagnostics);

/// Its document with the fitted constants, what stands beside them, and a line of source. `name`: its own.
Datum calibrated_document(const Calibration& calibration, const std::string& name);

/// By nearest rank; empty: there are none.
std::optional<double> nearest_rank(std::vector<double> values, double share);

}  // namespace opledger
