#pragma once
#include <memory>
#include <string>
#include <vector>

#include "questions/restated.h"

/// One run in several accountings: what each says of the quantities that the run's own accounting publishes.
namespace opledger {

/// By how much two conventions may differ before a reason is asked for.
inline constexpr double kNotable = 0.01;

/// One accounting's number for a quantity of the run, and why it is another one.
struct ComparedValue {
  Value value;      ///< Nothing: it does not say.
  std::string why;  ///< As the accounting has it; empty: it gives no reason.
  Span at;          ///< Of its formula.
};

struct ComparedQuantity {
  std::string name, unit;             ///< The metric, and its declared unit.
  Value own;                          ///< The run's own value.
  std::vector<ComparedValue> others;  ///< In the order of the accountings.

  /// By how much that one is more than the run's own, as a share of it. Empty: it says nothing, or the run's own is 0.
  std::optional<double> change(std::size_t other) const;
  /// Whether the difference is worth a reason: more than `kNotable`, or from 0 to something.
  bool notable(std::size_t other) const;
};

/// An input of an accounting, as it was asked.
struct ComparedInput {
  std::string name;
  Value value;
  Span at;  ///< Of the formula that gave it.
};

struct ComparedAccounting {
  std::unique_ptr<Restated> asked;
  std::vector<ComparedInput> inputs;  ///< Those that were taken from the run.
  std::vector<Violation> violations;
};

/// A metric that an accounting speaks of, and that is left out all the same.
struct NotCompared {
  std::string name, accounting, why;
};

struct RunComparison {
  std::vector<ComparedAccounting> accountings;  ///< Those that could be asked.
  std::vector<std::unique_ptr<Restated>> left_out;
  std::vector<NotCompared> not_compared;
  std::vector<ComparedQuantity> quantities;  ///< That the run and at least one other answer, in the order of the run's report `eval`, then of its metrics.
};

/// Texts of values belong to the runs.
RunComparison compare_accountings(Run& run, const std::vector<std::string>& accountings, Library& library);

}  // namespace opledger
