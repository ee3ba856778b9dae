#include "search/sweep/siblings.h"

#include <doctest/doctest.h>

#include "search/sweep/sweep.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/search/checked_space.h"

/// Structures that are evaluated together.
namespace opledger {
namespace {

/// `kind` decides which of three formulas is one's own: an item of a list is a structure for each.
const char* const kKinds = R"(
kind: accounting
name: kinds
inputs:
  kind: {type: integer, min: 1, default: 1, doc: decides the structure}
  a: {type: integer, min: 1, default: 1, doc: a size}
  b: {type: integer, min: 1, default: 1, doc: a size}
  costs: {type: {list: {type: integer}}, default: [7, 3, 20], doc: by kind}
metrics:
  area: {unit: count, doc: the same for all kinds, is: a * b + a}
  cost: {unit: count, doc: one of each, is: "area * costs[kind - 1] + b"}
constraints:
  - {require: a * b != 12, message: "{area}: unlucky", reason: unlucky}
  - {require: cost < 400, message: dear, reason: dear}
  - {require: a < 11, message: large, reason: large}
)";

std::string kinds_of(const TemporaryFolder& folder, const std::string& axes) {
  folder.write("kinds.yaml", kKinds);
  return folder.write("space.yaml", "kind: search\nname: space\ndoc: Kinds of sizes.\naccounting: kinds.yaml\naxes:\n" + axes + "minimise: cost\n").string();
}

/// How many structures and parts a sweep took that finds the right thing.
SweepResult judged(const std::string& file) {
  Library library({source_folder()});
  Diagnostics diagnostics;
  RunRequest request;
  request.space = file;
  std::optional<Space> space = read_space(request, library, diagnostics);
  REQUIRE_MESSAGE(space, render(diagnostics));
  return check_sweep(*space, {"area"});
}

}  // namespace

TEST_CASE("siblings: structures whose candidates choose the same values are one part, wherever their axis stands") {
  const TemporaryFolder folder;
  for (const char* axes : {"  - kind: 1, 2, 3\n  - a: range(1, 12)\n  - b: range(1, a)\n", "  - a: range(1, 12)\n  - b: range(1, a)\n  - kind: 1, 2, 3\n"}) {
    const SweepResult found = judged(kinds_of(folder, axes));
    CHECK(found.candidates == 3 * 78);
    CHECK(found.structures == 3);
    CHECK(found.parts == 1);
    CHECK(found.infeasible.size() == 3);
  }
}

TEST_CASE("siblings: some have no candidates where others have") {
  const TemporaryFolder folder;
  const SweepResult found = judged(kinds_of(folder, "  - a: range(1, 12)\n  - kind: 3, 1, 2 where it == 1 or a % it == 0\n  - b: range(1, 4)\n"));
  CHECK(found.candidates == (12 + 6 + 4) * 4);
  CHECK(found.structures == 3);
  CHECK(found.parts == 1);
}

TEST_CASE("siblings: structures whose axis decides the values of others are no siblings") {
  const TemporaryFolder folder;
  const SweepResult found = judged(kinds_of(folder, "  - kind: 1, 2, 3\n  - a: range(1, 4 * kind)\n  - b: range(1, 3)\n"));
  CHECK(found.candidates == (4 + 8 + 12) * 3);
  CHECK(found.structures == 3);
  CHECK(found.parts == 3);
}

TEST_CASE("siblings: kinds agree on the axes in question") {
  const std::vector<Sibling> siblings = {{nullptr, {1, 5, 0}}, {nullptr, {2, 5, 0}}, {nullptr, {1, 5, 3}}, {nullptr, {1, 6, 0}}};
  const SiblingKinds none = kinds_by(siblings, 0), first = kinds_by(siblings, 0b001), both = kinds_by(siblings, 0b011);
  CHECK(none.members == std::vector<SiblingSet>{0b1111});
  CHECK(first.of == std::vector<std::size_t>{0, 1, 0, 0});
  CHECK(first.first == std::vector<std::size_t>{0, 1});
  CHECK(both.of == std::vector<std::size_t>{0, 1, 0, 2});
  CHECK(both.members == std::vector<SiblingSet>{0b0101, 0b0010, 0b1000});
}

}  // namespace opledger
