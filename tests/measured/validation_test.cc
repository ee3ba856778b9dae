#include "measured/validation.h"

#include "tests/support/runs.h"

namespace opledger {
namespace {

Validation evaluated(const Document& document, const RunRequest& request = {}) {
  said() = {};
  const std::optional<Validation> validation = evaluate_validation(document, request, shipped(), said());
  REQUIRE_MESSAGE(validation, render(said()));
  CHECK(render(said()) == "");
  return *validation;
}

const Document& published(const std::string& name = "korthikanti") {
  const Document* document = shipped().load(name, {"validation"}, said());
  REQUIRE_MESSAGE(document, render(said()));
  return *document;
}

Validation own(const std::string& text, const RunRequest& request = {}) {
  static const TemporaryFolder folder;
  static int count = 0;
  const std::string name = "validation" + std::to_string(count++);
  return evaluated(published(folder.write(name + ".yaml", "kind: validation\nname: " + name + "\n" + text).string()), request);
}

/// Returns a share as reports print it.
std::string percent(double share) {
  const auto hundredths = static_cast<long>(std::lround(share * 1e4));
  const std::string rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + std::string(2 - rest.size(), '0') + rest;
}

}  // namespace

TEST_CASE("validation: published by Korthikanti et al., and missed by as much as each accounting is known to miss") {
  const Validation validation = evaluated(published());
  struct Known {
    const char *table, *mean, *worst, *own_mean, *own_worst;
  };
  const Known known[] = {{"figure_1_states", "8.49", "10.84", "0.00", "0.00"},  // The first two are Calculon's own.
                         {"figure_1_activations", "2.08", "8.74", "0.00", "0.00"},
                         {"figure_7", "6.69", "30.41", "0.22", "1.10"},
                         {"table_5", "3.65", "8.87", "3.20", "7.62"}};
  REQUIRE(validation.tables.size() == 4);
  REQUIRE(validation.accountings == std::vector<std::string>{"calculon", "standard"});
  for (std::size_t i = 0; i < 4; ++i) {
    const ValidationTable& table = validation.tables[i];
    CAPTURE(table.name);
    CHECK(table.name == known[i].table);
    CHECK(percent(*table.errors[0].mean) == known[i].mean);
    CHECK(percent(*table.errors[0].worst) == known[i].worst);
    CHECK(percent(*table.errors[1].mean) == known[i].own_mean);
    CHECK(percent(*table.errors[1].worst) == known[i].own_worst);
  }
  CHECK(exceeded(validation).empty());
}

TEST_CASE("validation: one accounting, and other values for every run") {
  RunRequest request;
  request.accounting = "standard";
  request.overrides = {{"microbatch_size", "2"}};
  const std::string text = R"(
model: gpt2
execution: {batch_size: 8}
runs: {a: {doc: alone}, b: {execution: {microbatch_size: 4}}}
tables:
  microbatch: {unit: count, is: {standard: microbatch_size}, published: {a: 1, b: 4}}
)";
  const Validation before = own(text), after = own(text, request);
  CHECK(before.accountings == std::vector<std::string>{"standard"});
  CHECK(*before.tables[0].errors[0].worst == 0);
  CHECK(*after.tables[0].rows[0].values[0] == 2);
  CHECK(*after.tables[0].rows[1].values[0] == 2);
}

TEST_CASE("validation: parts of a run are laid over each other, the last named last") {
  const Validation validation = own(R"(
execution: {batch_size: 8, mesh: {dp: 2, tp: 1}, rules: [megatron]}
runs:
  small: {model: megatron-22b}
  wide: {execution: {mesh: {tp: 4}}}
  narrow: {execution: {mesh: {tp: 2}}}
  named: {execution: megatron-22b-8xa100}
tables:
  ranks:
    unit: count
    is: {standard: ranks}
    published: {small: 2, wide: {small: 8, narrow: {small: 4}}, narrow: {wide: {small: 8}, named: {small: 8}}, named: {narrow: {small: 2}}}
  ranks_of_one:
    execution: {mesh: {tp: 4}}
    unit: count
    is: {standard: ranks}
    published: {small: 8}
)");
  for (const ValidationTable& table : validation.tables) {
    for (const ValidationRow& row : table.rows) CHECK_MESSAGE(*row.values[0] == row.published, table.name, " ", row.run);
  }
}

TEST_CASE("validation: tables with other settings have runs of their own, even for equal paths") {
  const Validation validation = own(R"(
model: gpt2
execution: {batch_size: 8}
runs: {all: {doc: one}}
tables:
  plain: {unit: count, is: {standard: microbatch_size}, published: {all: 1}}
  two: {set: {microbatch_size: 2}, unit: count, is: {standard: microbatch_size}, published: {all: 2}}
  four: {set: {microbatch_size: 4}, unit: count, is: {standard: microbatch_size}, published: {all: 4}}
)");
  for (const ValidationTable& table : validation.tables) CHECK_MESSAGE(*table.rows[0].values[0] == table.rows[0].published, table.name);
}

TEST_CASE("validation: an accounting without a formula leaves its cells empty") {
  const Validation validation = own(R"(
accounting: [standard, calculon]
model: calculon/megatron-126M
execution: {batch_size: 8, mesh: {dp: 2}, rules: [megatron]}
runs: {all: {doc: one}}
tables:
  ranks: {unit: count, is: {standard: ranks}, published: {all: 2}}
  blocks: {unit: count, is: {calculon: num_blocks}, published: {all: 24}, at_most: {calculon: {mean: 0.5, worst: 0.49}}}
)");
  CHECK(*validation.tables[0].rows[0].values[0] == 2);
  CHECK(!validation.tables[0].rows[0].values[1]);
  CHECK(!validation.tables[0].errors[1].mean);
  CHECK(*validation.tables[1].errors[1].worst == 0.5);
  CHECK(exceeded(validation) == std::vector<std::string>{"blocks: the worst error of `calculon` is 50.00 %, and 49.00 % is expected"});
}

}  // namespace opledger
