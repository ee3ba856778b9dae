#include <doctest/doctest.h>

#include "tests/paths.h"
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
  std::string text = render(derive(tiny(setting, 2)).diagnostics), folder = source_folder() + "/";
  for (std::size_t at; (at = text.find(folder)) != std::string::npos;) text.erase(at, folder.size());
  return text;
}

}  // namespace

TEST_CASE("mistakes in rules") {
  const Mistake mistakes[] = {
      {"flash", "{tp: 2}", "shard: [{\"seq, ffn\": tp}]",
       "rules.yaml:1:9: error: `block.fc1` has both `seq` and `ffn`, which rules.shard[0] would split over the same axes: give them rules of their own\n"
       "  shard: [{\"seq, ffn\": tp}]\n"
       "          ^\n"
       "  tests/data/sharding/models.yaml:49:18: note: `block.fc1` is here\n"
       "            - {name: fc1, op: linear, in: ln2, out: [batch, seq, ffn]}\n"
       "                     ^\n"},
      {"flash", "{dp: {edp: 2, ep: 2}}", "{shard: [{batch: dp}], weights: [{optimizer: [dp, ep]}]}",
       "rules.yaml:1:34: error: rules.weights[0] names axis `ep` twice\n"
       "  {shard: [{batch: dp}], weights: [{optimizer: [dp, ep]}]}\n"
       "                                   ^\n"},
      {"flash", "{tp: 2}", "shard: [{heads: [tp, tp]}]",
       "rules.yaml:1:9: error: rules.shard[0] names axis `tp` twice\n"
       "  shard: [{heads: [tp, tp]}]\n"
       "          ^\n"},
      {"flash", "{tp: 2}", "{shard: [{heads: tp}], merge: [[tp, tp]]}",
       "rules.yaml:1:32: error: rules.merge[0] names axis `tp` twice\n"
       "  {shard: [{heads: tp}], merge: [[tp, tp]]}\n"
       "                                 ^\n"},
      {"flash", "{pp: 2}", "shard: [{layer: pp}, {\"batch, expert\": {axis: pp, when: never}}, {\"layer, heads\": pp}]",
       "rules.yaml:1:66: error: rules.shard[2] gives axis `pp` to `heads`, but its ranks hold different layers: rules.shard[0] gives it to `layer`\n"
       "  shard: [{layer: pp}, {\"batch, expert\": {axis: pp, when: never}}, {\"layer, heads\": pp}]\n"
       "                                                                   ^\n"
       "  rules.yaml:1:9: note: the axis is given to the layers here\n"
       "    shard: [{layer: pp}, {\"batch, expert\": {axis: pp, when: never}}, {\"layer, heads\": pp}]\n"
       "            ^\n"},
      {"flash", "{tp: 2}", "{shard: [{heads: tp}], nodes: [{match: {op: gelu}, pass: [x]}]}",
       "rules.yaml:1:32: error: rules.nodes[0] passes partial sums of `x` through `block.act`, but `gelu` doesn't say that it is `linear` in that\n"
       "  {shard: [{heads: tp}], nodes: [{match: {op: gelu}, pass: [x]}]}\n"
       "                                 ^\n"},
      {"flash", "{tp: 2, cp: 2}", "shard: [{heads: tp}]",
       "mesh:1:9: warning: axis `cp` shards nothing: no rule gives it to a dimension of this model\n"
       "  {tp: 2, cp: 2}\n"
       "          ^\n"},
      {"flash", "{tp: 2}", "{shard: [{heads: tp}], recompute: [{match: {op: atention}}], weights: [{match: {op: gelu}, optimizer: tp}]}",
       "rules.yaml:1:72: warning: rules.weights[0] matches nothing in this model\n"
       "  {shard: [{heads: tp}], recompute: [{match: {op: atention}}], weights: [{match: {op: gelu}, optimizer: tp}]}\n"
       "                                                                         ^\n"
       "rules.yaml:1:36: warning: rules.recompute[0] matches nothing in this model\n"
       "  {shard: [{heads: tp}], recompute: [{match: {op: atention}}], weights: [{match: {op: gelu}, optimizer: tp}]}\n"
       "                                     ^\n"},
      {"flash", "{tp: 2}", "shard: [{heads: tp}, {expert: ep}, {\"seq, slot\": cp}]", ""},  // axes and dimensions of other runs
      {"flash", "{tp: 2}", "shard: [{heads: {axis: tp, uneven: replicated}}]",
       "rules.yaml:1:36: error: `uneven` is error, pad, skip, replicate, part, found `replicated` (did you mean `replicate`?)\n"
       "  shard: [{heads: {axis: tp, uneven: replicated}}]\n"
       "                                     ^\n"},
      {"flash", "{tp: 2}", "shard: [{heads: {axes: tp}}]",
       "rules.yaml:1:17: error: `heads` names no `axis`\n"
       "  shard: [{heads: {axes: tp}}]\n"
       "                  ^\n"
       "mesh:1:2: warning: axis `tp` shards nothing: no rule gives it to a dimension of this model\n"
       "  {tp: 2}\n"
       "   ^\n"},
  };
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.rules);
    CHECK(messages(mistake) == std::string(mistake.expected));
  }
}
