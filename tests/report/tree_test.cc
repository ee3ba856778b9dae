#include "report/tree.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "report/writers.h"
#include "tests/report/sample.h"

namespace opledger {
namespace {

Value count(double number) { return number_value(integer(number)); }

/// Returns a house whose parts are not in the order of the tree.
Report house() {
  Report out;
  out.accounting = "a";
  out.tables.push_back({"house", "House", {"part", "doors", "size"}, {}});
  const char* const names[] = {"handle", "roof", "floor", "room", "hall"};
  const double doors[] = {1, 0, 9, 2, 4};
  for (std::size_t i = 0; i < std::size(names); ++i) out.tables[0].rows.push_back({sample_text(names[i]), count(doors[i]), count(10)});
  REQUIRE(nest({3, -1, -1, 2, 2}, out.tables[0]));
  add_sums({"doors"}, sample_text("all"), out.tables[0]);
  return out;
}

std::string written(const Report& report, Format format) {
  const std::string text = write(report, format);
  return text.substr(text.find(format == Format::text ? "House" : format == Format::csv ? "table," : "| part"));
}

}  // namespace

TEST_CASE("rows follow their parents, which have their sums") {
  CHECK(written(house(), Format::text) ==
        "House\n  part        doors  size\n  roof            0    10\n  floor           5    10\n  ├ room          1    10\n  │ └ handle      1    10\n"
        "  └ hall          4    10\n  all             5     -\n");
  CHECK(written(house(), Format::csv) ==
        "table,part,doors,size,under\nhouse,roof,0,10,\nhouse,floor,5,10,\nhouse,room,1,10,floor\nhouse,handle,1,10,room\n"
        "house,hall,4,10,floor\nhouse.total,all,5,,\n");
  CHECK(written(house(), Format::markdown).find("| │ └ handle | 1 | 10 |\n| └ hall | 4 | 10 |\n| all | 5 | - |") != std::string::npos);
}

TEST_CASE("JSON has rows in rows, and sums, notes and omissions as further keys") {
  Report report = house();
  report.tables[0].notes = {"No cellar."};
  report.tables[0].left_out = 7;
  report.tables[0].left_out_items = {{"doors", 3}};
  std::string text = write(report, Format::json);
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\n'; }), text.end());
  CHECK(text.find(R"({"part":"floor","doors":5,"size":10,"rows":[{"part":"room","doors":1,"size":10,"rows":[{"part":"handle","doors":1,"size":10}]},)") !=
        std::string::npos);
  CHECK(text.find(R"("totals":{"house":{"part":"all","doors":5,"size":null}},"notes":{"house":["Nocellar."]},"left_out":{"house":7,"house.doors":3})") !=
        std::string::npos);
  CHECK(write(report, Format::csv).find("left_out.house,7,count,,\nleft_out.house.doors,3,count,,\n") != std::string::npos);
  CHECK(written(report, Format::text).find("  all             5     -\n  … and 7 more\n  No cellar.\n") != std::string::npos);
}

TEST_CASE("rows with something in common stand below it, without it in their names, and sums are the only figures there") {
  Report report;
  report.tables.push_back({"rooms", "Rooms", {"room", "size", "use"}, {}});
  for (const char* name : {"house.hall", "shed", "d house.roof", "house.x.house.y", "shed.roof"})
    report.tables[0].rows.push_back({sample_text(name), number_value(integer(10)), sample_text("none")});
  group_below_headings({"shed", "house"}, {1, 0, 1, 1, 0}, sample_text, report.tables[0]);
  add_sums({"size"}, sample_text("all"), report.tables[0]);
  CHECK(write(report, Format::text) ==
        "\nRooms\n  room         size  use\n  shed           20\n    shed         10  none\n    roof         10  none\n  house          30\n"
        "    hall         10  none\n    d roof       10  none\n    x.house.y    10  none\n  all            50\n");
}

TEST_CASE("rows can't stand under each other, and without rows there is nothing to sum up") {
  Report report = house();
  CHECK_FALSE(nest({-1, 2, 1, 0, 0}, report.tables[0]));
  ReportTable none{"t", "T", {"a"}, {}};
  CHECK(nest({}, none));
  add_sums({"a"}, {}, none);
  CHECK(none.total.empty());
}

}  // namespace opledger
