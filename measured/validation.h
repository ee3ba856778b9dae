#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "run/run.h"

/// Published numbers beside what accountings compute: a document of kind `validation`, evaluated.
namespace opledger {

struct ValidationRow {
  std::string run;                            ///< The names of its parts: `22B full`.
  double published = 0;                       ///< In base units.
  std::vector<std::optional<double>> values;  ///< By accounting; empty: that one has no formula here.
  Span span;
};

/// Shares of the published numbers by which an accounting misses them, and what is expected of it. `signed_mean`: too much and too little add up to nothing; the others
/// are of absolute errors. `near`: share of the rows that are missed by 10 % at most.
struct ValidationErrors {
  std::size_t rows = 0;
  std::optional<double> signed_mean, mean, median, worst, near, mean_limit, worst_limit;
};

struct ValidationTable {
  std::string name, title;
  std::string unit_text;
  Unit unit;
  std::vector<ValidationRow> rows;
  std::vector<ValidationErrors> errors;  ///< By accounting.
};

struct Validation {
  std::string name;
  std::vector<std::string> accountings;
  std::vector<ValidationTable> tables;
};

/// `request`: accounting (empty: those that the document names) and overrides of every run. Empty, with errors, if something can't be computed. A run that an
/// accounting takes for impossible is a warning.
std::optional<Validation> evaluate_validation(const Document& document, const RunRequest& request, Library& library, Diagnostics& diagnostics);

/// A published number, and the run that it is of: not yet computed.
struct ValidationCase {
  std::string table, run;
  RunRequest request;
  std::string formula;   ///< What is computed of the run.
  double published = 0;  ///< In base units.
  Dimension unit;
  bool left_out = false;  ///< The table says that no constant was fitted to it.
};

/// Those of all tables that are of one run each, for the first accounting that the document names. The library keeps their executions. Empty, with errors, if something is wrong.
std::optional<std::vector<ValidationCase>> validation_cases(const Document& document, const RunRequest& request, Library& library, Diagnostics& diagnostics);

/// By what share the value misses the published one.
double relative_error(double value, double published);

/// Of pairs of a computed and a published number, without limits.
ValidationErrors errors_of(const std::vector<std::pair<double, double>>& computed);

/// Errors above what is expected, a line each. They are compared as they are printed, in hundredths of a percent.
std::vector<std::string> exceeded(const Validation& validation);

}  // namespace opledger
