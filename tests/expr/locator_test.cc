#include "expr/locator.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace opledger {
namespace {

/// Returns `LINE:COLUMN` of the `x` of a formula that begins at this position of a document.
std::string place_of_x(const std::string& document, std::uint32_t line, std::uint32_t column, const std::string& formula) {
  Locator locator(formula, {std::make_shared<const SourceFile>(SourceFile{"f", document}), line, column});
  const Span span = locator.at(formula.find('x'));
  return std::to_string(span.line) + ":" + std::to_string(span.column);
}

}  // namespace

TEST_CASE("a formula is followed through its document") {
  CHECK(place_of_x("k: a + x", 1, 4, "a + x") == "1:8");
  CHECK(place_of_x("k: 'a + x'", 1, 4, "a + x") == "1:9");
  CHECK(place_of_x("k: \"a + x\"", 1, 4, "a + x") == "1:9");
  CHECK(place_of_x("k: a\n  + b\n  + x", 1, 4, "a + b + x") == "3:5");
  CHECK(place_of_x("k: >\n  a\n\n   + x\n", 1, 4, "a\n + x\n") == "4:6");
  CHECK(place_of_x("k: |-  # why\n  a\n  + x\n", 1, 4, "a\n+ x") == "3:5");
  CHECK(place_of_x("α: {β: a + x}", 1, 8, "a + x") == "1:12");
  CHECK(place_of_x("\xEF\xBB\xBFk: a + x", 1, 4, "a + x") == "1:8");
}

TEST_CASE("a formula that differs from its document gets its start as position") {
  CHECK(place_of_x("k: 'a == ''b'' + x'", 1, 4, "a == 'b' + x") == "1:4");
  CHECK(place_of_x("k: \"a\\\n  + x\"", 1, 4, "a + x") == "1:4");
}

TEST_CASE("a formula that is not in its document counts from its start, on its first line") {
  CHECK(place_of_x("other", 1, 1, "a + x") == "1:5");
  CHECK(place_of_x("other", 1, 1, "a +\n x") == "1:1");
  CHECK(place_of_x("short", 9, 3, "a + x") == "9:7");
  CHECK(place_of_x("a + x", 0, 0, "a + x") == "0:0");
}

TEST_CASE("the end is after the last character") {
  const auto file = std::make_shared<const SourceFile>(SourceFile{"f", "k: >\n  a\n  + b\nnext: 1\n"});
  Locator locator("a + b\n", {file, 1, 4});
  CHECK(locator.at(4).column == 5);
  const Span end = locator.after(6);
  CHECK(end.line == 3);
  CHECK(end.column == 6);
}

}  // namespace opledger
