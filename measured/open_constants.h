#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measured/measured_table.h"

/// Selection of the constants to fit. A value that a document states once and repeats by an alias is one constant.
namespace opledger {

/// The range of a constant between optional bounds, with a scale without bounds on which the constant is fitted. The
/// scale is the logarithm of the distance to one bound, the logit between two bounds, and a multiple of the start
/// without bounds.
class Range {
 public:
  /// `least` and `most` are the bounds in base units, if any; `start` is the value from which fitting starts.
  Range(std::optional<double> least, std::optional<double> most, double start);
  double scaled(double value) const;  ///< Returns the scaled value; a value at, beyond or very near a bound is moved inside first.
  double value(double scaled) const;  ///< Returns the value of a scaled one.
  double slope(double scaled) const;  ///< Derivative of the value by `scaled`.

 private:
  std::optional<double> least_, most_;
  double size_;
};

/// A constant to fit, with its range and its place in the document.
struct OpenConstant {
  std::vector<std::string> paths;                               ///< Paths such as `system.memory.bandwidth`; several if aliases share the value.
  std::optional<Span> stated;                                   ///< Position in the document; empty if the document does not state it.
  Unit unit;                                                    ///< Unit of the constant's type, in which the constant is written.
  std::string unit_text;                                        ///< Text of the unit.
  double before = 0, start = 0;                                 ///< Value of the document or its default, and start of fitting; base units.
  Range range;                                                  ///< Bounds, and the scale of fitting.
  std::vector<std::pair<std::string, std::string>> companions;  ///< Fields of the same record, with values to write after fitting.
  std::string error_field;                                      ///< Field that receives the median error; empty for none.

  const std::string& name() const { return paths.front(); }                   ///< Returns the first path.
  std::string record() const { return name().substr(0, name().rfind('.')); }  ///< Path of the record with the constant.
};

/// Selects the constants of a system to fit and appends them to `out`, each once. Without `patterns`, they are the
/// numbers that the documents of the tables list under `fits`. A constant needs a value of the system inside its
/// bounds, or a start value in the document. Selected fields are opened in the tables. Returns false and reports
/// errors if a pattern matches nothing, or if a full path has no value to start from.
bool open_constants(const std::vector<std::unique_ptr<MeasuredTable>>& tables, const std::vector<std::string>& patterns, std::vector<OpenConstant>& out,
                    Library& library, Diagnostics& diagnostics);

/// Returns the numbers of a stack to fit, in the stack's order. Without `patterns`, they are the numbers that
/// `documents` list under `fits`. Only plain numbers that are inputs of some run count. Reports patterns that match
/// nothing.
std::vector<OpenConstant> open_inputs(const Document& stack, const std::vector<const LinkedRun*>& runs, const std::vector<const Document*>& documents,
                                      const std::vector<std::string>& patterns, Diagnostics& diagnostics);

}  // namespace opledger
