#include "schemas/document.h"

#include <doctest/doctest.h>

#include <ctime>

#include "base/limits.h"
#include "tests/schemas/temporary_folder.h"

namespace opledger {
namespace {

struct Parsed {
  std::optional<Datum> root;
  std::string messages;
};

Parsed parse(std::string text) {
  Diagnostics diagnostics;
  Parsed parsed;
  parsed.root = parse_document(std::make_shared<const SourceFile>(SourceFile{"f.yaml", std::move(text)}), diagnostics);
  parsed.messages = render(diagnostics);
  return parsed;
}

// Returns the tree on one line: quoted text in quotes, null as `~`.
std::string shown(const Datum& datum) {
  std::string result;
  switch (datum.kind()) {
    case Datum::Kind::null:
      return "~";
    case Datum::Kind::scalar:
      return datum.quoted() ? '"' + datum.text() + '"' : datum.text();
    case Datum::Kind::list:
      for (const Datum& item : datum.items()) result += (result.empty() ? "" : " ") + shown(item);
      return "[" + result + "]";
    case Datum::Kind::map:
      break;
  }
  for (const Datum::Entry& entry : datum.entries()) result += (result.empty() ? "" : " ") + shown(entry.first) + "=" + shown(entry.second);
  return "{" + result + "}";
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

TEST_CASE("documents become trees") {
  struct {
    std::string text, expected;
  } const cases[] = {
      {"a: 1\nb: [x, 'y', \"z\"]\n", "{a=1 b=[x \"y\" \"z\"]}"},
      {"a:\n  - b: c\n    d: e\n  -\n", "{a=[{b=c d=e} ~]}"},
      {"a: b + c * (d - 1)\n", "{a=b + c * (d - 1)}"},
      {"a: >\n  x +\n  y\nb: |\n  z\n", "{a=x + y\n b=z\n}"},
      {"a: ~\nb: null\nc:\nd: 'null'\n", "{a=~ b=~ c=~ d=\"null\"}"},
      {"a: yes\nb: true\n", "{a=yes b=true}"},
      {"{\"a\":1,\n\t\"b\":[true,null,\"x\\u00e9\\/\"]}", "{\"a\"=1 \"b\"=[true ~ \"x\xc3\xa9/\"]}"},
      {"\xef\xbb\xbf"
       "a: 1\r\nb: [1,\r\n  2]\r\n",
       "{a=1 b=[1 2]}"},
      {"%YAML 1.2\n---\na: 1\n...\n# end\n", "{a=1}"},
      {"- 1\n", "[1]"},
      {"word", "word"},
      {"a: &x {p: 1}\nb: *x\nc: [*x, *x]\n", "{a={p=1} b={p=1} c=[{p=1} {p=1}]}"},
      {"a: &x 1\nb: &x 2\nc: *x\n", "{a=1 b=2 c=2}"},
      {"&k a: *k\n", "{a=a}"},
      {"'<<': 1\n", "{\"<<\"=1}"},
      {"a b: 1\n? c\n: 2\n", "{a b=1 c=2}"},
      {"1: one\ntrue: two\n", "{1=one true=two}"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const Parsed parsed = parse(c.text);
    CHECK(parsed.messages == "");
    REQUIRE(parsed.root);
    CHECK(shown(*parsed.root) == c.expected);
  }
}

TEST_CASE("values know where they are") {
  const Parsed parsed = parse("a: 1\n\xc3\xa9: {b: [x, \"\xc3\xa9\", y]}\n");
  REQUIRE(parsed.root);
  CHECK(to_string(parsed.root->find("a")->span()) == "f.yaml:1:4");
  const Datum& list = *parsed.root->entries()[1].second.find("b");
  CHECK(to_string(list.span()) == "f.yaml:2:8");
  CHECK(to_string(list.items()[2].span()) == "f.yaml:2:17");
  CHECK(to_string(parse("\xef\xbb\xbf"
                        "ab: c")
                      .root->find("ab")
                      ->span()) == "f.yaml:1:5");
  CHECK(to_string(parse("a: 1\r\nb: 2\r\n").root->find("b")->span()) == "f.yaml:2:4");
}

TEST_CASE("messages") {
  struct {
    std::string text, expected;
  } const cases[] = {
      {"", "f.yaml:1:1: error: the document is empty\n"},
      {"# nothing\n", "f.yaml:1:1: error: the document is empty\n  # nothing\n  ^\n"},
      {"---\n...\n", "f.yaml:1:1: error: the document is empty\n  ---\n  ^\n"},
      {"a: 1\n---\nb: 2\n", "f.yaml:2:1: error: a file holds one document, and a second one begins here\n  ---\n  ^\n"},
      {"a: 1\nb: 2\na: 3\na: 4\n",
       "f.yaml:3:1: error: key `a` is here twice\n  a: 3\n  ^\n  f.yaml:1:1: note: first here\n    a: 1\n    ^\n"
       "f.yaml:4:1: error: key `a` is here twice\n  a: 4\n  ^\n  f.yaml:1:1: note: first here\n    a: 1\n    ^\n"},
      {"'1': a\n1: b\n", "f.yaml:2:1: error: key `1` is here twice\n  1: b\n  ^\n  f.yaml:1:1: note: first here\n    '1': a\n    ^\n"},
      {"[a, b]: c\n", "f.yaml:1:1: error: a key must be text, and this is a list\n  [a, b]: c\n  ^\n"},
      {"x: {{a: 1}: b}\n", "f.yaml:1:5: error: a key must be text, and this is a mapping\n  x: {{a: 1}: b}\n      ^\n"},
      {"~: c\n", "f.yaml:1:1: error: a key must be text, and this is nothing\n  ~: c\n  ^\n"},
      {"a: &x {p: 1}\nb:\n  <<: *x\n", "f.yaml:3:3: error: merge keys (`<<`) are not understood: write the keys out\n    <<: *x\n    ^\n"},
      {"a: *x\n", "f.yaml:1:4: error: this alias has no anchor (`&NAME`) before it\n  a: *x\n     ^\n"},
      {"a: &x [*x]\n", "f.yaml:1:8: error: this alias refers to a value that contains it\n  a: &x [*x]\n         ^\n"},
      {"a: !foo 1\n", "f.yaml:1:4: error: tag `!foo` is not understood: documents have no tags\n  a: !foo 1\n     ^\n"},
      {"a: !!int 1\nb: !!seq []\n",
       "f.yaml:1:4: error: tag `!!int` is not understood: documents have no tags\n  a: !!int 1\n     ^\n"
       "f.yaml:2:4: error: tag `!!seq` is not understood: documents have no tags\n  b: !!seq []\n     ^\n"},
      {"a: b: c\n", "f.yaml:1:5: error: a `: ` is not allowed here: check the indentation and the line above, or quote the text\n  a: b: c\n      ^\n"},
      {"a: [1, 2\nb: 3\n", "f.yaml:2:2: error: this is not how a `[...]` goes on: `,` or `]` is missing before here\n  b: 3\n   ^\n"},
      {"a: {b: 1\n", "f.yaml:2:1: error: this is not how a `{...}` goes on: `,` or `}` is missing before here\n"},
      {"a: 1\n  b: 2\n", "f.yaml:2:4: error: a `: ` is not allowed here: check the indentation and the line above, or quote the text\n    b: 2\n     ^\n"},
      {"a: 1\nb\n", "f.yaml:2:1: error: a `: ` is missing after this key\n  b\n  ^\n"},
      {"a: 1\nb:c\n", "f.yaml:2:1: error: a `: ` is missing after this key\n  b:c\n  ^\n"},
      {"- a\nb: 1\n", "f.yaml:2:1: error: this does not continue the value before it: check the indentation\n  b: 1\n  ^\n"},
      {"{a: 1}\nb\n", "f.yaml:2:1: error: this does not continue the value before it: check the indentation\n  b\n  ^\n"},
      {"a: 'x' y\n", "f.yaml:1:8: error: this is not how a mapping goes on: `KEY: VALUE` is expected at the mapping's indentation\n  a: 'x' y\n         ^\n"},
      {"a:\n  - b\n  c: d\n", "f.yaml:3:3: error: this is not how a mapping goes on: `KEY: VALUE` is expected at the mapping's indentation\n    c: d\n    ^\n"},
      {"a: 'x", "f.yaml:1:6: error: the document ends inside quoted text\n  a: 'x\n       ^\n"},
      {"a: 'x\n---\n", "f.yaml:2:1: error: a document mark (`---` or `...`) is inside quoted text\n  ---\n  ^\n"},
      {"a: 'x\n", "f.yaml:2:1: error: the document ends inside quoted text\n"},
      {"a: ]\n", "f.yaml:1:4: error: a closing bracket without an opening one\n  a: ]\n     ^\n"},
      {"a: @b\n", "f.yaml:1:4: error: text can't begin with this character: quote it\n  a: @b\n     ^\n"},
      {"a: 1\n\tb: 2\n", "f.yaml:2:1: error: a tab can't indent: use blanks\n   b: 2\n  ^\n"},
      {"a: \"\\q\"\n", "f.yaml:1:7: error: this is no YAML: unknown escape character: q\n  a: \"\\q\"\n        ^\n"},
      {"a: *\n", "f.yaml:1:5: error: `*` begins an alias, whose name is missing: quote the text if it is none\n  a: *\n      ^\n"},
      {"a: &\n", "f.yaml:1:5: error: `&` begins an anchor, whose name is missing: quote the text if it is none\n  a: &\n      ^\n"},
      {"a: b\n- c\n", "f.yaml:2:1: error: this is not how a mapping goes on: `KEY: VALUE` is expected at the mapping's indentation\n  - c\n  ^\n"},
      {"a: - b\n", "f.yaml:1:4: error: `- ` can't begin a list here\n  a: - b\n     ^\n"},
      {"a: |x\n", "f.yaml:1:5: error: only an indentation indicator can follow `|` or `>` on its line\n  a: |x\n      ^\n"},
      {"a: \x01\n", "f.yaml:1:4: error: control characters are not allowed in a document (this one is 0x01)\n  a: \\x01\n     ^\n"},
      {"a: 1\nb: \x80\n", "f.yaml: error: this is no text file: byte 9 is no UTF-8\n"},
      {"a: \xc0\xaf", "f.yaml: error: this is no text file: byte 4 is no UTF-8\n"},
      {"a: \xed\xa0\x80", "f.yaml: error: this is no text file: byte 4 is no UTF-8\n"},
      {"a: \xf4\x90\x80\x80", "f.yaml: error: this is no text file: byte 4 is no UTF-8\n"},
      {"\xff\xfe"
       "a",
       "f.yaml: error: this is no text file: byte 1 is no UTF-8\n"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(parse(c.text).messages == c.expected);
  }
  CHECK(parse(std::string("a\0b", 3)).messages == "f.yaml: error: this is no text file: byte 2 is zero\n");
}

TEST_CASE("after a wrong key the rest is still read") {
  const Parsed parsed = parse("a: 1\na: [2, {b: 3}]\n[x]: 4\nc: 5\n");
  REQUIRE(parsed.root);
  CHECK(shown(*parsed.root) == "{a=1 c=5}");
}

TEST_CASE("nesting up to the limit and no further") {
  const std::size_t most = kMaxDocumentDepth;
  CHECK(parse(repeated("[", most) + repeated("]", most)).messages == "");
  CHECK(parse(repeated("- ", most) + "x").messages == "");
  for (const std::size_t depth : {most + 1, std::size_t{10'000}, std::size_t{200'000}}) {
    for (const std::string open : {"[", "{a: ", "- ", "? "}) {
      CAPTURE(depth);
      CAPTURE(open);
      const std::string messages = parse(repeated(open, depth)).messages;
      CHECK(messages.find(": error: nested too deep: at most 64 lists and mappings\n") != std::string::npos);
    }
  }
}

TEST_CASE("aliases don't hide depth") {
  const std::string text = "a: &x " + repeated("[", 40) + repeated("]", 40) + "\nb: " + repeated("[", 40) + "*x" + repeated("]", 40) + "\n";
  CHECK(parse(text).messages.find("f.yaml:2:44: error: nested too deep: at most 64 lists and mappings\n") == 0);
}

// Each level repeats the previous one ten times: twenty levels would be 10^20 values. The bomb is rejected in the sixth
// line, when about sixty values exist.
TEST_CASE("an alias bomb is counted, not expanded") {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i <= 20; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + repeated(", " + before, 9) + "]\n";
  }
  const std::string messages = parse(text).messages;
  CHECK(messages.substr(0, messages.find('\n')) == "f.yaml:6:45: error: too many values: a document has at most 1000000 of them, aliases expanded");
}

TEST_CASE("an alias that stays within the limit shares its anchor's values") {
  const Parsed parsed = parse("a: &x [1, 2]\nb: *x\n");
  REQUIRE(parsed.root);
  CHECK(&parsed.root->find("a")->items() == &parsed.root->find("b")->items());
}

TEST_CASE("very many values are refused before they are read") {
  const std::string messages = parse("[" + repeated("1,\n", kMaxDocumentValues + 1) + "]").messages;
  CHECK(messages.find("f.yaml:1000001:2: error: too many values: a document has at most 1000000 of them, aliases expanded\n") == 0);
}

TEST_CASE("a text that is too large") {
  CHECK(parse(std::string(kMaxDocumentBytes + 1, ' ')).messages == "f.yaml: error: `f.yaml` is too large: a document has at most 16 MiB\n");
}

TEST_CASE("a document of a hundred kilobytes takes milliseconds") {
  const std::string text = repeated("- {name: q, op: linear, in: x, out: [batch, seq, heads, head_dim], when: a > 0}\n", 1250);
  const std::clock_t start = std::clock();  // CPU time of this process, independent of other load.
  CHECK(parse(text).messages == "");
  // Ten to thirty times below the bound when measured. The bound allows slow machines and sanitizers, and still detects
  // quadratic time.
  CHECK(std::clock() - start < 5 * CLOCKS_PER_SEC);
}

TEST_CASE("files that can't be read") {
  const TemporaryFolder folder;
  const auto message = [&](const std::filesystem::path& path) {
    Diagnostics diagnostics;
    CHECK(read_source(path, diagnostics) == nullptr);
    return folder.masked(render(diagnostics));
  };
  CHECK(message(folder.path() / "none.yaml") == "error: there is no file `DIR/none.yaml`\n");
  CHECK(message(folder.path()) == "error: `DIR` is a folder, not a file\n");
  CHECK(message(folder.write("binary.yaml", std::string("\x7f"
                                                        "ELF\0",
                                                        5))) ==
        "DIR/binary.yaml:1:1: error: control characters are not allowed in a document (this one is 0x7f)\n  \\x7fELF\\x00\n  ^\n");
  CHECK(message(folder.write("zero.yaml", std::string("PK\0", 3))) == "DIR/zero.yaml: error: this is no text file: byte 3 is zero\n");
  CHECK(message(folder.write("large.yaml", std::string(kMaxDocumentBytes + 1, 'a'))) ==
        "error: `DIR/large.yaml` is too large: a document has at most 16 MiB\n");
}

TEST_CASE("a missing file is reported with its reference") {
  const auto source = std::make_shared<const SourceFile>(SourceFile{"f.yaml", "uses: none.yaml\n"});
  Diagnostics diagnostics;
  CHECK(read_source("/none/none.yaml", diagnostics, Span{source, 1, 7}) == nullptr);
  CHECK(render(diagnostics) == "f.yaml:1:7: error: there is no file `/none/none.yaml`\n  uses: none.yaml\n        ^\n");
}

TEST_CASE("a file keeps its path and text") {
  const TemporaryFolder folder;
  Diagnostics diagnostics;
  const auto source = read_source(folder.write("a.yaml", "a: 1\n"), diagnostics);
  REQUIRE(source);
  CHECK(folder.masked(source->path) == "DIR/a.yaml");
  CHECK(source->text == "a: 1\n");
  CHECK_FALSE(diagnostics.has_errors());
}

}  // namespace
}  // namespace opledger
