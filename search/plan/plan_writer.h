#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formulas/link/linker.h"
#include "run/run.h"
#include "search/search_answer.h"
#include "search/search_request.h"

/// Texts of a plan, with values of one candidate.
namespace opledger {

/// A line of the answer.
struct PlanLine {
  /// A part of a line. Parts are joined by commas.
  struct Part {
    std::string text;
    bool has_error = false;  ///< The expected error of computed times belongs behind the text.
  };
  std::string label;
  std::vector<Part> parts;
};

/// Prepares the run of a candidate. Returns null, with errors, on failure.
std::unique_ptr<Run> run_of(const SearchRequest& request, const SearchAnswer& answer, const SearchAnswer::Candidate& candidate, Library& library,
                            Diagnostics& diagnostics);

/// Evaluates texts and formulas of a plan in the run of a candidate.
class PlanWriter {
 public:
  PlanWriter(Run& run, Diagnostics& diagnostics);

  /// Returns a text with its values; nothing, with errors, if a value is unknown.
  std::optional<std::string> text(const Datum& message);
  /// Returns the value of a formula; nothing, with errors, without a value.
  std::optional<Value> value(const Datum& formula);
  /// Returns a line; nothing, with errors, if a part has no value. Parts whose condition does not hold are left out.
  std::optional<PlanLine> line(const std::string& label, const Datum& parts);

 private:
  /// Returns the largest numbers as shares of the whole: `compute 61 %, communication 12 %`. Numbers without a value or of
  /// less than half a percent are left out.
  std::string shares(const Datum& numbers, const Datum& part);

  Run& run_;
  Linker linker_;
  Diagnostics& diagnostics_;
};

}  // namespace opledger
