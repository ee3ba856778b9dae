#pragma once
#include <memory>
#include <string>
#include <vector>

#include "compare/compared.h"
#include "compare/restated.h"

/// One run in several accountings: what each says of the quantities that the run's own accounting publishes.
namespace opledger {

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
  std::vector<Compared>
      quantities;  ///< By run and accounting; that the run and at least one other answer, in the order of the run's report `eval`, then of its metrics.
};

/// Texts of values belong to the runs.
RunComparison compare_accountings(Run& run, const std::vector<std::string>& accountings, Library& library);

}  // namespace opledger
