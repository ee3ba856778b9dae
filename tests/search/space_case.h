#pragma once
#include <string>
#include <utility>
#include <vector>

#include "run/documents.h"

namespace opledger {

/// A space by name or path, with its documents and `--set` values.
struct SpaceCase {
  std::string space, model, system;
  std::vector<std::pair<std::string, std::string>> settings;
};

inline RunRequest request_of(const SpaceCase& c) {
  RunRequest out;
  out.space = c.space;
  out.model = c.model;
  out.system = c.system;
  out.overrides = c.settings;
  return out;
}

}  // namespace opledger
