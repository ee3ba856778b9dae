#pragma once
#include <string>
#include <vector>

#include "tests/rules/setting.h"

/// Derivations as text, in the form of tests/data/sharding/expected.txt.
namespace opledger::testing {

/// Returns the figures of a case: bytes saved, then one line for each collective of several ranks.
std::vector<std::string> figures(const Derived& d);

/// A case of a file: its name, its setting, its lines.
struct Case {
  std::string name, definition;
  Setting setting;
  std::vector<std::string> lines;
};

std::vector<Case> read_cases(const std::string& path);

/// Parses `gpt3 layer | {tp: 8} | megatron zero_1 | sequence_parallel batch=4`.
Setting parse_setting(const std::string& text);

}  // namespace opledger::testing
