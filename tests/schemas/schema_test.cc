#include "schemas/schema.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "schemas/checker.h"
#include "schemas/kinds.h"
#include "tests/paths.h"
#include "tests/schemas/parse.h"

namespace opledger {
namespace {

std::string messages(const std::string& schema, const std::string& text) {
  std::string problem;
  const auto read = read_schema(schema, problem);
  REQUIRE_MESSAGE(read, problem);
  Diagnostics diagnostics;
  const bool good = check_schema(*read, parsed(text), diagnostics);
  CHECK(good == !diagnostics.has_errors());
  std::string result;
  for (const Diagnostic& d : diagnostics.all()) result += to_string(d.span).substr(7) + " " + d.message + "\n";
  return result;
}

TEST_CASE("keywords, one by one") {
  struct {
    std::string schema, text, expected;
  } const cases[] = {
      {R"(true)", "a: 1", ""},
      {R"(false)", "a: 1", "1:1 nothing is allowed here\n"},
      {R"({"type": "string"})", "12", ""},
      {R"({"type": "string"})", "[]", "1:1 expected text, found a list\n"},
      {R"({"type": "number"})", "-1.5e3", ""},
      {R"({"type": "number"})", "x", "1:1 expected a number, found text\n"},
      {R"({"type": "number"})", "'12'", "1:1 expected a number, found text\n"},
      {R"({"type": "integer"})", "1e3", ""},
      {R"({"type": "integer"})", "1.5", "1:1 expected a whole number, found a number\n"},
      {R"({"type": "boolean"})", "true", ""},
      {R"({"type": "boolean"})", "yes", "1:1 expected true or false, found text\n"},
      {R"({"type": "array"})", "{}", "1:1 expected a list, found a mapping\n"},
      {R"({"type": "object"})", "[]", "1:1 expected a mapping, found a list\n"},
      {R"({"type": ["number", "boolean", "array", "object"]})", "x", "1:1 expected a number, true or false, a list or a mapping, found text\n"},
      {R"({"properties": {"a": {"type": "null"}}})", "{a: 1}", "1:5 expected nothing for `a`, found a number\n"},
      {R"({"properties": {"a": {"type": "null"}}})", "{a: }", ""},
      {R"({"enum": ["train", "infer"]})", "trian", "1:1 unknown word `trian` (did you mean `train`?): expected `train` or `infer`\n"},
      {R"({"enum": ["train", "infer"]})", "[train]", "1:1 expected text, found a list\n"},
      {R"({"enum": [1, true, "x"]})", "true", ""},
      {R"({"const": "ops"})", "rules", "1:1 unknown word `rules`: expected `ops`\n"},
      {R"({"minimum": 1, "maximum": 8})", "0", "1:1 expected at least 1, found 0\n"},
      {R"({"minimum": 1, "maximum": 8})", "9", "1:1 expected at most 8, found 9\n"},
      {R"({"minimum": 1, "maximum": 8})", "8", ""},
      {R"({"pattern": "^[a-z]+$"})", "abc", ""},
      {R"({"pattern": "^[a-z]+$"})", "a1", "1:1 `a1` is not of the form `^[a-z]+$`\n"},
      {R"({"former": {"b": "a"}, "required": ["a"], "properties": {"a": {"type": "number"}}})", "b: 1", ""},
      {R"({"former": {"b": "a"}, "required": ["a"], "properties": {"a": {"type": "number"}}})", "b: x", "1:4 expected a number for `b`, found text\n"},
      {R"({"former": {"b": "a"}})", "{a: 1, b: 2}", "1:11 `b` is the former name of `a`, which is here too\n"},
      {R"({"required": ["a", "b"]})", "b: 1", "1:1 missing key `a`\n"},
      {R"({"properties": {"a": {"required": ["b"]}}})", "a: {}", "1:4 missing key `b` in `a`\n"},
      {R"({"properties": {"phase": true}, "additionalProperties": false})", "phse: 1", "1:1 unknown key `phse` (did you mean `phase`?)\n"},
      {R"({"properties": {"phase": true}, "additionalProperties": false})", "x: 1", "1:1 unknown key `x`; known keys: `phase`\n"},
      {R"({"additionalProperties": false})", "x: 1", "1:1 unknown key `x`\n"},
      {R"({"additionalProperties": {"type": "number"}})", "{a: 1, b: x}", "1:11 expected a number for `b`, found text\n"},
      {R"({"patternProperties": {"^x": {"type": "number"}}, "additionalProperties": false})", "{xa: a, y: 1}",
       "1:6 expected a number for `xa`, found text\n1:9 unknown key `y`\n"},
      {R"({"propertyNames": {"pattern": "^[a-z]+$"}})", "{a: 1, B: 2}", "1:8 `B` for `B` is not of the form `^[a-z]+$`\n"},
      {R"({"items": {"type": "number"}})", "[1, x, 2, y]", "1:5 expected a number for `[1]`, found text\n1:11 expected a number for `[3]`, found text\n"},
      {R"({"minItems": 2})", "[1]", "1:1 expected at least 2 values in the list\n"},
      {R"({"minItems": 1})", "[]", "1:1 expected at least one value in the list\n"},
      {R"({"anyOf": [{"type": "number"}, {"type": "array"}]})", "x", "1:1 expected a number or a list, found text\n"},
      {R"({"anyOf": [{"type": "number", "minimum": 1}, {"type": "array"}]})", "0", "1:1 expected at least 1, found 0\n"},
      {R"({"anyOf": [{"type": "number", "minimum": 1}, {"type": "array"}]})", "[]", ""},
      {R"({"anyOf": [{"required": ["op"]}, {"required": ["block"]}]})", "{}", "1:1 missing key `op` or `block`\n"},
      {R"({"oneOf": [{"required": ["op"]}, {"required": ["block"]}]})", "{op: 1, block: 2}", "1:1 this is ambiguous: it could mean several things\n"},
      {R"({"oneOf": [{"required": ["op"]}, {"required": ["block"]}]})", "{op: 1}", ""},
      {R"({"oneOf": [{"required": ["op"]}, {"required": ["block"]}]})", "{}", "1:1 missing key `op` or `block`\n"},
      {R"({"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}})", "{a: 1}", "1:1 missing key `b`\n"},
      {R"({"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}})", "{d: 1}", "1:1 missing key `c`\n"},
      {R"({"if": {"required": ["a"]}, "then": {"required": ["b"]}})", "{d: 1}", ""},
      {R"({"items": {"$ref": "#/definitions/n"}, "definitions": {"n": {"type": ["number", "array"], "items": {"$ref": "#/definitions/n"}}}})", "[1, [2, [x]]]",
       "1:10 expected a number or a list for `[1][1][0]`, found text\n"},
      {R"({"properties": {"n": {"items": {"properties": {"a": {"type": "array"}}}}}})", "n: [{}, {a: {}}]",
       "1:13 expected a list for `n[1].a`, found a mapping\n"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.schema);
    CAPTURE(c.text);
    CHECK(messages(c.schema, c.text) == c.expected);
  }
}

