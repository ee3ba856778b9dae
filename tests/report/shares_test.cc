#include <algorithm>

#include "base/lists.h"
#include "report/report.h"
#include "tests/support/random_count.h"
#include "tests/support/runs.h"

namespace opledger {

// Every metric shown in percent, and every operator below the roof of its precision.
TEST_CASE("shipped: every share lies in 0 to 100 %, no operator above its roof, defect newcomer D2") {
  std::size_t runs = 0, shares = 0, operators = 0;
  for (const std::string& name : testing::some_of(shipped().names("execution"), 10)) {
    if (name == "single") continue;
    const auto [model, system] = model_and_system(name);
    const auto run = prepare(model, name, system);
    ++runs;
    std::vector<std::string> reports = names_of(run->program().reports);
    std::erase(reports, "node");  // Metrics of this report belong to a single node.
    const std::optional<Report> report = build_report(*run, reports, said());
    REQUIRE_MESSAGE(report, name, render(said()));
    for (const ReportSection& section : report->sections) {
      for (const ReportMetric& metric : section.metrics) {
        if (metric.unit != "ratio" || !metric.value.is_number()) continue;
        ++shares;
        CHECK_MESSAGE(metric.value.scalar.value >= 0, name, " ", metric.name);
        CHECK_MESSAGE(metric.value.scalar.value <= 1 + 1e-9, name, " ", metric.name);
      }
    }
    for (const ReportTable& table : report->tables) {
      for (std::size_t column = 0; column < table.columns.size(); ++column) {
        if (table.columns[column].rfind("share", 0) != 0) continue;
        for (const std::vector<Value>& row : table.rows) {
          if (!row[column].is_number()) continue;
          (table.name == "roofline" ? operators : shares) += 1;
          CHECK_MESSAGE(row[column].scalar.value >= 0, name, " ", table.name, " ", *row[0].text);
          CHECK_MESSAGE(row[column].scalar.value <= 1 + 1e-9, name, " ", table.name, " ", *row[0].text);
        }
      }
    }
  }
  MESSAGE(runs, " runs, ", shares, " shares, ", operators, " operators under their roofs");
  CHECK(runs >= 31 / testing::one_of(10));
  CHECK(shares > 10 * runs);
  CHECK(operators > 10 * runs);
}

// Machines differ most in their vector units. On B200 and H20, the scan of a state space is limited by its operations,
// not its bytes, and lies on the roof.
TEST_CASE("roofs: no operator of a model is above the roof of any machine, defect newcomer D2") {
  std::size_t runs = 0, operators = 0, on_roof = 0;
  std::vector<std::string> machines = shipped().names("system");
  // Systems in folders are inputs of a different accounting.
  std::erase_if(machines, [](const std::string& name) { return name.find('/') != std::string::npos; });
  for (const std::string& system : testing::some_of(machines, 10)) {
    for (const char* model : {"llama-3-8b", "mamba-2.8b", "mamba2-2.7b", "jamba-v0.1", "deepseek-v2-lite", "t5-base", "vit-l-16", "bert-base"}) {
      const auto run = prepare(model, "single", system, in_precision_of(system));
      const std::optional<Report> report = build_table_report(*run, "roofline", said());
      REQUIRE_MESSAGE(report, model, " ", system, "\n", render(said()));
      const ReportTable& table = report->tables[0];
      const auto column = static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), "share of the roof") - table.columns.begin());
      REQUIRE(column < table.columns.size());
      for (const std::vector<Value>& row : table.rows) {
        CHECK_MESSAGE(row[column].scalar.value <= 1 + 1e-9, model, " ", system, " ", *row[0].text, " ", row[column].scalar.value);
        on_roof += row[0].text->find("scan") != std::string::npos && row[column].scalar.value > 1 - 1e-9;
        ++operators;
      }
      ++runs;
    }
  }
  MESSAGE(runs, " runs, ", operators, " operators under their roofs, ", on_roof, " scans on theirs");
  CHECK(runs >= 8 * 16 / testing::one_of(10));
  CHECK(on_roof > 0);
}

}  // namespace opledger
