#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "schemas/library.h"
#include "tests/paths.h"

/// The shipped library and its documents, for tests.
namespace opledger {

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
    std::string last;  // the variant with the most memory
    for (const std::string& system : shipped().names("system")) {
      if (system.rfind(machine + "-", 0) == 0) last = system;
    }
    if (!last.empty()) return {model, last};
  }
  return {};
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

}  // namespace opledger
