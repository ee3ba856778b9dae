#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "run/run.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

/// Whole runs of the shipped library in tests.
namespace opledger {

using Settings = std::vector<std::pair<std::string, std::string>>;

inline std::deque<Library>& libraries() {
  static std::deque<Library> all(1, Library({source_folder()}));
  return all;
}

/// The library that is shipped, each document read once for many tests.
inline Library& shipped() { return libraries().back(); }

/// Shipped models, without the graph of an accounting and the single kernels that measurements are of.
inline std::vector<std::string> whole_models() {
  std::vector<std::string> out, parts = {"calculon/gpt"};
  for (const std::string& name : shipped().names("measurements")) {
    Diagnostics unread;
    const Document* document = shipped().load(name, {"measurements"}, unread);
    REQUIRE_MESSAGE(document, render(unread));
    if (document->root.find("model") != nullptr) parts.push_back(document->root.find("model")->text());
  }
  for (const std::string& name : shipped().names("model")) {
    if (std::find(parts.begin(), parts.end(), name) == parts.end()) out.push_back(name);
  }
  return out;
}

/// `gpt3-175b-64xa100`: the model, and the system that the end names.
inline std::pair<std::string, std::string> model_and_system(const std::string& execution) {
  for (const std::string& model : shipped().names("model")) {
    if (execution.rfind(model + "-", 0) != 0) continue;
    const std::string machine = execution.substr(execution.find('x', model.size()) + 1);
    std::string last;  // of its variants the one with the most memory
    for (const std::string& system : shipped().names("system")) {
      if (system.rfind(machine + "-", 0) == 0) last = system;
    }
    if (!last.empty()) return {model, last};
  }
  return {};
}

/// An execution, written to a file: `mesh` as YAML, rules as a list, everything else as it stands.
inline std::string execution(const std::string& mesh, const std::string& rules, const std::string& rest = "batch_size: 1\nmicrobatch_size: 1\n") {
  static TemporaryFolder folder;
  static int count = 0;
  if (count % 30 == 29) libraries().push_back(Library({source_folder()}));  // a library reads only so many documents
  return folder.write("execution" + std::to_string(count++) + ".yaml", "kind: execution\nmesh: " + mesh + "\nrules: [" + rules + "]\n" + rest).string();
}

/// The rest of an execution, for many tests.
inline const std::string kBatchOf16 = "batch_size: 16\nmicrobatch_size: 1\n";

/// Whatever the runs say: a run keeps the place that it was prepared with.
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

inline double value(Run& run, const std::string& name) {
  const auto v = run.value(name, said());
  REQUIRE_MESSAGE(v, name, "\n", render(said()));
  return v->scalar.value;
}

/// Shipped executions that train: those that the usual accounting counts.
inline std::vector<std::string> trained_executions() {
  std::vector<std::string> out;
  for (const std::string& name : shipped().names("execution")) {
    Diagnostics unread;
    const Document* document = shipped().load(name, {"execution"}, unread);
    REQUIRE_MESSAGE(document, render(unread));
    const Datum* accounting = document->root.find("accounting");
    if (!model_and_system(name).first.empty() && (accounting == nullptr || accounting->text() == "standard")) out.push_back(name);
  }
  return out;
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

/// Whether two numbers agree to a share of the second.
inline bool near(double found, double expected, double share) { return std::abs(found - expected) <= share * std::abs(expected); }

}  // namespace opledger
