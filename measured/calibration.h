#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measured/open_constants.h"

/// Calibration: constants of a system fitted to measured times of kernels and collectives, or constants of a stack
/// fitted to measured times of whole runs.
///
/// Constants are fitted to one half of the rows, and errors are reported for both halves. Rows of kernels are split by
/// their inputs; documents declare which runs are left out. The objective is the sum of soft L1 losses of ln(computed /
/// measured), so that outliers have little weight.
namespace opledger {

/// A calibration of one document.
struct CalibrationRequest {
  std::string of;  ///< Name of the system or stack to calibrate.
  /// Documents of kind `measurements`, each with a file of rows or a document of kind `validation`.
  std::vector<std::pair<std::string, std::string>> measured;
  std::vector<std::string> open;  ///< Patterns of paths that replace the constants named by the documents.
  bool check = false;             ///< True to report errors without fitting.
};

/// Statistics of |computed / measured - 1|, by nearest rank.
struct TimeErrors {
  std::size_t rows = 0;                  ///< Number of rows.
  std::optional<double> median, ninety;  ///< Median and 90th percentile, as a share of 1; empty without rows.
};

/// Errors of one table before and after fitting.
struct CalibratedTable {
  std::string name, file;                                                   ///< Document of measurements, and source of its rows.
  TimeErrors fitted_before, fitted_after, left_out_before, left_out_after;  ///< Errors over fitted and over left-out rows.
};

/// A fitted constant.
struct CalibratedConstant {
  OpenConstant constant;            ///< The constant with its value before.
  double after = 0;                 ///< Fitted value, rounded as written, in base units.
  std::string written;              ///< Text with its unit.
  std::optional<double> deviation;  ///< Standard deviation in base units; empty if the rows do not determine the constant.
  TimeErrors errors;                ///< Errors after fitting, over left-out rows that depend on a constant of the same record.
};

/// The result of a calibration.
struct Calibration {
  const Document* document = nullptr;         ///< The original system or stack.
  std::vector<CalibratedConstant> constants;  ///< Fitted constants; empty after a check, or if no fit is better than the document.
  std::vector<std::string> idle;              ///< Unchanged constants that the document states in records of fitted constants; no fitted row depends on them.
  std::vector<CalibratedTable> tables;        ///< Errors of each table, in the order of the request.
};

/// Fits constants, or with `check` only computes errors. Returns nothing and reports errors if a document or its rows
/// can't be read, or if a row has no computed time. A fit also fails if no row depends on a constant, or if rows are
/// fewer than constants.
std::optional<Calibration> calibrate(const CalibrationRequest& request, Library& library, Diagnostics& diagnostics);

/// Returns the document with the fitted constants, their accompanying fields and a `source` text. `name` is the new
/// name.
Datum calibrated_document(const Calibration& calibration, const std::string& name);

/// Returns the smallest value such that at least `share` (0 to 1) of the values are no larger; nothing without
/// values.
std::optional<double> nearest_rank(std::vector<double> values, double share);

}  // namespace opledger
