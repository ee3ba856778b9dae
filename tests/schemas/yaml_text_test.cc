#include "schemas/yaml_text.h"

#include <utility>

#include "tests/support/documents.h"

namespace opledger {

TEST_CASE("yaml text: quoted only where it would be read as something else") {
  const std::pair<std::string, std::string> cases[] = {
      {"gpt3-175B", "gpt3-175B"},
      {"a b (c) - d.json", "a b (c) - d.json"},
      {"12", "\"12\""},
      {"1e5", "\"1e5\""},
      {"true", "\"true\""},
      {"null", "\"null\""},
      {"", "\"\""},
      {" a", "\" a\""},
      {"a ", "\"a \""},
      {"- a", "\"- a\""},
      {"-a", "-a"},
      {"a: b", "\"a: b\""},
      {"a #b", "\"a #b\""},
      {"a\"b\\", "\"a\\\"b\\\\\""},
      {"a\nb", "\"a\\x0ab\""},
      {"[a]", "\"[a]\""},
      {"{a}", "\"{a}\""},
      {"ü", "\"ü\""},
      {"*a", "\"*a\""},
      {"&a", "\"&a\""},
  };
  for (const auto& [text, expected] : cases) {
    CHECK(yaml_text(text) == expected);
    const Datum read = datum("- " + yaml_text(text) + "\n");
    CHECK(read.items()[0].text() == text);
    CHECK(!read.items()[0].number());
    CHECK(!read.items()[0].is_null());
  }
}

TEST_CASE("yaml text: values in one line") {
  const std::string text = R"({a: [1, 2.50, 1e-05], b: {c: null, "d e": "true"}, f: [], g: {}, h: "12", i: true})";
  CHECK(yaml_flow(datum(text)) == "{a: [1, 2.50, 1e-05], b: {c: null, d e: \"true\"}, f: [], g: {}, h: \"12\", i: true}");
  CHECK(yaml_flow(datum(yaml_flow(datum(text)))) == yaml_flow(datum(text)));
}

}  // namespace opledger
