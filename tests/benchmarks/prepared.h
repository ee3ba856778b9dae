#pragma once
#include <cstdio>
#include <memory>

#include "run/run.h"

namespace opledger {

/// Prepares a run of shipped documents; null, after printing the messages, if it fails.
inline std::unique_ptr<Run> prepared(const char* model, const char* execution, const char* system,
                                     std::vector<std::pair<std::string, std::string>> settings = {}) {
  static Library library({OPLEDGER_SOURCE_DIR});
  Diagnostics diagnostics;
  RunRequest request;
  request.model = model;
  request.execution = execution;
  request.system = system;
  request.overrides = std::move(settings);
  auto run = Run::prepare(request, library, diagnostics);
  if (!run) std::fputs(render(diagnostics).c_str(), stderr);
  return run;
}

}  // namespace opledger
