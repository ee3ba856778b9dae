#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "run/run.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/support/shipped.h"

/// Whole runs of the shipped library in tests.
namespace opledger {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Writes an execution to a file: `mesh` as YAML, rules as a list, all other fields verbatim.
inline std::string execution(const std::string& mesh, const std::string& rules, const std::string& rest = "batch_size: 1\nmicrobatch_size: 1\n") {
  static TemporaryFolder folder;
  static int count = 0;
  if (count % 30 == 29) libraries().push_back(Library({source_folder()}));  // a library limits the number of documents
  return folder.write("execution" + std::to_string(count++) + ".yaml", "kind: execution\nmesh: " + mesh + "\nrules: [" + rules + "]\n" + rest).string();
}

/// The rest of an execution, for many tests.
inline const std::string kBatchOf16 = "batch_size: 16\nmicrobatch_size: 1\n";

/// Receives the messages of all runs. Its address never changes, because runs refer to it.
inline Diagnostics& said() {
  static Diagnostics diagnostics;
  return diagnostics;
}

inline std::unique_ptr<Run> prepare(const std::string& model, const std::string& execution = "single", const std::string& system = "",
                                    const Settings& settings = {}) {
  said() = {};
  RunRequest request;
  request.model = model;
  request.execution = execution;
  request.system = system;
  request.overrides = settings;
  auto run = Run::prepare(request, shipped(), said());
  REQUIRE_MESSAGE(run, model, " ", execution, "\n", render(said()));
  return run;
}

/// Returns the settings, with fp16 in place of bf16 on a shipped system that states no bf16.
inline Settings in_precision_of(const std::string& system, Settings settings = {}) {
  std::ifstream file(source_folder() + "/systems/" + system + ".yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.find("bf16:") == std::string::npos) settings.insert(settings.end(), {{"compute", "fp16"}, {"parameters", "fp16"}});
  return settings;
}

inline double value(Run& run, const std::string& name) {
  const auto v = run.value(name, said());
  REQUIRE_MESSAGE(v, name, "\n", render(said()));
  return v->scalar.value;
}

/// Training runs that the library ships, each on the system that its name says.
inline void for_shipped(const std::function<void(Run&)>& test) {
  int runs = 0;
  for (const std::string& name : trained_executions()) {
    const auto [model, system] = model_and_system(name);
    CAPTURE(name);
    const auto run = prepare(model, name, system);
    test(*run);
    ++runs;
  }
  CHECK(runs >= 11);
}

/// Returns whether two numbers agree to a share of the second.
inline bool near(double found, double expected, double share) { return std::abs(found - expected) <= share * std::abs(expected); }

}  // namespace opledger
