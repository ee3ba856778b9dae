#include "report/report.h"
#include "tests/support/runs.h"

/// The report `memory` agrees with the explanations of its metrics.
namespace opledger {
namespace {

const ReportTable& table_of(const Report& report, const std::string& name) {
  for (const ReportTable& table : report.tables) {
    if (table.name == name) return table;
  }
  FAIL("no table ", name);
  return report.tables[0];
}

std::size_t column(const ReportTable& table, const std::string& name) {
  return static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), name) - table.columns.begin());
}

}  // namespace

TEST_CASE("saved tensors in `memory` are ranked, and adds up to the activations of the fullest stage") {
  for_shipped([](Run& run) {
    const auto report = build_report(run, {"memory"}, said());
    REQUIRE_MESSAGE(report, render(said()));
    const ReportTable& saved = table_of(*report, "saved");
    const std::size_t total = column(saved, "total"), share = column(saved, "share");
    double bytes = 0, shares = 0, last = INFINITY;
    for (const std::vector<Value>& row : saved.rows) {
      CHECK(row[total].scalar.value <= last);
      last = row[total].scalar.value;
      bytes += last;
      shares += row[share].scalar.value;
    }
    const double kept = value(run, "activation_bytes_per_rank");
    CHECK(kept > 0);
    CHECK(near(bytes, kept, 1e-9));
    CHECK(near(shares, 1, 1e-9));
    CHECK(near(saved.total[total].scalar.value, kept, 1e-9));
  });
}

}  // namespace opledger
