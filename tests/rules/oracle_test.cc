#include "tests/rules/oracle.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/rules/figures.h"

using namespace opledger;
using namespace opledger::testing;

namespace {

Setting setting_of(const std::string& text) {
  Setting setting = parse_setting(text);
  return tiny(setting, setting.sizes.count("batch") > 0 ? static_cast<int>(setting.sizes.at("batch")) : 2);
}

const char* kRight[] = {
    "gpt3 layer | {tp: 2} | megatron |",
    "gpt3 layer | {tp: 4} | megatron | sequence_parallel regather",
    "gpt3 layer | {dp: 2, cp: 2, tp: 2} | megatron | sequence_parallel regather",
    "gpt3 parallel | {tp: 2} | megatron |",
    "gpt3 parallel | {tp: 2} | megatron | sequence_parallel regather",
    "gpt3 embedding | {tp: 2} | megatron |",
    "gpt3 embedding | {tp: 2, cp: 2} | megatron | sequence_parallel regather",
    "gpt3 embedding | {tp: 2} | megatron megatron_positions | sequence_parallel regather",
    "gpt3 head | {tp: 2, dp: 2} | megatron | sequence_parallel regather",
    "gpt3 head_unfused | {tp: 2, cp: 2} | megatron | sequence_parallel regather",
    "llama layer | {tp: 2} | megatron |",
    "llama layer | {tp: 4} | megatron |",
    "llama layer | {tp: 4} | megatron | sequence_parallel regather",
    "llama layer | {tp: 4} | megatron_kv megatron | sequence_parallel regather",
    "llama layer | {dp: 2, cp: 2, tp: 2} | megatron | sequence_parallel regather",
    "llama layer | {cp: 4} | megatron |",
    "llama layer | {cp: 2} | megatron ulysses |",
    "llama layer | {cp: 2, tp: 2} | megatron ulysses | sequence_parallel regather",
    "llama layer | {cp: {ring: 2, ul: 2}} | megatron usp |",
    "llama layer | {cp: {ring: 2, ul: 2}, tp: 2} | megatron usp |",
    "llama qknorm | {tp: 2} | megatron |",
    "llama qknorm | {tp: 4} | megatron |",
    "llama qknorm_head | {tp: 2, cp: 2} | megatron |",
    "mla layer | {tp: 2} | megatron |",
    "mla layer | {tp: 2, cp: 2} | megatron | sequence_parallel regather",
    "mixtral layer | {dp: {edp: 2, ep: 2}} | megatron | batch=4",
    "mixtral layer | {dp: {edp: 2, ep: 2}, tp: 2} | megatron | batch=4 sequence_parallel regather",
    "mixtral layer | {dp: {edp: 2, ep: 2}, tp: 2} | megatron | batch=4",
    "mixtral layer | {dp: {edp: 2, ep: 2}, tp: 2} | megatron gather_dispatch | batch=4 sequence_parallel regather",
    "mixtral layer | {dp: {edp: 2, ep: 2}, tp: 2} | megatron gather_dispatch_pass | batch=4 sequence_parallel regather",
    "mixtral layer | {dp: {edp: 2, ep: 2}, tp: 2} | megatron gather_dispatch_pass | batch=4",
    "mixtral layer | {dp: 2, cp: 2, tp: 2, ep: [cp, tp]} | megatron | sequence_parallel regather",
    "mixtral layer | {tp: 2, ep: [tp]} | megatron |",
    "mixtral layer | {tp: 2, ep: [tp]} | megatron gather_dispatch |",
    "mixtral layer | {tp: {mtp: 2, ep: 2}} | megatron gather_dispatch_pass | batch=4",
    "mixtral layer | {dp: 2, tp: {mtp: 2, ep: 2}} | megatron gather_dispatch_pass | batch=4 sequence_parallel regather",
    "mixtral shared | {dp: {edp: 2, ep: 2}, tp: 2} | megatron | batch=4 sequence_parallel regather",
    "mixtral shared | {dp: 2, cp: 2} | megatron |",
    "mistral attention | {cp: 2} | megatron |",
    "mistral attention | {cp: 4, tp: 2} | megatron |",
    "mistral attention | {dp: 2, cp: 2, tp: 2} | megatron | sequence_parallel regather",
    "mamba layer | {cp: 2} | megatron |",
    "mamba layer | {dp: 2, cp: 4} | megatron |",
    "mamba layer | {cp: 2, tp: 2} | megatron inner_tp |",
};

/// Settings that reveal each of the mistakes below.
const char* kTelling[] = {
    "gpt3 layer | {tp: 2} | megatron |",
    "llama layer | {tp: 4} | megatron |",
    "llama layer | {cp: 2, tp: 2} | megatron | sequence_parallel",
    "gpt3 head | {tp: 2, dp: 2} | megatron |",
    "gpt3 head_unfused | {tp: 2} | megatron |",
    "mixtral layer | {dp: {edp: 2, ep: 2}, tp: 2} | megatron | batch=4 sequence_parallel",
    "mixtral shared | {dp: {edp: 2, ep: 2}, tp: 2} | megatron | batch=4 sequence_parallel",
    "gpt3 parallel | {tp: 2} | megatron |",
    "mixtral layer | {dp: {edp: 2, ep: 2}, tp: 2} | megatron gather_dispatch_pass | batch=4 sequence_parallel",
};

int noticed(const Claim& claim, const std::vector<std::pair<std::string, std::string>>& edits = {}) {
  int count = 0;
  for (const char* text : kTelling) {
    Setting setting = setting_of(text);
    setting.edits = edits;
    count += check(setting, claim).wrong.empty() ? 0 : 1;
  }
  return count;
}

/// A mistaken claim: partial over the axes of inner dimensions too.
Placement unsettled(const Derivation& d, NodeId node, const DimList& dims, const AxisList& passed) {
  Placement placement = operand(d.of(node), dims);
  AxisList lacking = passed;
  for (const auto& entry : d.of(node).axes) lacking.insert(lacking.end(), entry.second.begin(), entry.second.end());
  std::sort(lacking.begin(), lacking.end());
  lacking.erase(std::unique(lacking.begin(), lacking.end()), lacking.end());
  for (AxisId a : lacking) {
    if (!placement.mentions(a)) placement.partial.push_back(a);
  }
  return placement;
}

}  // namespace

