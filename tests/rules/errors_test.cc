#include <doctest/doctest.h>

#include "tests/rules/oracle.h"

using namespace opledger;
using namespace opledger::testing;

namespace {

struct Mistake {
  const char *block, *mesh, *rules, *expected;
};

std::string messages(const Mistake& mistake) {
  Setting setting;
  setting.model = "gpt3";
  setting.block = mistake.block;
  setting.mesh = mistake.mesh;
  setting.extra_rules = mistake.rules;
  return render(derive(tiny(setting, 2)).diagnostics);
}

}  // namespace

TEST_CASE("mistakes in rules") {
  const Mistake mistakes[] = {
      {"flash", "{tp: 2}", "shard: [{\"seq, ffn\": tp}]",
       "rules.yaml:1:9: error: `block.fc1` has both `seq` and `ffn`, which rules.shard[0] would split over the same axes: give them rules of their own\n"
       "  shard: [{\"seq, ffn\": tp}]\n"
       "          ^\n"},
      {"flash", "{dp: {edp: 2, ep: 2}}", "{shard: [{batch: dp}], weights: [{optimizer: [dp, ep]}]}",
       "rules.yaml:1:34: error: rules.weights[0] names axis `ep` twice\n"
       "  {shard: [{batch: dp}], weights: [{optimizer: [dp, ep]}]}\n"
       "                                   ^\n"},
      {"flash", "{tp: 2}", "shard: [{heads: [tp, tp]}]",
       "rules.yaml:1:9: error: rules.shard[0] names axis `tp` twice\n"
       "  shard: [{heads: [tp, tp]}]\n"
       "          ^\n"},
      {"flash", "{tp: 2, cp: 2}", "shard: [{heads: tp}]",
       "mesh:1:9: warning: axis `cp` shards nothing: no rule gives it to a dimension of this model\n"
       "  {tp: 2, cp: 2}\n"
       "          ^\n"},
      {"flash", "{tp: 2}", "{shard: [{heads: tp}], recompute: [{match: {op: atention}}], weights: [{match: {op: gelu}, optimizer: tp}]}",
       "rules.yaml:1:73: warning: rules.weights[0] matches nothing in this model\n"
       "  {shard: [{heads: tp}], recompute: [{match: {op: atention}}], weights: [{match: {op: gelu}, optimizer: tp}]}\n"
       "                                                                          ^\n"
       "rules.yaml:1:36: warning: rules.recompute[0] matches nothing in this model\n"
       "  {shard: [{heads: tp}], recompute: [{match: {op: atention}}], weights: [{match: {op: gelu}, optimizer: tp}]}\n"
       "                                     ^\n"},
      {"flash", "{tp: 2}", "shard: [{heads: tp}, {expert: ep}, {\"seq, slot\": cp}]", ""},   // axes and dimensions of other runs
      {"flash", "{tp: 2}", "shard: [{heads: {axis: tp, uneven: replicated}}]",
       "rules.yaml:1:36: error: `uneven` is error, pad, skip, replicate, part, found `replicated` (did you mean `replicate`?)\n"
       "  shard: [{heads: {axis: tp, uneven: replicated}}]\n"
       "                                     ^\n"},
      {"flash", "{tp: 2}", "shard: [{heads: {axes: tp}}]",
       "rules.yaml:1:17: error: `heads` names no `axis`\n"
       "  shard: [{heads: {axes: tp}}]\n"
       "                  ^\n"},
  };
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.rules);
    CHECK(messages(mistake) == mistake.expected);
  }
}
