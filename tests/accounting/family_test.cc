#include "tests/accounting/program.h"

/// Sets of operators, and quantities of such words instead of nodes.
namespace opledger {
namespace {

const std::string kFamilyOps = R"(
kind: ops
sets:
  step: {operators: any_step}
quantities:
  kept: {of: step, unit: byte, doc: What it keeps., is: 0}
  moved: {of: step, unit: byte, doc: What it moves., is: 2 * kept + size}
ops:
  any_step: {doc: The family.}
  plain: {doc: Keeps nothing., extends: any_step}
  heavy: {doc: Keeps two., extends: any_step, kept: 2 * size}
  heavier: {doc: Keeps one more., extends: heavy, kept: inherited + more, let: {more: size}}
)";

const std::string kAccounting = R"(
kind: accounting
inputs:
  step: {type: step, default: plain}
  size: {type: byte, default: 8}
let:
  all: sum(kept over step)
  what_if: heavier.moved
)";

std::string of(const std::string& name, const Fields& execution = {}) { return Ledger({kFamilyOps, kAccounting}, execution).worth(name); }

std::string refused(const std::string& ops) { return Ledger({ops, kAccounting}).worth("kept"); }

}  // namespace

TEST_CASE("family: the operator that the run names says what a quantity is") {
  CHECK(of("kept") == "0 byte");
  CHECK(of("moved") == "8 byte");
  CHECK(of("kept", {{"step", "heavy"}}) == "16 byte");
  CHECK(of("moved", {{"step", "heavy"}}) == "40 byte");
  CHECK(of("kept", {{"step", "heavier"}}) == "24 byte");
  CHECK(of("step", {{"step", "heavier"}}) == "`heavier`");
}

TEST_CASE("family: its operators are words like others") {
  CHECK(of("all") == "40 byte");
  CHECK(of("what_if") == "56 byte");
  CHECK(of("kept", {{"step", "any_step"}}).find("`any_step` is none of heavier, heavy, plain") != std::string::npos);
}

TEST_CASE("family: mistakes") {
  const auto with = [](std::string text, const std::string& old, const std::string& now) { return text.replace(text.find(old), old.size(), now); };
  CHECK(refused(with(kFamilyOps, "operators: any_step", "operators: any_stp")).find("unknown operator `any_stp` (did you mean `any_step`?)") !=
        std::string::npos);
  CHECK(refused(with(kFamilyOps, "operators: any_step", "operators: plain")).find("no operator extends `plain`") != std::string::npos);
  CHECK(refused(with(kFamilyOps, "of: step, unit: byte, doc: What it keeps.", "of: stp, unit: byte, doc: What it keeps."))
            .find("`stp` is no set of operators (did you mean `step`?)") != std::string::npos);
  CHECK(refused(kFamilyOps + "  other: {doc: Of no family., kept: 3 byte}\n").find("operator `other`: unknown quantity `kept`") != std::string::npos);
  Ledger wrong({with(kFamilyOps, "kept: 2 * size", "kept: 2"), kAccounting});
  CHECK_MESSAGE(wrong.checked().find("`kept` is declared in byte, but its formula is a plain number") != std::string::npos, wrong.checked());
}

}  // namespace opledger
