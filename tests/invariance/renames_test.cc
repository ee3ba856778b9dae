#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include "tests/invariance/shipped_runs.h"

/// Names have no meaning: a word of the library's documents, in all of them, may be any other one. New names sort the other way round.
namespace opledger::invariance {
namespace {

using Words = std::map<std::string, std::string>;

struct Kind {
  std::string name;
  std::vector<std::string> words;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"axes", {"cp", "dp", "ed", "edp", "ep", "etp", "fsdp", "pp", "tp"}},
      {"dimensions", {"choice", "expert", "ffn", "head_dim", "heads", "hidden", "kv_heads", "kv_seq", "route", "slot", "v_dim", "vocab"}},
      {"nodes", {"attention_norm", "attention_residual", "gate", "logits", "mlp_norm", "mlp_residual", "moe_norm", "query", "router", "silu", "up"}},
      {"segments", {"decoder", "dense", "embedding", "encoder", "global", "head", "local"}},
  };
  return all;
}

/// `tp` becomes `a_tp`, `cp` becomes `i_cp`.
Words renamed(const Kind& kind) {
  Words out;
  char letter = static_cast<char>('a' + kind.words.size());
  for (const std::string& word : kind.words) out[word] = std::string(1, --letter) + "_" + word;
  return out;
}

std::string replaced(const std::string& text, const Words& words) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::string out;
  for (auto from = text.begin(); from != text.end();) {
    const auto to = in_word(*from) ? std::find_if_not(from, text.end(), in_word) : from + 1;
    const std::string word(from, to);
    const auto found = words.find(word);
    out += found == words.end() ? word : found->second;
    from = to;
  }
  return out;
}

Words back(const Words& words) {
  Words out;
  for (const auto& [from, to] : words) out[to] = from;
  return out;
}

/// All documents that a run may read, with other words.
std::shared_ptr<Overlay> library(const Words& words) {
  namespace fs = std::filesystem;
  auto out = std::make_shared<Overlay>();
  const fs::path source = source_folder();
  for (const char* folder : {"accounting", "executions", "models", "ops", "rules", "stacks", "systems"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      const fs::path path = fs::relative(entry.path(), source);
      const auto renamed = words.find(path.stem().string());
      const std::string stem = renamed == words.end() ? path.stem().string() : renamed->second;
      out->write((path.parent_path() / (stem + ".yaml")).string(), replaced(text_of(entry.path()), words));
    }
  }
  return out;
}

std::vector<Change> renamed_changes(const ShippedRun&) {
  static const Change change = [] {
    Words words;
    for (const Kind& kind : kinds()) words.merge(renamed(kind));
    return Change{"other words", "", "", library(words), [back = back(words)](const std::string& name) { return replaced(name, back); }};
  }();
  return {change};
}

}  // namespace

TEST_CASE("renames: axes, dimensions, nodes and segments under other names have the same figures") { check_changes("renames", renamed_changes, 0); }

}  // namespace opledger::invariance
