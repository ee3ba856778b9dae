#pragma once
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "run/run.h"
#include "tests/schemas/temporary_folder.h"

/// Whole runs of the shipped library in tests.
namespace opledger {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// The library that is shipped, each document read once for all tests.
inline Library& shipped() {
  static Library library({OPLEDGER_SOURCE_DIR});
  return library;
}

/// An execution, written to a file: `mesh` as YAML, rules as a list, everything else as it stands.
inline std::string execution(const std::string& mesh, const std::string& rules, const std::string& rest = "batch_size: 1\nmicrobatch_size: 1\n") {
  static TemporaryFolder folder;
  static int count = 0;
  return folder.write("execution" + std::to_string(count++) + ".yaml", "kind: execution\nmesh: " + mesh + "\nrules: [" + rules + "]\n" + rest).string();
}

inline std::unique_ptr<Run> prepare(const std::string& model, const std::string& execution = "single", const std::string& system = "", const Settings& settings = {}) {
  Diagnostics diagnostics;
  RunRequest request;
  request.model = model;
  request.execution = execution;
  request.system = system;
  request.overrides = settings;
  auto run = Run::prepare(request, shipped(), diagnostics);
  REQUIRE_MESSAGE(run, model, " ", execution, "\n", render(diagnostics));
  return run;
}

inline double value(Run& run, const std::string& name) {
  Diagnostics diagnostics;
  const auto v = run.value(name, diagnostics);
  REQUIRE_MESSAGE(v, name, "\n", render(diagnostics), render(run.evaluator().diagnostics()));
  return v->scalar.value;
}

/// Whether two numbers agree to a share of the second.
inline bool near(double found, double expected, double share) { return std::abs(found - expected) <= share * std::abs(expected); }

}  // namespace opledger
