#include "cli/completion.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/text.h"
#include "tests/cli/process.h"
#include "tests/paths.h"
#include "tests/support/shipped.h"

/// Completions of the last word.
namespace opledger {
namespace {

struct Offered {
  std::vector<std::string> words;
  bool files = false;
};

Offered found(const std::vector<std::string>& words) {
  Offered out;
  for (const Completion& one : completions(words, shipped(), out.files)) out.words.push_back(one.word);
  return out;
}

bool has(const Offered& all, const std::string& word) { return std::find(all.words.begin(), all.words.end(), word) != all.words.end(); }

/// Returns the completions that bash offers for a command line, with the script that the program prints.
std::string in_bash(const std::string& words, int at) {
  return run_shell("bash -c 'eval \"$(opledger completion bash)\"; COMP_WORDS=(opledger " + words + "); COMP_CWORD=" + std::to_string(at) +
                       "; _opledger 2>/dev/null; printf \"%s\\n\" \"${COMPREPLY[@]}\"'",
                   source_folder())
      .out;
}

}  // namespace

TEST_CASE("completion: commands, options, and what options want") {
  CHECK(has(found({""}), "eval"));
  CHECK(found({"expl"}).words == std::vector<std::string>{"explain", "explore"});
  CHECK(has(found({"eval", "--"}), "--set"));
  CHECK(!has(found({"peers", "--"}), "--layers"));
  CHECK(found({"eval", "gpt2", "--format", ""}).words == std::vector<std::string>{"text", "json", "csv", "markdown"});
  CHECK(found({"timeline", "gpt2", "x", "y", "--ranks", "k"}).words == std::vector<std::string>{"kinds"});
  CHECK(found({"eval", "gpt2", "-o", ""}).files);
  CHECK(has(found({"eval", "--set", "micro"}), "microbatch_size="));
  CHECK(has(found({"eval", "--accounting", "st"}), "standard"));
  CHECK(found({"no-command", ""}).words.empty());
  CHECK(found({"list", "model", "", ""}).words.empty());
}

TEST_CASE("completion: documents in the order in which a command takes them") {
  CHECK(has(found({"eval", "llama-3-8"}), "llama-3-8b"));
  CHECK(!has(found({"eval", "llama-3-8"}), "llama-3-8b-16xh100"));
  CHECK(has(found({"eval", "llama-3-8b", "llama-3-8"}), "llama-3-8b-16xh100"));
  CHECK(has(found({"eval", "--set", "tp=4", "llama-3-8b", "--layers", "llama-3-8b-16xh100", "h100"}), "h100-80g-sxm"));
  CHECK(has(found({"search", "stand"}), "standard"));
  CHECK(has(found({"list", "mo"}), "model"));
  CHECK(has(found({"list", "me"}), "metrics"));
  CHECK(has(found({"import", "hf", "config.json", "--mapping", "qwen"}), "qwen2"));
  CHECK(has(found({"calibrate", "vl"}), "vllm"));
  CHECK(has(found({"explain", "gpt2", "single", "a100-80g-sxm", "iteration"}), "iteration_time"));
  CHECK(found({"eval", ""}).files);
  CHECK(found({"eval", "a", "b", "c", ""}).words.empty());
}

TEST_CASE("completion: bash offers what the program says") {
  CHECK(in_bash("ev", 1) == "eval\n");
  CHECK(in_bash("eval llama-3-8", 2) == "llama-3-8b\n");
  CHECK(in_bash("eval gpt2 single --format m", 5).find("markdown\n") == 0);
}

}  // namespace opledger
