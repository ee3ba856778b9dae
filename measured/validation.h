#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "run/run.h"

/// Published numbers and the values that accountings compute for them, from a document of kind `validation`.
namespace opledger {

/// A published number with computed values.
struct ValidationRow {
  std::string run;                            ///< Names of the parts of the run: `22B full`.
  double published = 0;                       ///< Published number in base units.
  std::vector<std::optional<double>> values;  ///< Values by accounting; an entry is empty if the accounting has no formula for the table.
  Span span;                                  ///< Place of the number in the document.
};

/// Relative errors against the published numbers, as shares of 1, with their limits. In `signed_mean`, positive and
/// negative errors cancel; the other statistics are of absolute errors. `near` is the share of rows with an error of
/// at most 10 %. Statistics are empty without rows, limits if the document states none.
struct ValidationErrors {
  std::size_t rows = 0;  ///< Number of rows with a value.
  std::optional<double> signed_mean, mean, median, worst, near, mean_limit, worst_limit;
};

/// A table of published numbers.
struct ValidationTable {
  std::string name, title;               ///< Key of the table in the document, and its title.
  std::string unit_text;                 ///< Unit as the document states it.
  Unit unit;                             ///< Unit of plain numbers in the table.
  std::vector<ValidationRow> rows;       ///< Published numbers in the document's order.
  std::vector<ValidationErrors> errors;  ///< Errors by accounting, in the order of Validation::accountings.
};

/// The result of a validation.
struct Validation {
  std::string name;                      ///< Name of the document.
  std::vector<std::string> accountings;  ///< Names of the validated accountings.
  std::vector<ValidationTable> tables;   ///< Tables in the document's order.
};

/// Evaluates a document. `request` supplies overrides for every run, and the accounting; without it, those that the
/// document names are validated, else that of the default execution. Returns nothing and reports errors if a value
/// can't be computed; an infeasible run is a warning.
std::optional<Validation> evaluate_validation(const Document& document, const RunRequest& request, Library& library, Diagnostics& diagnostics);

/// A published number with its run, before computation.
struct ValidationCase {
  std::string table, run;  ///< Key of the table, and names of the parts of the run.
  RunRequest request;      ///< The run.
  std::string formula;     ///< Formula to compute for the run.
  double published = 0;    ///< Published number in base units.
  Dimension unit;          ///< Dimension of the number.
  bool left_out = false;   ///< True if the table declares that constants were not fitted to it.
};

/// Returns the published numbers for the first accounting that `evaluate_validation` would validate. Tables of ratios
/// (`relative_to`) and tables without a formula for this accounting are left out. Executions are stored in the library.
/// Empty, with errors, if the document is malformed.
std::optional<std::vector<ValidationCase>> validation_cases(const Document& document, const RunRequest& request, Library& library, Diagnostics& diagnostics);

/// Returns the value of a formula in a run; nothing, with errors, if it has none.
std::optional<Value> value_of(const std::string& formula, Run& run, Diagnostics& diagnostics);

/// Returns |value - published| / |published|, a share of 1; `published` must not be 0.
double relative_error(double value, double published);

/// Returns error statistics for pairs of a computed and a published number, without limits.
ValidationErrors errors_of(const std::vector<std::pair<double, double>>& computed);

/// Returns a message for each mean or worst error above its limit. Errors are compared as printed, in hundredths of a
/// percent.
std::vector<std::string> exceeded(const Validation& validation);

}  // namespace opledger
