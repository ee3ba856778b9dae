#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/rules/oracle.h"
#include "tests/rules/random_rules.h"
#include "tests/support/random_count.h"

/// Random rule lists on random meshes: the derived run of legal rules must equal the run on one rank.
/// OPLEDGER_FUZZ_COUNT sets the number of runs.

using namespace opledger;
using namespace opledger::testing;

namespace {

struct RandomMesh {
  const char* text;
  std::vector<std::vector<std::string>> axes;  ///< Names that one rule may list together.
};

/// Whole axes, axes in parts, parts of one rank, axes of one rank, other names for axes.
const std::vector<RandomMesh>& meshes() {
  static const std::vector<RandomMesh> all = {
      {"{a: 2}", {{"a"}}},
      {"{a: 2, b: 2}", {{"a", "b"}}},
      {"{a: 4}", {{"a"}}},
      {"{a: 2, b: 2, c: 2}", {{"a", "b", "c"}}},
      {"{a: {ax: 2, ay: 2}, b: 2}", {{"a", "b"}, {"ax", "ay", "b"}}},
      {"{a: {ax: 1, ay: 4}, b: 1}", {{"a", "b"}, {"ax", "ay", "b"}}},
      {"{a: {ax: 2, ay: 1}, b: {bx: 1, by: 2}}", {{"a", "b"}, {"ax", "by", "ay"}, {"bx", "a"}}},
      {"{a: 4, b: 2}", {{"a", "b"}}},
      {"{a: 3, b: 2}", {{"a", "b"}}},
      {"{a: 1, b: 2, d: 2, c: [b, a]}", {{"c", "d"}, {"b", "a"}}},
  };
  return all;
}

/// `pad` is drawn only for sizes that the axes divide, because simulated ranks have no blocks of unequal size.
Setting next(RuleGenerator& random) {
  const Subject& subject = random.subject();
  const RandomMesh& mesh = meshes()[random.below(meshes().size())];
  Setting setting;
  setting.model = subject.model;
  setting.block = subject.block;
  setting.mesh = mesh.text;
  setting.extra_rules = random.rules(subject, mesh.axes, {"replicate", "part", "skip"});
  return tiny(setting, 4);
}

}  // namespace

TEST_CASE("random rule lists give the results of one rank") {
  RuleGenerator random(1);
  int wrong = 0;
  for (int i = 0, n = random_count(800, 80); i < n; ++i) {
    Setting setting = next(random);
    Outcome outcome = check(setting);
    if (outcome.wrong.empty()) continue;
    ++wrong;
    FAIL_CHECK(fmt::format("{}.{} {}\n{}{}", setting.model, setting.block, setting.mesh, setting.extra_rules, outcome.wrong));
    if (wrong == 5) break;
  }
  CHECK(wrong == 0);
}
