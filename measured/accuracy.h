#pragma once
#include <optional>
#include <string>
#include <vector>

#include "measured/validation.h"

/// Measured accuracy of computed times: errors of runs to which no constant was fitted, by stack, machine and kind of
/// run. The document `measured/accuracy.yaml` stores them.
namespace opledger {

/// Errors of one group of measured runs.
struct Accuracy {
  std::string stack, system, kind;  ///< Names of the stack and the machine; kind of the run, by the accounting.
  std::size_t rows = 0;             ///< Number of measured runs.
  double median = 0, worst = 0;     ///< Median and largest absolute error, as shares of the measured time.
};

/// Fewest runs of a group whose error is stated.
inline constexpr std::size_t kFewestRows = 5;

/// Returns the errors of all validations by group, sorted by stack, machine and kind. Only tables of times that declare
/// `left_out` count, of accountings that name the kind of a run (role `kind` of the command `validation`). Returns
/// nothing, with errors, if a run can't be prepared.
std::optional<std::vector<Accuracy>> measured_accuracy(const std::vector<const Document*>& validations, Library& library, Diagnostics& diagnostics);

/// Returns the text of a document of kind `accuracy`.
std::string accuracy_document(const std::vector<Accuracy>& groups);

/// Returns the expected error of a run for people, from the library's document `accuracy`: the median
/// error of its group, or that no error of this kind was measured. Groups with fewer than kFewestRows runs count as not measured.
std::string expected_error(const std::string& stack, const std::string& system, const std::string& kind, Library& library, Diagnostics& diagnostics);

}  // namespace opledger
