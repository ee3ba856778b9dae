#pragma once
#include <memory>
#include <string>
#include <vector>

#include "compare/compared.h"
#include "compare/translated_run.h"

/// One run under several accountings: the values that each accounting gives to the metrics of the run's own
/// accounting.
namespace opledger {

/// A translated input of an accounting.
struct ComparedInput {
  std::string name;  ///< Name of the input.
  Value value;       ///< Value in the translated run.
  Span at;           ///< Position of the translating formula.
};

/// The run under one other accounting.
struct ComparedAccounting {
  std::unique_ptr<TranslatedRun> translated;  ///< The translated run; never null.
  std::vector<ComparedInput> inputs;          ///< Inputs that were translated from the run.
  std::vector<Violation> violations;          ///< Violated constraints; the run is infeasible under the accounting if any.
};

/// A metric that an accounting defines but that can't be compared.
struct IncomparableMetric {
  /// Names of the metric and of the accounting, and the reason.
  std::string name, accounting, why;
};

/// The result of a comparison.
struct RunComparison {
  std::vector<ComparedAccounting> accountings;           ///< Accountings to which the run could be translated.
  std::vector<std::unique_ptr<TranslatedRun>> left_out;  ///< Translations that fail or can't compute a declared metric; `why` has the reason, `run` is null.
  std::vector<IncomparableMetric> not_compared;          ///< Metrics without a comparable value.
  /// Metrics with a number in the run and in at least one accounting. The values are those of the run, then of each
  /// accounting in the order of `accountings`. The quantities follow the run's report `eval`, then its other metrics.
  std::vector<ComparedQuantity> quantities;
};

/// Translates the run to each of the named accountings and compares the metrics. Texts of values belong to `run` and
/// to the runs in the result.
RunComparison compare_accountings(Run& run, const std::vector<std::string>& accountings, Library& library);

}  // namespace opledger
