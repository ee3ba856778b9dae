#include "ops/definition.h"

#include "expr/printer.h"
#include "tests/support/documents.h"

namespace opledger {
namespace {

std::string text(const Definition& d) {
  std::string result = d.name + ":";
  for (const auto& [word, formula] : d.cases) result += " " + word + "=" + to_source(*formula);
  if (d.otherwise) result += " is " + to_source(*d.otherwise);
  if (d.when) result += " when " + to_source(*d.when);
  if (d.unit) result += " unit " + d.unit_text;
  for (const auto& [word, name] : d.published) result += " as " + (word.empty() ? "" : word + "=") + name;
  for (const Definition& let : d.lets) result += " let(" + text(let) + ")";
  return result;
}

/// Returns all definitions of a document, or the messages.
std::string read(const std::string& yaml) {
  Diagnostics diagnostics;
  std::string result;
  for (const Definition& d : parse_definitions(datum(yaml), diagnostics)) result += text(d) + "\n";
  return diagnostics.has_errors() ? messages(diagnostics) : result;
}

}  // namespace

TEST_CASE("definitions: every form") {
  const std::pair<std::string, std::string> cases[] = {
      {"x: a + b", "x: is a + b\n"},
      {"x: 3", "x: is 3\n"},
      {"x: true", "x: is true\n"},
      {"x: null", "x: is null\n"},
      {"x: \"min(a, b)\"", "x: is min(a, b)\n"},
      {"x: [a, b + 1]", "x: is [a, b + 1]\n"},
      {"x: {forward: 1, else: 0}", "x: forward=1 is 0\n"},
      {"x: {when: a > 1, is: b}", "x: is b when a > 1\n"},
      {"x: {is: b, unit: byte/s, doc: d, source: s}", "x: is b unit byte/s\n"},
      {"x: {is: b, as: name}", "x: is b as name\n"},
      {"x: {is: b, as: {fw: one, bw: two}}", "x: is b as fw=one as bw=two\n"},
      {"x: {let: {y: 2}, is: y}", "x: is y let(y: is 2)\n"},
      {"x: {unit: s}", "x: unit s\n"},
      {"x: 1\ny: 2", "x: is 1\ny: is 2\n"},
  };
  for (const auto& [yaml, expected] : cases) CHECK(read(yaml) == expected);
}

TEST_CASE("definitions: mistakes") {
  const std::pair<std::string, std::string> cases[] = {
      {"x: {}", "1:4: `x` says nothing\n"},
      {"x: {is: 1, else: 2}", "1:12: `x` has both `is` and `else`\n"},
      {"x: {unit: furlong}", "1:11: unknown unit `furlong`\n"},
      {"x: {fw: {is: 1}}", "1:9: `fw` must be a formula, found a mapping\n"},
      {"x: {doc: [1], is: 1}", "1:10: `doc` must be text, found a list\n"},
      {"x: {as: [1], is: 1}", "1:9: `as` must be a name or a name per word, found a list\n"},
      {"[1]", "1:1: expected a mapping of names to definitions, found a list\n"},
  };
  for (const auto& [yaml, expected] : cases) CHECK(read(yaml) == expected);
}

TEST_CASE("definitions: a mistake inside quotes is shown where it is") {
  Diagnostics diagnostics;
  parse_definitions(datum("x: \"a + )\""), diagnostics);
  REQUIRE(diagnostics.errors() == 1);
  CHECK(diagnostics.all()[0].span.column == 9);
}

}  // namespace opledger
