#include <doctest/doctest.h>

#include <set>

#include "base/text.h"
#include "base/width.h"
#include "report/writers.h"

namespace opledger {
namespace {

/// A table with two names that are equal at both ends, and numbers.
struct Sample {
  std::vector<std::string> names = {"attention_forward_of_layers", "attention_backward_of_layers", "product"};
  Report report;

  explicit Sample(std::vector<std::string> minor) {
    ReportTable table{"kernels", "Kernels", {"kernel", "time", "share measured", "share assumed", "bytes", "share missed"}, {}};
    table.minor = std::move(minor);
    for (const std::string& name : names) {
      std::vector<Value>& row = table.rows.emplace_back();
      row.push_back(text_value(name));
      for (int i = 1; i < 6; ++i) row.push_back(number_value(real(1000.0 * i)));
    }
    report.tables.push_back(std::move(table));
  }

  std::vector<std::string> lines(const PageSize& page) const { return split(write_text(report, page), '\n'); }
};

bool has(const std::vector<std::string>& lines, const std::string& text) { return join(lines, "\n").find(text) != std::string::npos; }

}  // namespace

TEST_CASE("a narrow terminal loses whole columns before a name is cut, and says which") {
  const Sample sample({"bytes", "share assumed"});
  struct Case {
    std::size_t columns;
    const char* left_out;
  };
  const Case cases[] = {{120, ""},
                        {85, "not shown: bytes; --full or a wider terminal"},
                        {75, "not shown: bytes, share assumed; --full or a wider terminal"},
                        {60, "not shown: bytes, share assumed, share missed; --full or a\nwider terminal"},
                        {40, "not shown: bytes, share assumed, share\nmissed, share measured"}};
  for (const Case& c : cases) {
    CAPTURE(c.columns);
    const std::vector<std::string> lines = sample.lines({c.columns, true});
    CAPTURE(join(lines, "\n"));
    for (const std::string& line : lines) CHECK(width(line) <= c.columns);
    for (const std::string& name : sample.names) CHECK(has(lines, name));
    CHECK(has(lines, *c.left_out == '\0' ? "Kernels" : c.left_out));
    CHECK(has(lines, "not shown") == (*c.left_out != '\0'));
    CHECK(has(lines, "time"));
  }
}

TEST_CASE("no two rows of a narrow table read the same: names that would be equal when cut continue on the next line") {
  const Sample sample({});
  for (const std::size_t columns : {26, 30}) {
    CAPTURE(columns);
    const std::vector<std::string> lines = sample.lines({columns, true});
    CAPTURE(join(lines, "\n"));
    for (const std::string& line : lines) CHECK(width(line) <= columns);
    CHECK(has(lines, "forward"));
    CHECK(has(lines, "backward"));
    CHECK(!has(lines, "…"));
  }
}

TEST_CASE("a column that tells rows apart stays, and so does every column with --full or in a file") {
  Report report;
  ReportTable table{"t", "T", {"node", "phase", "time"}, {}};
  const std::string node = "decoder.attention", phases[] = {"forward", "recompute"};
  for (const std::string& phase : phases) table.rows.push_back({text_value(node), text_value(phase), number_value(real(1))});
  table.minor = {"phase", "time"};
  report.tables.push_back(table);
  const std::vector<std::string> narrow = split(write_text(report, {30, true}), '\n');
  CHECK(has(narrow, "phase"));
  CHECK(has(narrow, "not shown: time"));
  for (const PageSize& page : {PageSize{30, true, true}, PageSize{30, false}}) CHECK(!has(split(write_text(report, page), '\n'), "not shown"));
}

}  // namespace opledger
