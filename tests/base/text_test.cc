#include "base/text.h"

#include <doctest/doctest.h>

namespace opledger {
namespace {

TEST_CASE("nearest: what was probably meant") {
  const std::vector<std::string> known = {"phase", "kv_heads", "heads", "vocab", "tp", "dp"};
  struct {
    std::string_view word, expected;
  } const cases[] = {
      {"phse", "phase"}, {"pahse", "phase"}, {"kv_head", "kv_heads"}, {"haeds", "heads"}, {"vocabulary", ""}, {"t", ""},
      {"", ""},          {"phase", ""},      {"xyzzy", ""},           {"PHASE", ""},      {"pt", "tp"},       {"pd", "dp"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.word);
    CHECK(nearest(c.word, known) == c.expected);
  }
}

TEST_CASE("nearest: the first of equally near candidates, and none for very long words") {
  CHECK(nearest("bat", {"cat", "rat"}) == "cat");
  CHECK(nearest("word", {}).empty());
  CHECK(nearest(std::string(65, 'a'), {std::string(64, 'a')}).empty());
  CHECK(nearest(std::string(64, 'a'), {std::string(63, 'a')}) == std::string(63, 'a'));
}

TEST_CASE("suggestion: a text to append") {
  CHECK(suggestion("phse", {"phase"}) == " (did you mean `phase`?)");
  CHECK(suggestion("xyz", {"phase"}).empty());
  CHECK(suggestion("opt", {"optimizer", "optimizer"}) == " (did you mean `optimizer`?)");
  CHECK(suggestion("use_gradient_checkpointing", {"no_gradient_checkpointing", "gradient_checkpointing"}) == " (did you mean `gradient_checkpointing`?)");
}

TEST_CASE("suggestion: beginnings of names, and ends after a point, if no name is near") {
  const std::vector<std::string> systems = {"a100-80g-sxm", "h100-80g-pcie", "h100-80g-sxm", "mi300x-192g"};
  CHECK(suggestion("a100", systems) == " (did you mean `a100-80g-sxm`?)");
  CHECK(suggestion("h100", systems) == " (did you mean `h100-80g-pcie` or `h100-80g-sxm`?)");
  CHECK(suggestion("memory.capacity", {"system", "system.memory", "system.memory.capacity"}) == " (did you mean `system.memory.capacity`?)");
  CHECK(suggestion("capacity", {"system.memory.capacity"}) == " (did you mean `system.memory.capacity`?)");
  CHECK(suggestion("pacity", {"system.memory.capacity"}).empty());
  CHECK(suggestion("h", systems).empty());
  CHECK(suggestion("ab", {"ab-1", "ab-2", "ab-3", "ab-4", "ab-5", "ab-6", "ab-7", "ab-8", "ab-9"}).empty());
}

TEST_CASE("is_typo: a letter too many or two swapped") {
  const std::pair<std::string_view, std::string_view> slips[] = {{"tpp", "tp"}, {"ttp", "tp"}, {"pt", "tp"}, {"bacth", "batch"}, {"seqs", "seq"}};
  for (const auto& [word, meant] : slips) CHECK_MESSAGE(is_typo(word, meant), word);
  const std::pair<std::string_view, std::string_view> others[] = {{"tp", "tp"}, {"dp", "tp"}, {"ep", "rep"},   {"tppp", "tp"},
                                                                  {"ab", "a"},  {"", ""},     {"abcd", "badc"}};
  for (const auto& [word, meant] : others) CHECK_MESSAGE(!is_typo(word, meant), word);
}

TEST_CASE("glob_match") {
  struct {
    std::string_view pattern, text;
    bool expected;
  } const cases[] = {
      {"", "", true},
      {"", "a", false},
      {"*", "", true},
      {"*", "a.b", true},
      {"a?c", "abc", true},
      {"a?c", "ac", false},
      {"mlp.*", "mlp.up", true},
      {"mlp.*", "mlp", false},
      {"*.up", "a.mlp.up", true},
      {"*a*b*", "xxaxxbxx", true},
      {"*a*b*", "xxbxxaxx", false},
      {"A", "a", false},
      {"a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
      {"**b", "ab", true},
      {"a.b", "axb", false},
      {"?", "", false},
  };
  for (const auto& c : cases) {
    CAPTURE(c.pattern);
    CAPTURE(c.text);
    CHECK(glob_match(c.pattern, c.text) == c.expected);
  }
}

TEST_CASE("visible: no control character of a document reaches a terminal") {
  CHECK(visible("a\x1b[31m\nb\t\x7f") == "a\\x1b[31m\\x0ab\\x09\\x7f");
  CHECK(visible("\xc2\x9b"
                "31m \xc2\xa0 \xc3\xa9 \xc2") == "\\x9b31m \xc2\xa0 \xc3\xa9 \\xc2");
  CHECK(visible("\x9b"
                "31m \xff") == "\\x9b31m \\xff");  // A terminal that interprets bytes takes a single 0x9b as a control character.
  CHECK(visible("a\u202eb\u2028c\u2066") == "a\\u202eb\\u2028c\\u2066");
  CHECK(visible("\U0001f469\u200d\U0001f680 e\u0301") == "\U0001f469\u200d\U0001f680 e\u0301");
  CHECK(visible_lines("a\x07\n\nb") == "a\\x07\n\nb");
  CHECK(visible_lines("") == "");
}

TEST_CASE("join, split and trim") {
  CHECK(join({}, ", ").empty());
  CHECK(join({"a", "b"}, ", ") == "a, b");
  CHECK(split("a, b ,,c", ',') == std::vector<std::string>{"a", "b", "", "c"});
  CHECK(split("", ',') == std::vector<std::string>{""});
  CHECK(trim(" \t\r\n x y \n") == "x y");
  CHECK(trim("  ").empty());
}

}  // namespace
TEST_CASE("a message of an unknown name ends with at most six known ones, the most similar first") {
  CHECK(known_names("x", "keys", {}) == "");
  CHECK(known_names("seqs", "inputs", {"seq"}) == " (did you mean `seq`?)");
  CHECK(known_names("zzz", "inputs", {"seq"}) == "; known inputs: `seq`");
  CHECK(known_names("seqs", "inputs", {"tp", "seq", "tp"}) == " (did you mean `seq`?); known inputs: `seq`, `tp`");
  CHECK(known_names("zz", "axes", {"h", "g", "f", "e", "d", "c", "b", "a"}) == "; known axes: `a`, `b`, `c`, `d`, `e`, `f` and 2 more");
}

}  // namespace opledger
