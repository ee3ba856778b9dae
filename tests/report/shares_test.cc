#include "base/lists.h"
#include "report/report.h"
#include "tests/support/random_count.h"
#include "tests/support/runs.h"

namespace opledger {

// Every metric that is shown in percent, and every operator under the roof of the precision that it computes in.
TEST_CASE("shipped: every share lies in 0 to 100 %, no operator above its roof, defect newcomer D2") {
  std::size_t runs = 0, shares = 0, operators = 0;
  for (const std::string& name : testing::some_of(shipped().names("execution"), 10)) {
    if (name == "single") continue;
    const auto [model, system] = model_and_system(name);
    const auto run = prepare(model, name, system);
    ++runs;
    std::vector<std::string> reports = names_of(run->program().reports);
    std::erase(reports, "node");  // its metrics are those of one node
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

}  // namespace opledger
