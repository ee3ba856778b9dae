#pragma once
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formulas/program.h"

/// Sample values of types, with which units mode evaluates formulas before a run has values. Only kinds and units matter.
namespace opledger {

class SampleValues {
 public:
  /// `program` must outlive the object; returned values point into the object.
  explicit SampleValues(const Program& program) : program_(program) {}

  /// Returns a sample of an input's type.
  Value of(const Type& type);

 private:
  Value record(Value::Kind kind, const std::vector<std::pair<std::string, const Type*>>& fields);

  const Program& program_;
  std::vector<std::unique_ptr<Record>> records_;      ///< Records and lists of returned values.
  Curve steps_;                                       ///< Sample step function.
  std::array<Curve, Curve::kMaxCoordinates> points_;  ///< Sample curves by number of coordinates minus one.
};

/// Returns a sample value of a kind and unit.
Value sample_value(const FieldType& type);

}  // namespace opledger
