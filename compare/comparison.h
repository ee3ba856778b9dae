#pragma once
#include <memory>
#include <string>
#include <vector>

#include "compare/compared.h"
#include "compare/translated_run.h"

/// One run under several accountings: each one's values of the quantities that the run's own accounting publishes.
namespace opledger {

/// A translated input of an accounting.
struct ComparedInput {
  std::string name;
  Value value;
  Span at;  ///< Position of the formula that gave the value.
};

/// The run under one other accounting.
struct ComparedAccounting {
  std::unique_ptr<TranslatedRun> translated;
  std::vector<ComparedInput> inputs;  ///< Inputs that were translated from the run.
  std::vector<Violation> violations;
};

/// A metric that an accounting defines but that can't be compared.
struct IncomparableMetric {
  std::string name, accounting, why;
};

/// The result of a comparison.
struct RunComparison {
  std::vector<ComparedAccounting> accountings;  ///< Accountings to which the run could be translated.
  std::vector<std::unique_ptr<TranslatedRun>> left_out;
  std::vector<IncomparableMetric> not_compared;
  /// Quantities by run and accounting with a value in the run and in at least one accounting. The order follows the run's
  /// report `eval`, then its metrics.
  std::vector<ComparedQuantity> quantities;
};

/// Translates the run to each accounting and compares the metrics. Texts of values belong to the runs in the result.
RunComparison compare_accountings(Run& run, const std::vector<std::string>& accountings, Library& library);

}  // namespace opledger
