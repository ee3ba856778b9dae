#include "tests/rules/random_rules.h"

#include <fmt/format.h>

#include "base/text.h"

namespace opledger::testing {

const std::vector<Subject>& subjects() {
  static const std::vector<std::string> gpt3 = {"batch", "seq", "kv_seq", "hidden", "heads", "kv_heads", "head_dim", "v_dim", "ffn", "vocab", "position"};
  static const std::vector<std::string> llama = {"batch", "seq", "kv_seq", "hidden", "heads", "kv_heads", "head_dim", "v_dim", "ffn", "vocab"};
  static const std::vector<std::string> mla = {"batch", "seq", "kv_seq", "hidden", "heads", "kv_heads", "nope", "rope", "v_dim", "kv_lora"};
  static const std::vector<std::string> mixtral = {"batch", "seq",   "kv_seq", "hidden", "heads",  "kv_heads", "head_dim",  "v_dim",
                                                   "ffn",   "vocab", "expert", "route",  "choice", "slot",     "shared_ffn"};
  static const std::vector<Subject> all = {{"gpt3", "layer", gpt3},       {"gpt3", "parallel", gpt3},      {"gpt3", "embedding", gpt3},
                                           {"gpt3", "head", gpt3},        {"gpt3", "head_unfused", gpt3},  {"llama", "layer", llama},
                                           {"llama", "qknorm", llama},    {"llama", "qknorm_head", llama}, {"mla", "layer", mla},
                                           {"mixtral", "layer", mixtral}, {"mixtral", "shared", mixtral}};
  return all;
}

std::string RuleGenerator::rules(const Subject& subject, const std::vector<std::vector<std::string>>& axes, const std::vector<std::string>& ways) {
  std::string text = "shard:\n";
  for (std::size_t n = 1 + below(8); n > 0; --n) text += rule(subject, axes[below(axes.size())], ways);
  bool routed = std::string(subject.model) == "mixtral";
  if (routed) text += fmt::format("- slot: {{axis: [{}], uneven: skip}}\n", join(axes.front(), ", "));
  text += "nodes:\n";
  if (routed && below(2) == 0) text += "- {match: {op: [dispatch, combine]}, thaw: [expert]}\n";
  for (const char* passing : {"{match: {op: [linear, rope, dispatch, combine]}, pass: [x]}", "{match: {op: [matmul, multiply]}, pass: [a, b]}"}) {
    if (below(3) == 0) text += fmt::format("- {}\n", passing);
  }
  return text;
}

std::string RuleGenerator::rule(const Subject& subject, std::vector<std::string> axes, const std::vector<std::string>& ways) {
  const std::string& dimension = subject.dims[below(subject.dims.size())];
  std::vector<std::string> list;
  for (std::size_t n = 1 + below(axes.size()); n > 0; --n) {
    std::size_t i = below(axes.size());
    list.push_back(axes[i]);
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return fmt::format("- {}: {{axis: [{}], uneven: {}}}\n", dimension, join(list, ", "), ways[below(ways.size())]);
}

}  // namespace opledger::testing
