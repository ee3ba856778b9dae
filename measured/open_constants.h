#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measured/measured_table.h"

/// The constants of a system that may be fitted to tables of measurements. What a document says once and repeats by an alias is one constant.
namespace opledger {

/// What a constant may be, and a scale on which a solver moves it freely: the logarithm of what is bounded on one side, the logit between two bounds.
class Range {
 public:
  Range(std::optional<double> least, std::optional<double> most, double start);
  double scaled(double value) const;
  double value(double scaled) const;
  double slope(double scaled) const;  ///< Of the value.

 private:
  std::optional<double> least_, most_;
  double size_;
};

struct OpenConstant {
  std::vector<std::string> paths;  ///< `system.memory.bandwidth`; more than one: of aliases.
  std::optional<Span> stated;      ///< Where the document states it; empty: it doesn't.
  Unit unit;                       ///< That of the type, in which it is written.
  std::string unit_text;
  double before = 0, start = 0;  ///< In base units: the document's value, or the default; and where fitting begins.
  Range range;
  std::vector<std::pair<std::string, std::string>> beside;  ///< Fields of the same record, and what they say once it is fitted.
  std::string error_field;                                  ///< The one that gets the median error; empty: none.

  const std::string& name() const { return paths.front(); }
  std::string record() const { return name().substr(0, name().rfind('.')); }  ///< That it is a field of.
};

/// For each table, the constants that it opens: `fits` of its document, by patterns of paths, or those that `patterns` names in their place; of them those that the system states,
/// or for which the document has a value to start from. Tables are told which fields they open. False, with errors, if a pattern finds nothing, or a path that is named in full has
/// no value to start from.
bool open_constants(const std::vector<std::unique_ptr<MeasuredTable>>& tables, const std::vector<std::string>& patterns, std::vector<OpenConstant>& out,
                    Library& library, Diagnostics& diagnostics);

/// Numbers of a stack that may be fitted: those that `documents` name under `fits`, or `patterns` in their place, and that the stack states as plain numbers of inputs of
/// the run. Errors if a pattern finds none.
std::vector<OpenConstant> open_inputs(const Document& stack, const std::vector<const Linked*>& runs, const std::vector<const Document*>& documents,
                                      const std::vector<std::string>& patterns, Diagnostics& diagnostics);

}  // namespace opledger