TEST_CASE("what is derived gives the results of one rank") {
  for (const char* text : kRight) {
    CAPTURE(text);
    Outcome outcome = check(setting_of(text));
    CHECK(outcome.wrong == "");
    CHECK(outcome.ranks > 1);
    CHECK(outcome.compared > 1);
  }
}

TEST_CASE("a recomputed, stored or kept-sharded setting is placed as any other") {
  CHECK(check(setting_of("llama layer | {dp: 2, tp: 2} | megatron zero_3 recompute_full | sequence_parallel regather")).wrong == "");
}

TEST_CASE("mistakes are noticed") {
  CHECK(noticed({}) == 0);
  CHECK(noticed([](const Derivation& d, NodeId node, const DimList& dims, const AxisList&) { return operand(d.of(node), dims); }) == 9);  // no partial sums
  CHECK(noticed(unsettled) == 2);
  CHECK(noticed([](const Derivation& d, NodeId node, const DimList& dims, const AxisList&) { return output_placement(d, node, dims); }) ==
        5);  // nothing passed on
  CHECK(noticed({}, {{"    frozen: [expert, choice]\n    moved: {slot: [batch, seq]}\n    linear: [x]", "    frozen: [expert, choice]\n    linear: [x]"}}) ==
        3);
  CHECK(noticed({}, {{"    width: {y: 4 byte}\n    inner: {over: {forward: {top: max(x - over), total: sum(x - over), target: sum(x - over)}}}\n",
                      "    width: {y: 4 byte}\n"}}) == 2);
}

TEST_CASE("the gradients of the kernels are those of finite differences") {
  const char* blocks[] = {"gpt3 layer", "gpt3 head",      "gpt3 embedding",    "llama layer", "llama qknorm",
                          "mla layer",  "mixtral shared", "mistral attention", "mamba layer"};
  for (const char* block : blocks) {
    Setting setting = setting_of(std::string(block) + " | {one: 1} | megatron |");
    Derived d = derive(setting);
    Outcome outcome;
    Answers values, answers = execute(d, values, {}, outcome);
    auto loss = [&] {
      double sum = 0;
      Dense out = execute(d, values, {}, outcome).at("out");
      for (std::size_t i = 0; i < out.data.size(); ++i) sum += out.data[i] * values.at("d out").data[i];
      return sum;
    };
    for (const auto& answer : answers) {
      const std::string& name = answer.first;
      const Dense& gradient = answer.second;
      if (name == "out") continue;
      CAPTURE(block);
      CAPTURE(name);
      Dense& value = values.at(name.substr(2));
      std::size_t i = value.data.size() / 2;
      double kept = value.data[i];
      value.data[i] = kept + 1e-5;
      double up = loss();
      value.data[i] = kept - 1e-5;
      double down = loss();
      value.data[i] = kept;
      CHECK(std::abs((up - down) / 2e-5 - gradient.data[i]) < 1e-6);
    }
  }
}
