#include "report/collect.h"

#include <doctest/doctest.h>

#include "report/writers.h"

namespace opledger {
namespace {

const std::string kEven = "even", kOdd = "odd", kPlaces[] = {"a", "b", "c", "d", "e"};

/// parity, half, place
ReportTable numbered(std::size_t rows) {
  ReportTable out{"t", "Places", {"parity", "half", "place"}, {}};
  for (std::size_t i = 0; i < rows; ++i)
    out.rows.push_back({text_value(i % 2 == 0 ? kEven : kOdd), number_value(integer(static_cast<double>(i / 4))), text_value(kPlaces[i])});
  return out;
}

std::string collected(const std::vector<std::string>& columns, std::size_t rows, Format format = Format::csv) {
  Report report;
  report.tables.push_back(numbered(rows));
  collect(columns, report.tables[0], report.kept);
  const std::string text = write(report, format);
  return text.substr(text.find(format == Format::csv ? "t," : "Places"));
}

}  // namespace

TEST_CASE("rows that agree in all other columns become one, with a list in the order of the rows") {
  CHECK(collected({"place"}, 5) == "t,even,0,a c\nt,odd,0,b d\nt,even,1,e\n");
  CHECK(collected({"place", "half"}, 5) == "t,even,0 0 1,a c e\nt,odd,0 0,b d\n");
  CHECK(collected({"place"}, 5, Format::text) == "Places\n  parity  half  place\n  even       0  [a c]\n  odd        0  [b d]\n  even       1  [e]\n");
}

TEST_CASE("nothing to collect, no rows, all columns") {
  CHECK(collected({}, 2) == "t,even,0,a\nt,odd,0,b\n");
  CHECK(collected({"parity", "half", "place"}, 2) == "t,even odd,0 0,a b\n");
  ReportTable none = numbered(0);
  std::vector<std::shared_ptr<const void>> kept;
  collect({"place"}, none, kept);
  CHECK(none.rows.empty());
  CHECK(kept.empty());
}

}  // namespace opledger
