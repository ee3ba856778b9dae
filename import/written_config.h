#pragma once
#include <optional>
#include <string>
#include <vector>

#include "import/export_mapping.h"
#include "import/launch_mapping.h"
#include "run/run.h"

/// Writes a run as a config of a framework, by the formulas `writes` of a mapping. They see the run's accounting, the model's parameters, and `rules.NAME`,
/// whether the execution lists a rule.
namespace opledger {

struct WrittenField {
  const MappedField* field = nullptr;
  Datum value;
  std::string from;  ///< Keys of the execution, parameters of the model and rules that it comes from.
};

struct WrittenConfig {
  std::vector<std::string> rules;    ///< Of the execution, which say how the framework's kernels are: its own stack has them, the run's has not.
  std::vector<WrittenField> fields;  ///< In the mapping's order.
  std::vector<Datum::Entry>
      noted;  ///< Keys of the execution that stand in comments: the stack that it is counted with, where it is another one than the mapping's.
};

/// Empty, with errors: the execution lists a rule that the mapping has no words for, or a formula is wrong.
std::optional<WrittenConfig> write_config(const LaunchMapping& launch, const ExportMapping& exported, Run& run, Diagnostics& diagnostics);

}  // namespace opledger
