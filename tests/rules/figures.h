#pragma once
#include <string>
#include <vector>

#include "tests/rules/setting.h"

/// Derivations as text, in the form of tests/data/sharding/expected.txt.
namespace opledger::testing {

/// What a case derives: bytes kept, then one line for each collective of more than one rank.
std::vector<std::string> figures(const Derived& d);

/// One case of a file of cases: its name, its setting, its lines.
struct Case {
  std::string name, definition;
  Setting setting;
  std::vector<std::string> lines;
};

std::vector<Case> read_cases(const std::string& path);

/// `gpt3 layer | {tp: 8} | megatron zero_1 | sequence_parallel batch=4`
Setting parse_setting(const std::string& text);

}  // namespace opledger::testing