TEST_CASE("all mistakes of a document are reported") {
  const std::string schema = R"({"required": ["z"], "properties": {"a": {"type": "number"}, "b": {"type": "array"}}, "additionalProperties": false})";
  CHECK(messages(schema, "a: x\nb: y\nc: 1\n") ==
        "1:1 missing key `z`\n1:4 expected a number for `a`, found text\n2:4 expected a list for `b`, found text\n3:1 unknown key `c`; known keys: `a`, `b`\n");
}

TEST_CASE("a pattern is not tried on very long text") {
  CHECK(messages(R"({"pattern": "^(a|b)*$"})", std::string(100'000, 'a')).find(" is not of the form `^(a|b)*$`\n") != std::string::npos);
}

TEST_CASE("schemas outside the subset are refused") {
  struct {
    std::string schema, problem;
  } const cases[] = {
      {R"({"allOf": []})", "keyword `allOf` is not understood"},
      {R"({"properties": {"a": {"format": "uri"}}})", "keyword `format` is not understood"},
      {R"({"type": "text"})", "type `text` is not understood"},
      {R"({"$ref": "other.json"})", "reference `other.json` is not understood"},
      {R"({"$ref": "#/definitions/a"})", "no definition `a` is not understood"},
      {R"([])", "a schema is an object or a boolean is not understood"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.schema);
    std::string problem;
    CHECK(read_schema(c.schema, problem) == nullptr);
    CHECK(problem == c.problem);
  }
  std::string problem;
  CHECK(read_schema("{", problem) == nullptr);
  CHECK(problem != "");
  CHECK(read_schema(R"({"pattern": "("})", problem) == nullptr);
}

TEST_CASE("every kind has a schema, and every schema a kind") {
  CHECK(find_schema("nonsense") == nullptr);
  for (const DocumentKind& kind : kDocumentKinds) {
    CAPTURE(kind.name);
    std::string problem;
    CHECK(read_schema(schema_text(kind.name), problem) != nullptr);
    CHECK(problem == "");
    CHECK(find_schema(kind.name) != nullptr);
    CHECK(find_schema(kind.name) == find_schema(kind.name));
  }
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/schemas")) {
    const std::string name = entry.path().filename().string();
    const std::size_t suffix = name.find(".schema.json");
    if (suffix != std::string::npos) files.insert(name.substr(0, suffix));
  }
  const std::vector<std::string> names = kind_names();
  CHECK(files == std::set<std::string>(names.begin(), names.end()));
}

// Definitions with one name have one text in all schemas. Each schema contains its own copy, so that an editor needs a
// single file.
TEST_CASE("definitions of one name are equal in all schemas, and all are described") {
  std::map<std::string, nlohmann::json> seen;
  for (const DocumentKind& kind : kDocumentKinds) {
    std::ifstream file(source_folder() + "/schemas/" + std::string(kind.name) + ".schema.json");
    const nlohmann::json schema = nlohmann::json::parse(file);
    const nlohmann::json definitions = schema.value("definitions", nlohmann::json::object());
    for (const auto& [name, definition] : definitions.items()) {
      CAPTURE(name);
      CHECK(seen.emplace(name, definition).first->second == definition);
      CHECK(definition.contains("description"));
    }
    CHECK(schema.contains("title"));
    for (const auto& [name, property] : schema["properties"].items()) {
      CAPTURE(name);
      // A forbidden key needs no description.
      CHECK((property == false || property.contains("description")));
    }
  }
}

}  // namespace
}  // namespace opledger
