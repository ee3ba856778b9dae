#include <doctest/doctest.h>

#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/structure/sources.h"

/// The engine knows no architecture, parallel strategy, optimizer, machine or convention: these are data. So no C++
/// may name one, comments included. Exceptions are examples from documents in backticks, and files that read other
/// tools' formats.
namespace opledger::structure {
namespace {

/// Words that may stand nowhere. Words separated by a blank also match `OneWord`, `one_word` and `one-word`; a plural
/// `s` or a number may follow.
const std::vector<std::string> kNames = {
    // Architectures and their parts.
    "attention", "softmax", "transformer", "mlp", "ffn", "moe", "mla", "gqa", "mqa", "swiglu", "gelu", "rmsnorm", "layernorm", "mamba", "llama", "gpt", "bert",
    "mixtral", "mistral", "deepseek", "qwen", "gemma",
    // Strategies.
    "megatron", "deepspeed", "zero 1", "zero 2", "zero 3", "zero stage", "zero optimizer", "fsdp", "hsdp", "ddp", "ulysses", "1f1b", "gpipe", "zero bubble",
    "dualpipe", "data parallel", "tensor parallel", "sequence parallel", "context parallel", "expert parallel", "pipeline parallel", "tensor parallelism",
    "sequence parallelism", "context parallelism", "expert parallelism", "pipeline parallelism",
    // Optimizers.
    "adam", "adamw", "adafactor", "sgd",
    // Machines.
    "nvidia", "nvlink", "nvswitch", "infiniband", "a100", "h100", "h200", "b200", "v100", "mi300", "tpu", "dgx",
    // Conventions.
    "calculon", "cookbook", "ultrascale", "korthikanti"};

/// Words that may be neither names nor texts in code. In comments they are plain words or part of an example.
const std::vector<std::string> kCodeNames = {"expert", "kv", "vocab"};

/// Words that may not be texts in code. As names of variables they mean other things.
const std::vector<std::string> kTextNames = {"tp", "dp", "pp", "cp", "ep", "sp", "edp", "hidden", "heads", "seq"};

/// Files that read other tools' formats.
const std::vector<std::string> kImporters = {"import/calculon.*", "cli/import_command.cc"};

bool is(int (*kind)(int), char c) { return kind(static_cast<unsigned char>(c)) != 0; }

/// ` one word ` for `OneWord`, `one_word`, `one-word`; other signs become `|`.
std::string words(std::string_view text, bool split_humps) {
  std::string result = " ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is(std::isalnum, c)) {
      result += c == '_' || c == '-' || c == ' ' ? ' ' : '|';
      continue;
    }
    if (split_humps && i > 0 && is(std::isupper, c) && is(std::islower, text[i - 1])) result += ' ';
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result + " ";
}

bool names(const std::string& words, const std::string& name) {
  for (std::size_t at = words.find(name); at != std::string::npos; at = words.find(name, at + 1)) {
    std::size_t end = at + name.size();
    while (is(std::isdigit, words[end])) ++end;
    if (words[end] == 's') ++end;
    if (!is(std::isalnum, words[at - 1]) && !is(std::isalnum, words[end])) return true;
  }
  return false;
}

/// A piece of text in its two readings.
struct Reading {
  explicit Reading(std::string_view text) : split(words(text, true)), whole(words(text, false)) {}
  bool has(const std::string& name) const { return names(split, name) || names(whole, name); }

  std::string split, whole;
};

/// `base/a.h:3: adam`, one line each.
std::string vocabulary_complaints(const std::vector<File>& files) {
  std::string result;
  for (const File& file : files) {
    if (matches(file.path, kImporters)) continue;
    for (const Piece& piece : pieces(file.text)) {
      if (piece.kind == Kind::quote) continue;
      const Reading reading(piece.text);
      const auto check = [&](const std::vector<std::string>& list) {
        for (const std::string& name : list) {
          if (reading.has(name)) result += file.path + ":" + std::to_string(piece.line) + ": " + name + "\n";
        }
      };
      check(kNames);
      if (piece.kind != Kind::comment) check(kCodeNames);
      if (piece.kind == Kind::literal) check(kTextNames);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("no C++ names an architecture, strategy, optimizer, machine or convention") { CHECK(vocabulary_complaints(cxx_files()) == ""); }

TEST_CASE("such a name is noticed") {
  const std::pair<std::string, std::string> cases[] = {
      {"int attention_heads;", "a.cc:1: attention\n"},
      {"struct SelfAttention {};", "a.cc:1: attention\n"},
      {"\n// as Megatron does", "a.cc:2: megatron\n"},
      {"if (op == \"MoE\") {}", "a.cc:1: moe\n"},
      {"bool sequence_parallel;", "a.cc:1: sequence parallel\n"},
      {"bool SequenceParallel;", "a.cc:1: sequence parallel\n"},
      {"// GPT3 or LLaMA", "a.cc:1: llama\na.cc:1: gpt\n"},
      {"int zero_1 = 0;", "a.cc:1: zero 1\n"},
      {"axis(\"tp\")", "a.cc:1: tp\n"},
      {"int kv_heads;", "a.cc:1: kv\n"},
      {"// its component, `attention` or `mlp`", ""},
      {"int tp = 0;  // slots of one expert", ""},
      {"int adamant = zero + 1;", ""},
  };
  for (const auto& [text, expected] : cases) CHECK(vocabulary_complaints({{"a.cc", text}}) == expected);
  CHECK(vocabulary_complaints({{"import/calculon.cc", "\"attention\""}}) == "");
}

}  // namespace opledger::structure
