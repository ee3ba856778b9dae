#include "import/repetitions.h"

#include "base/text.h"
#include "import/abbreviations.h"
#include "import/toml.h"
#include "schemas/yaml_text.h"
#include "tests/support/documents.h"

namespace opledger {
namespace {

std::string list(const std::string& text) {
  const auto items = unroll_list(text);
  return items ? join(*items, ",") : "none";
}

/// Returns the expanded value of a field, or the messages.
std::string as(MappedField field, const std::string& value, bool flags = true) {
  FieldMapping mapping;
  mapping.kind = ConfigKind::launch;
  mapping.flags = flags;
  field.places = {"--x"};
  field.name = "x";
  Diagnostics diagnostics;
  const std::optional<Datum> out = expand_abbreviation(field, *datum("a: " + value).find("a"), mapping, diagnostics);
  return out ? yaml_flow(*out) : messages(diagnostics);
}

MappedField typed(const std::string& type) {
  MappedField field;
  field.type = *datum("a: " + type).find("a");
  return field;
}

}  // namespace

TEST_CASE("unrolled: rows of signs") {
  CHECK(unroll_signs("Et*3|(t|)*2,tL") == "Ettt|t|t|tL");
  CHECK(unroll_signs("") == "");
  CHECK(unroll_signs(" a , b\n") == "ab");
  CHECK(unroll_signs("a*0b") == "b");
  CHECK(unroll_signs("(a*2b)*2") == "aabaab");
  for (const char* wrong : {"a*", "*a", "(a", "a)", "((a)*2)*2", "a**2", "a*-1", "a*x", "a*99999999999999999999", "(aaaaaaaaaa)*16384"}) {
    CHECK_MESSAGE(!unroll_signs(wrong), wrong);
  }
}

TEST_CASE("unrolled: lists") {
  CHECK(list("[0]*3+[1]*2") == "0,0,0,1,1");
  CHECK(list("([1, 0] * 2 + [2])") == "1,0,1,0,2");
  CHECK(list("[1]") == "1");
  for (const char* wrong : {"", "0", "[1", "1]", "[1]*", "[1]+", "([1]", "[1])", "[1]*2*2", "[1]-[2]", "[1]*16385", "__import__('os')"})
    CHECK_MESSAGE(list(wrong) == "none", wrong);
}

TEST_CASE("spelled: values of arguments, by what a field says of its texts") {
  CHECK(as(typed("integer"), "4") == "4");
  CHECK(as(typed("boolean"), "true") == "true");
  CHECK(as(typed("boolean"), "false") == "1:4: `--x`: a flag can't be false: leave it out\n");
  CHECK(as(typed("boolean"), "false", false) == "false");
  CHECK(as(typed("{list: integer}"), "[1, 2]") == "[1, 2]");
  CHECK(as(typed("{list: integer}"), "\"[1 2]\"") == "[1, 2]");
  CHECK(as(typed("{list: integer}"), "3") == "[3]");
  CHECK(as(typed("{list: text}"), "a,b", false) == "[a, b]");
  CHECK(as(typed("integer"), "$N") == "1:4: `--x`: `$N` is unknown, because scripts are not run: set it with `--set N=…`\n");
  CHECK(as(typed("integer"), "$(nproc)") == "1:4: `--x`: `$(nproc)` is a command, and scripts are not run: set the value with `--set x=…`\n");
}

TEST_CASE("spelled: forms, letters, pieces, repetitions, numbers among words") {
  MappedField number = typed("integer");
  number.form = "number";
  CHECK(as(number, "2") == "2");
  CHECK(as(number, "\"[1]*2\"") == "null");
  MappedField unrolled = typed("{list: integer}");
  unrolled.form = "list";
  unrolled.unrolled = true;
  CHECK(as(unrolled, "\"([1]*2+[0])\"") == "[1, 1, 0]");
  CHECK(as(unrolled, "2") == "null");
  CHECK(as(unrolled, "\"[1\"") == "1:4: `--x`: expected a list like `([0]*3+[1]*58)`\n");
  MappedField letters = typed("{list: text}");
  letters.letters = datum("{M: mamba, \"*\": attention, \"|\": null}");
  CHECK(as(letters, "\"M*|M\"") == "[mamba, attention, mamba]");
  CHECK(as(letters, "MX") == "1:4: `x`: unknown sign `X`; signs are M, *, |\n");
  letters.between = "|";
  letters.counted_item = "mamba";
  CHECK(as(letters, "\"M*|MM*||\"") == "[1, 2, 0, 0]");  // `*` is a sign, because the field allows no repetitions.
  letters.unrolled = true;
  CHECK(as(letters, "\"M|(M|)*2\"") == "[1, 1, 1, 0]");
  MappedField names = typed("{list: integer}");
  names.between = "|";
  names.counted_item = "layers.*";
  CHECK(as(names, "[[a, layers.0, layers.1], [layers.2, b], []]", false) == "[2, 1, 0]");
  MappedField words = typed("integer");
  words.words = datum("{op: 0}");
  CHECK(as(words, "\"2\"", false) == "2");
  CHECK(as(words, "op", false) == "op");
  CHECK(as(typed("integer"), "\"2\"", false) == "\"2\"");  // A field without words is no text.
}

TEST_CASE("toml: documents with their places") {
  const auto read = [](const std::string& text) {
    Diagnostics diagnostics;
    const auto root = parse_toml(std::make_shared<const SourceFile>("t.toml", text), diagnostics);
    return root ? yaml_flow(*root) : messages(diagnostics);
  };
  CHECK(read("") == "{}");
  CHECK(read("a = 1\n[b]\nc = \"2\"\nd.e = [true, 1.5, 1e3]\n") == "{a: 1, b: {c: \"2\", d: {e: [true, 1.5, 1000]}}}");
  CHECK(read("a = 1979-05-27\n") == "{a: 1979-05-27}");
  CHECK(read("a = 1\na = 2\n").starts_with("2:"));
  CHECK(read("a = \n").starts_with("1:"));
  CHECK(read("[a\n").find("this is no TOML") != std::string::npos);
  CHECK(read("a = \"\xff\"\n").find("this is no TOML") != std::string::npos);
  CHECK(read("a = " + std::string(2000, '[') + "\n").find("this is no TOML") != std::string::npos);
  Diagnostics diagnostics;
  const auto root = parse_toml(std::make_shared<const SourceFile>("t.toml", "\n[b]\n  c = 2\n"), diagnostics);
  REQUIRE(root);
  CHECK(root->find("b")->find("c")->span().line == 3);
  CHECK(root->find("b")->find("c")->span().column == 7);
}

}  // namespace opledger
