#pragma once
#include <string>
#include <vector>

#include "import/family_mapping.h"
#include "import/model_names.h"
#include "import/script.h"

/// The execution that launch scripts and configs of a framework describe, and their model.
namespace opledger {

/// The keys of a mapping from which an execution is written.
struct LaunchMapping {
  FamilyMapping family;                    ///< Fields of the config, and the model; its graph is null if the config describes no model.
  CommandWords command_words;              ///< Parts of commands that start the framework.
  std::string arguments_at;                ///< Key with the arguments in a YAML document; empty if the whole document consists of arguments.
  Datum execution;                         ///< Keys of the execution, each with a formula (imported_execution.h).
  std::vector<std::string> of_model;       ///< Fields that a base model alone provides, without a base execution.
  std::vector<std::string> assumed;        ///< Keys of an execution that the framework does not decide: a config states them in comments.
  std::vector<std::string> assumed_rules;  ///< Rules of an execution that the framework does not decide: a config states them in a comment.
  /// Condition under which the framework loads weights as the model is published: the execution lists the model's
  /// published rules. Null: never.
  Datum loads_published;
  Datum included_files;    ///< Places of names of files, each with the place at which the file's content goes; null: the root.
  ModelNames model_names;  ///< Names of models in configs.
  Datum approximated;      ///< Keys that a config states in comments if the framework lacks the value. Each has the warning about the value used instead.
  std::vector<Datum> run_remarks;  ///< Warnings about the imported run: `{when: CONDITION, message: TEXT}`. Conditions see the run's accounting and its model.
};

/// Reads the family part and the keys of the execution.
LaunchMapping read_launch_mapping(const Mapping& mapping);

}  // namespace opledger
