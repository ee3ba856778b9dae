#pragma once
#include <string>
#include <vector>

#include "import/family_mapping.h"

/// The execution that launch scripts and configs of a framework describe, and their model.
namespace opledger {

struct LaunchMapping {
  FamilyMapping family;
  std::string arguments_at;           ///< The key under which a YAML document has its arguments; empty if they are all of the document.
  Datum execution;                    ///< Keys of the execution, and formulas (made_execution.h).
  std::vector<std::string> of_model;  ///< Fields that a base model gives where no base execution is named.
  std::vector<std::string> assumed;   ///< Keys of an execution that the framework does not decide: a config has them in comments.
  Datum stretched;  ///< Keys that a config has in comments if the framework lacks the value, and the warning about the value that is taken instead.
};

LaunchMapping read_launch_mapping(const Mapping& mapping);

}  // namespace opledger
