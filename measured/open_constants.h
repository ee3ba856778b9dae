#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measured/measured_table.h"

/// Selection of the constants to fit. A value that a document states once and repeats by an alias is one constant.
namespace opledger {

/// The range of a constant, with a transformation to an unbounded scale: the logarithm for one bound, the logit for two
/// bounds.
class Range {
 public:
  Range(std::optional<double> least, std::optional<double> most, double start);
  double scaled(double value) const;
  double value(double scaled) const;
  double slope(double scaled) const;  ///< Derivative of the value by `scaled`.

 private:
  std::optional<double> least_, most_;
  double size_;
};

/// A constant to fit, with its range and its place in the document.
struct OpenConstant {
  std::vector<std::string> paths;  ///< Paths such as `system.memory.bandwidth`; several if aliases share the value.
  std::optional<Span> stated;      ///< Position in the document; empty if the document does not state it.
  Unit unit;                       ///< Unit of the type, in which it is written.
  std::string unit_text;
  double before = 0, start = 0;  ///< Value of the document or default, and start of fitting; base units.
  Range range;
  std::vector<std::pair<std::string, std::string>> companions;  ///< Fields of the same record, with values to write after fitting.
  std::string error_field;                                      ///< Field that receives the median error; empty for none.

  const std::string& name() const { return paths.front(); }
  std::string record() const { return name().substr(0, name().rfind('.')); }  ///< Path of the record with the constant.
};

/// Selects the constants of each table: `fits` of its document, or `patterns` in its place. A constant needs a value in
/// the system or a start value in the document. Selected fields are opened in the tables. Returns false, with errors,
/// if a pattern matches nothing, or a full path has no value to start from.
bool open_constants(const std::vector<std::unique_ptr<MeasuredTable>>& tables, const std::vector<std::string>& patterns, std::vector<OpenConstant>& out,
                    Library& library, Diagnostics& diagnostics);

/// Selects numbers of a stack by `fits` of `documents`, or by `patterns` in its place. A number must be a plain number
/// for an input of a run. Reports patterns that match nothing.
std::vector<OpenConstant> open_inputs(const Document& stack, const std::vector<const LinkedRun*>& runs, const std::vector<const Document*>& documents,
                                      const std::vector<std::string>& patterns, Diagnostics& diagnostics);

}  // namespace opledger
