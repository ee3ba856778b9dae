#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/rules/setting.h"

/// Random rule lists over the dimensions of a block, for properties that must hold for all lists.
namespace opledger::testing {

struct Subject {
  const char *model, *block;
  std::vector<std::string> dims;
};

const std::vector<Subject>& subjects();

class RuleGenerator {
 public:
  explicit RuleGenerator(std::uint32_t seed) : engine_(seed) {}

  std::size_t below(std::size_t n) { return engine_() % n; }
  const Subject& subject() { return subjects()[below(subjects().size())]; }

  /// Rules that split dimensions of the subject, each over some axes of one of the lists (names that do not overlap) and uneven in one of the ways.
  std::string rules(const Subject& subject, const std::vector<std::vector<std::string>>& axes, const std::vector<std::string>& ways);

 private:
  std::string rule(const Subject& subject, std::vector<std::string> axes, const std::vector<std::string>& ways);

  std::mt19937 engine_;
};

}  // namespace opledger::testing
