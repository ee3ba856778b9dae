#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <random>

#include "base/text.h"
#include "tests/rules/oracle.h"

/// Random rule lists on random meshes: whatever legal rules say, the derived run must equal one rank. OPLEDGER_FUZZ_COUNT sets how many.

using namespace opledger;
using namespace opledger::testing;

namespace {

struct Subject {
  const char *model, *block;
  std::vector<std::string> dims;
};

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

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : engine_(seed) {}

  Setting next() {
    const Subject& subject = subjects()[below(subjects().size())];
    static const std::vector<std::pair<const char*, std::vector<std::string>>> meshes = {
        {"{a: 2}", {"a"}}, {"{a: 2, b: 2}", {"a", "b"}}, {"{a: 4}", {"a"}}, {"{a: 2, b: 2, c: 2}", {"a", "b", "c"}}};
    const auto& mesh = meshes[below(meshes.size())];
    std::string rules = "shard:\n";
    for (std::size_t n = 1 + below(8); n > 0; --n) rules += rule(subject, mesh.second);
    bool routed = std::string(subject.model) == "mixtral";
    if (routed) rules += fmt::format("- slot: {{axis: [{}], uneven: skip}}\n", join(mesh.second, ", "));
    rules += "nodes:\n";
    if (routed && below(2) == 0) rules += "- {match: {op: [dispatch, combine]}, thaw: [expert]}\n";
    for (const char* passing : {"{match: {op: [linear, rope, dispatch, combine]}, pass: [x]}", "{match: {op: [matmul, multiply]}, pass: [a, b]}"}) {
      if (below(3) == 0) rules += fmt::format("- {}\n", passing);
    }
    Setting setting;
    setting.model = subject.model;
    setting.block = subject.block;
    setting.mesh = mesh.first;
    setting.extra_rules = rules;
    return tiny(setting, 4);
  }

 private:
  std::size_t below(std::size_t n) { return engine_() % n; }

  std::string rule(const Subject& subject, std::vector<std::string> axes) {
    const std::string& dimension = subject.dims[below(subject.dims.size())];
    std::vector<std::string> list;
    for (std::size_t n = 1 + below(axes.size()); n > 0; --n) {
      std::size_t i = below(axes.size());
      list.push_back(axes[i]);
      axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i));
    }
    static const char* const kWays[] = {"replicate", "part", "skip"};
    return fmt::format("- {}: {{axis: [{}], uneven: {}}}\n", dimension, join(list, ", "), dimension == "kv_heads" ? kWays[below(3)] : "skip");
  }

  std::mt19937 engine_;
};

int count() {
  if (const char* wanted = std::getenv("OPLEDGER_FUZZ_COUNT")) return std::atoi(wanted);
#ifdef NDEBUG
  return 1500;
#else
  return 200;
#endif
}

}  // namespace

TEST_CASE("random rule lists give the results of one rank") {
  Generator generator(1);
  int wrong = 0;
  for (int i = 0, n = count(); i < n; ++i) {
    Setting setting = generator.next();
    Outcome outcome = check(setting);
    if (outcome.wrong.empty()) continue;
    ++wrong;
    FAIL_CHECK(fmt::format("{}.{} {}\n{}{}", setting.model, setting.block, setting.mesh, setting.extra_rules, outcome.wrong));
    if (wrong == 5) break;
  }
  CHECK(wrong == 0);
}
