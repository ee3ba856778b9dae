#include "import/name_regex.h"

#include <doctest/doctest.h>

#include "tests/support/documents.h"

namespace opledger {

TEST_CASE("name_regex: a name begins with what the expression describes, as in Python's re.match") {
  struct {
    const char *pattern, *name;
    bool begins;
  } const cases[] = {
      {"lm_head", "lm_head", true},
      {"lm_head", "model.lm_head", false},
      {".*lm_head", "model.lm_head", true},
      {".*mlp.gate$", "model.layers.3.mlp.gate", true},
      {".*mlp.gate$", "model.layers.3.mlp.gate_proj", false},
      {"model\\.layers\\.\\d+\\.self_attn", "model.layers.12.self_attn.q_proj", true},
      {"model\\.layers\\.\\d\\.self_attn", "model.layers.12.self_attn.q_proj", false},
      {".*\\.(q|k|v)_proj$", "model.layers.0.self_attn.k_proj", true},
      {".*\\.(q|k|v)_proj$", "model.layers.0.self_attn.o_proj", false},
      {"model\\.layers\\.([0-2]|59)\\.", "model.layers.59.mlp", true},
      {"model\\.layers\\.([0-2]|59)\\.", "model.layers.5.mlp", false},
      {".*layers\\.(?!0\\.)\\d+\\.mlp", "model.layers.10.mlp", true},
      {".*layers\\.(?!0\\.)\\d+\\.mlp", "model.layers.0.mlp", false},
      {"^model(?=\\.norm)", "model.norm", true},
      {"[^.]+$", "lm_head", true},
      {"[^.]+$", "model.norm", false},
      {"a{2,3}b", "aab", true},
      {"a{2,3}b", "ab", false},
      {"(ab)*?c", "ababc", true},
      {"", "anything", true},
      {"[a\\d_-]+$", "a_1-", true},
      {"\\D\\W\\S", "a.b", true},
      {"[!-\\]]+$", "A.[", true},
      {"[\\--/]+$", "-./", true},
      {"[\\d-]+$", "1-2", true},
      {"[\\^\\.]$", ".", true},
  };
  for (const auto& [pattern, name, begins] : cases) {
    CAPTURE(pattern);
    CAPTURE(name);
    Diagnostics diagnostics;
    const auto regex = NameRegex::parse(pattern, {}, diagnostics);
    REQUIRE_MESSAGE(regex, messages(diagnostics));
    std::size_t steps = 1'000;
    CHECK(regex->begins(name, steps) == begins);
    CHECK(steps > 0);
  }
}

TEST_CASE("name_regex: a match takes no more steps than there are, whatever the pattern") {
  for (const std::string pattern : {"((a?b?c?d?){200}){200}x", "((a?b?)+)+x", "(a{200}){200}", ".*(?=.*(?=.*x))x"}) {
    CAPTURE(pattern);
    Diagnostics diagnostics;
    const auto regex = NameRegex::parse(pattern, {}, diagnostics);
    REQUIRE_MESSAGE(regex, messages(diagnostics));
    for (std::size_t most : {0, 1, 100}) {
      std::size_t steps = most;
      regex->begins(std::string(60, 'a'), steps);
      CHECK(steps == 0);
    }
  }
}

TEST_CASE("name_regex: what can't be read is said") {
  struct {
    std::string pattern, problem;
  } const cases[] = {
      {"(a", "a `)` is missing"},
      {"a)", "a `)` closes nothing"},
      {"[a", "a `]` is missing"},
      {"[\\n]", "`\\n` is not known here"},
      {"[z-a]", "a range such as `a-z` must lead from one character to a later one"},
      {"[a-\\d]", "a range such as `a-z` must lead from one character to a later one"},
      {"[\\d-z]", "a range such as `a-z` must lead from one character to a later one"},
      {"*a", "nothing to repeat before `*`"},
      {"a\\", "nothing follows the last `\\`"},
      {"(a)\\1", "`\\1` is not known here"},
      {"(?P<x>a)", "a group that begins with `(?` is not known here, but for `(?:`, `(?=` and `(?!`"},
      {"a{x}", "`{` begins no count, such as `{2}` or `{1,3}`"},
      {"a{5,2}", "`{` begins no count, such as `{2}` or `{1,3}`"},
      {"((((a*)*)*)*)*", "too many repeats or lookaheads are nested"},
      {std::string(3'000, 'a'), "it is too long"},
      {std::string(100, '('), "its groups are too deep"},
  };
  for (const auto& [pattern, problem] : cases) {
    CAPTURE(pattern);
    Diagnostics diagnostics;
    CHECK(!NameRegex::parse(pattern, {}, diagnostics));
    CHECK(messages(diagnostics).find("this regular expression can't be read: " + problem) != std::string::npos);
  }
}

}  // namespace opledger
