#include "search/sweep/variants.h"

#include <doctest/doctest.h>

#include "search/space/space_reader.h"
#include "search/sweep/sweep.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/search/checked_space.h"

/// Tests of variants: traces that are evaluated together.
namespace opledger {
namespace {

/// An accounting in which `kind` selects one of three costs from a list, so each kind has a trace of its own.
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
  return folder.write("space.yaml", "kind: search\nname: space\ndoc: Kinds of sizes.\naccounting: kinds.yaml\naxes:\n" + axes + "minimize: cost\n").string();
}

/// Checks a sweep with three traces against single evaluations, and the number of candidates and groups.
SweepResult check_kinds(const char* axes, std::uint64_t candidates, std::size_t parts) {
  const TemporaryFolder folder;
  Library library({source_folder()});
  Diagnostics diagnostics;
  RunRequest request;
  request.space = kinds_of(folder, axes);
  std::optional<Space> space = read_space(request, library, diagnostics);
  REQUIRE_MESSAGE(space, render(diagnostics));
  const SweepResult found = check_sweep(*space, {"area"});
  CHECK(found.candidates == candidates);
  CHECK(found.traces == 3);
  CHECK(found.groups == parts);
  return found;
}

}  // namespace

TEST_CASE("variants: traces whose candidates choose the same values are one group, wherever their axis is") {
  for (const char* axes : {"  - kind: 1, 2, 3\n  - a: range(1, 12)\n  - b: range(1, a)\n", "  - a: range(1, 12)\n  - b: range(1, a)\n  - kind: 1, 2, 3\n"})
    CHECK(check_kinds(axes, 3 * 78, 1).infeasible.size() == 3);
}

TEST_CASE("variants: a prefix can have candidates of some variants only") {
  check_kinds("  - a: range(1, 12)\n  - kind: 3, 1, 2 where it == 1 or a % it == 0\n  - b: range(1, 4)\n", (12 + 6 + 4) * 4, 1);
}

TEST_CASE("variants: traces whose axis decides the values of other axes are not grouped") {
  check_kinds("  - kind: 1, 2, 3\n  - a: range(1, 4 * kind)\n  - b: range(1, 3)\n", (4 + 8 + 12) * 3, 3);
}

TEST_CASE("variants: kinds agree on the compared axes") {
  const std::vector<Variant> variants = {{nullptr, {1, 5, 0}}, {nullptr, {2, 5, 0}}, {nullptr, {1, 5, 3}}, {nullptr, {1, 6, 0}}};
  const VariantKinds none = kinds_by(variants, 0), first = kinds_by(variants, 0b001), both = kinds_by(variants, 0b011);
  CHECK(none.members == std::vector<VariantSet>{0b1111});
  CHECK(first.kind_of == std::vector<std::size_t>{0, 1, 0, 0});
  CHECK(first.representatives == std::vector<std::size_t>{0, 1});
  CHECK(both.kind_of == std::vector<std::size_t>{0, 1, 0, 2});
  CHECK(both.members == std::vector<VariantSet>{0b0101, 0b0010, 0b1000});
}

}  // namespace opledger
