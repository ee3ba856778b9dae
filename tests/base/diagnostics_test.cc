#include "base/diagnostics.h"

#include <doctest/doctest.h>

#include "base/limits.h"

namespace opledger {
namespace {

std::shared_ptr<const SourceFile> file(std::string text) { return std::make_shared<const SourceFile>(SourceFile{"f.yaml", std::move(text)}); }

std::string rendered(const std::string& text, std::uint32_t line, std::uint32_t column) {
  Diagnostics diagnostics;
  diagnostics.error(Span{file(text), line, column}, "wrong");
  return render(diagnostics);
}

TEST_CASE("a message with its line and a caret") {
  CHECK(rendered("a: 1\nb: x y\nc: 2\n", 2, 6) == "f.yaml:2:6: error: wrong\n  b: x y\n       ^\n");
  CHECK(rendered("a: 1", 1, 1) == "f.yaml:1:1: error: wrong\n  a: 1\n  ^\n");
}

TEST_CASE("the caret stays at or after the end of the line") {
  CHECK(rendered("ab\n", 1, 3) == "f.yaml:1:3: error: wrong\n  ab\n    ^\n");
  CHECK(rendered("ab\n", 1, 4000000000u) == "f.yaml:1:4000000000: error: wrong\n  ab\n    ^\n");
}

TEST_CASE("without a line, without a file, beyond the end") {
  CHECK(rendered("a: 1\n", 0, 0) == "f.yaml: error: wrong\n");
  CHECK(rendered("a: 1\n", 9, 1) == "f.yaml:9:1: error: wrong\n");
  CHECK(rendered("a: 1\n\nb: 2\n", 2, 1) == "f.yaml:2:1: error: wrong\n");
  Diagnostics diagnostics;
  diagnostics.warning({}, "odd");
  CHECK(render(diagnostics) == "warning: odd\n");
}

TEST_CASE("tabs, carriage returns and a byte order mark take one column or none") {
  CHECK(rendered("\ta:\tb\r\n", 1, 5) == "f.yaml:1:5: error: wrong\n   a: b\n      ^\n");
  CHECK(rendered("\xef\xbb\xbf"
                 "ab: c",
                 1, 5) == "f.yaml:1:5: error: wrong\n  ab: c\n      ^\n");
}

TEST_CASE("control characters are shown, not obeyed") {
  CHECK(rendered("a\x1b[31m: b", 1, 7) == "f.yaml:1:7: error: wrong\n  a\\x1b[31m: b\n           ^\n");
  Diagnostics diagnostics;
  diagnostics.error({}, "`a\x1b]0;x\x07` is unknown");
  diagnostics.error({}, "`a\nb` is unknown");
  CHECK(render(diagnostics) == "error: `a\\x1b]0;x\\x07` is unknown\nerror: `a\\x0ab` is unknown\n");
  CHECK(rendered("\xc2\x9b"
                 "1: b",
                 1, 3) == "f.yaml:1:3: error: wrong\n  \\x9b1: b\n       ^\n");
}

TEST_CASE("columns count characters") { CHECK(rendered("\xc3\xa9\xe2\x86\x92: x", 1, 5) == "f.yaml:1:5: error: wrong\n  \xc3\xa9\xe2\x86\x92: x\n      ^\n"); }

TEST_CASE("a long line is shown around its column") {
  const std::string text = std::string(200, 'a') + "X" + std::string(200, 'b');
  const std::string expected =
      "f.yaml:1:201: error: wrong\n  ..." + std::string(60, 'a') + "X" + std::string(59, 'b') + "...\n  " + std::string(63, ' ') + "^\n";
  CHECK(rendered(text, 1, 201) == expected);
  CHECK(rendered(text, 1, 1) == "f.yaml:1:1: error: wrong\n  " + std::string(120, 'a') + "...\n  ^\n");
  CHECK(rendered(std::string(200, 'a'), 1, 201) == "f.yaml:1:201: error: wrong\n  ..." + std::string(120, 'a') + "\n  " + std::string(123, ' ') + "^\n");
}

TEST_CASE("notes are indented below their message") {
  const auto text = file("a: 1\na: 2\n");
  Diagnostics diagnostics;
  diagnostics.error(Span{text, 2, 1}, "twice").notes.push_back({Severity::note, Span{text, 1, 1}, "first here", {}});
  CHECK(render(diagnostics) == "f.yaml:2:1: error: twice\n  a: 2\n  ^\n  f.yaml:1:1: note: first here\n    a: 1\n    ^\n");
}

TEST_CASE("the same message at the same place is kept once, and fails every time") {
  Diagnostics diagnostics;
  diagnostics.error(Span{file("a"), 1, 1}, "wrong");
  diagnostics.error(Span{file("a"), 1, 1}, "wrong").notes.push_back({});  // Reported twice.
  diagnostics.warning(Span{file("a"), 1, 1}, "wrong");
  diagnostics.error(Span{file("a"), 1, 2}, "wrong");
  CHECK(diagnostics.all().size() == 3);
  CHECK(diagnostics.errors() == 3);
  CHECK(diagnostics.dropped() == 0);
  CHECK(diagnostics.all()[0].notes.empty());
}

TEST_CASE("warnings are no failure") {
  Diagnostics diagnostics;
  diagnostics.warning({}, "odd");
  CHECK_FALSE(diagnostics.has_errors());
  diagnostics.error({}, "wrong");
  CHECK(diagnostics.has_errors());
}

TEST_CASE("past the limit, messages are counted") {
  Diagnostics diagnostics;
  for (std::uint32_t i = 0; i < kMaxDiagnostics + 7; ++i) diagnostics.error(Span{file(""), i, 1}, "wrong");
  CHECK(diagnostics.all().size() == kMaxDiagnostics);
  CHECK(diagnostics.errors() == kMaxDiagnostics + 7);
  const std::string text = render(diagnostics);
  CHECK(text.substr(text.rfind("error: wrong\n")) == "error: wrong\n7 further messages are not shown\n");
}

TEST_CASE("append takes over messages, notes and counts") {
  Diagnostics a, b;
  a.error({}, "one");
  b.error({}, "one");
  b.error({}, "two").notes.push_back({Severity::note, {}, "why", {}});
  b.warning({}, "three");
  a.append(std::move(b));
  CHECK(render(a) == "error: one\nerror: two\n  note: why\nwarning: three\n");
  CHECK(a.errors() == 3);
  Diagnostics many;
  for (std::uint32_t i = 0; i < kMaxDiagnostics + 7; ++i) many.error(Span{file(""), i, 1}, "wrong");
  a.append(std::move(many));
  CHECK(a.all().size() == kMaxDiagnostics);
  CHECK(a.errors() == 3 + kMaxDiagnostics + 7);
  CHECK(a.dropped() == 3 + 7);
}

}  // namespace
}  // namespace opledger
