#include "schemas/checker.h"

#include <doctest/doctest.h>

#include "tests/schemas/parse.h"

namespace opledger {
namespace {

std::string check(const std::string& text) {
  Datum root = parsed(text);
  Diagnostics diagnostics;
  check_schema(root.find("kind")->text(), root, diagnostics);
  return render(diagnostics);
}

TEST_CASE("documents as they should be") {
  const char* const documents[] = {
      "{kind: ops, name: a, doc: d, uses: [b], extends: c, sets: {phase: {forward: fw}, block: [a, b], net: system.nets}, quantities: {x: {unit: byte, "
      "forward: 1, else: 0}}}",
      "{kind: ops, ops: {linear: {doc: y, source: s, extends: [a, b], params: [m], attributes: {per: {dims: []}, w: {value: 4096}, over: dims, n: number},\n"
      "  in: {x: any}, weights: {w: (x ^ y) + per}, out: {y: [a, b]}, width: {m: 1 byte}, gradients: {x: [w], a: []}, no_gradient: [m], frozen: [s],\n"
      "  inner: {over: {forward: {top: max(x - over)}}}, moved: {slot: [batch, seq]}, halo: {k: {of: seq, width: window}}, carry: {seq: [batch]}, like: x,\n"
      "  sum: true, let: {a: {is: 1, when: b}}, flops: {forward: 2 flop * volume, else: null}, bytes: 3}, empty: }}",
      "{kind: blocks, parameters: {a: b / c}, dimensions: {v: head_dim, slot: {size: 1, unordered: true}}, grouped: {heads: kv_heads}, blocks: {b: {component: "
      "c,\n"
      "  inputs: {x: [batch]}, data: {ids: [batch, seq]}, output: o, nodes: [{name: q, op: linear, in: x, out: [a], when: p > 0, tags: [t]},\n"
      "  {name: c, op: o, in: {q: q, k: {k: {seq: kv_seq}}}}, {name: d, op: o, in: [q, {k: {seq: kv_seq}}], over: hidden}, {name: m, block: b2, in: n, size: "
      "3},\n"
      "  {when: dropout > 0, nodes: [], else: [{when: x, nodes: [{name: z, op: L, m: 4 * hidden}]}]}, {name: h, op: linear, weights: {w: a.b.c}}]}}}",
      "{kind: model, parameters: {layers: 32}, graph: [{name: e, block: b}, {name: d, block: c, repeat: layers, weights: {logits.w: e.t}, scale: 2}]}",
      "{kind: rules, shard: [{layer: pp}, {'batch, slot': [dp, cp]}, {kv: {axis: tp, uneven: pad, when: x}}], nodes: [{match: {op: a, attribute: {over: "
      "hidden}},\n"
      "  shard: [{heads: tp}], freeze: [], thaw: [a], avoid: tp}], weights: [{optimizer: [dp], gradient: {sharded: f, reduced: r}, stored: f, keep: "
      "gathered}],\n"
      "  activations: [{match: {op: [a, b]}, keep: sharded, when: x}], recompute: [{match: {}, replay: needed}], mark: [{match: {axis: cp}, message: "
      "{algorithm: "
      "ring}}],\n"
      "  merge: [[dp, cp]], options: {sp: {type: boolean, default: false}}}",
      "{kind: execution, mesh: {pp: 8, dp: {edp: 2, ep: 8}, ep: [cp, tp], x: n * 2}, rules: [a, b], accounting: standard, batch_size: 64, anything: {a: [1, "
      "{b: c}]}}",
      "{kind: system, memory: {capacity: 80 GiB}, networks: [{bandwidth: 1}], price: 2}",
      "{kind: accounting, documents: {system: {mem: {GiB: GiB}, nets: {list: {bw: GB/s}}}}, inputs: {n: {type: integer, min: 1}, w: [a, b], u: "
      "GB/s},\n"
      "  let: {a: b}, functions: {'f(x, y)': {a: x, else: y}}, metrics: {t: {unit: s, doc: d, is: x, as: <phase>_t, let: {q: "
      "1}}},\n"
      "  tables: {l: {doc: d, rows: node, columns: {a: b, <p>_c: d}}}, constraints: [{require: a, message: m, reason: r}, {for: net, when: x, let: {p: 1}, "
      "all: [{require: b}]}],\n"
      "  mesh: {tp: 1}}",
      "{kind: search, uses: a, axes: [{tp: divisors(n) where it > 1}, {b: [1, 2]}], maximize: rate, minimize: [a, b], accounting: standard}",
  };
  for (const char* document : documents) {
    CAPTURE(document);
    CHECK(check(document) == "");
  }
}

TEST_CASE("former keys are replaced, with a warning each, wherever the schema knows them") {
  Datum root = parsed("kind: order\nways: 2\npiece: position\nitems:\n  way: {do: forward, way: 1}\n  b: {do: backward, direction: 0}\nphases: []\n");
  Diagnostics diagnostics;
  CHECK(check_schema("order", root, diagnostics));
  std::string warned;
  for (const Diagnostic& d : diagnostics.all()) warned += to_string(d.span) + " " + d.message + "\n";
  CHECK(warned ==
        "f.yaml:2:1 key `ways` is now called `directions`: rename it, the old name will be removed\n"
        "f.yaml:3:1 key `piece` is now called `stage_chunk`: rename it, the old name will be removed\n"
        "f.yaml:5:22 key `way` is now called `direction`: rename it, the old name will be removed\n");
  CHECK(root.find("ways") == nullptr);
  CHECK(root.find("directions")->text() == "2");
  CHECK(root.find("stage_chunk")->text() == "position");
  REQUIRE(root.find("items")->find("way") != nullptr);  // A name that the author chose.
  CHECK(root.find("items")->find("way")->find("direction")->text() == "1");
  // Names below a definition that allows any key are the author's, too; an inline order of an operator is not.
  Datum ops = parsed("kind: ops\nops: {a: {ways: 1, order: {ways: 2, items: {f: {do: forward, way: 0}}, phases: []}}}\n");
  Diagnostics more;
  CHECK(check_schema("ops", ops, more));
  CHECK(more.all().size() == 2);
  const Datum& a = *ops.find("ops")->find("a");
  CHECK(a.find("ways") != nullptr);
  CHECK(a.find("order")->find("directions") != nullptr);
  CHECK(a.find("order")->find("items")->find("f")->find("direction") != nullptr);
}

TEST_CASE("mistakes") {
  struct {
    std::string text, expected;
  } const cases[] = {
      {"kind: blocks\n", "f.yaml:1:1: error: missing key `blocks`\n  kind: blocks\n  ^\n"},
      {"kind: rules\nshrad: []\n",
       "f.yaml:2:1: error: unknown key `shrad` (did you mean `shard`?); known keys: `shard`, `kind`, `mark`, `merge`, `parts`, `source` and 12 more\n  shrad: "
       "[]\n  ^\n"},
      {"kind: rules\nshard: {a: b}\n", "f.yaml:2:8: error: expected a list for `shard`, found a mapping\n  shard: {a: b}\n         ^\n"},
      {"kind: rules\nshard: [{kv: {uneven: pda}}]\n",
       "f.yaml:2:14: error: missing key `axis` in `shard[0].kv`\n  shard: [{kv: {uneven: pda}}]\n               ^\n"
       "f.yaml:2:23: error: unknown word `pda` for `shard[0].kv.uneven` (did you mean `pad`?): expected `error`, `pad`, `skip`, `replicate` or `part`\n"
       "  shard: [{kv: {uneven: pda}}]\n                        ^\n"},
      {"kind: rules\nnodes: [{match: {opp: x}}]\n",
       "f.yaml:2:18: error: unknown key `opp` in `nodes[0].match` (did you mean `op`?); known keys: `op`, `tag`, `block`, `name`, `with`, `without` and 3 "
       "more\n  nodes: [{match: {opp: x}}]\n                   ^\n"},
      {"kind: blocks\nblocks:\n  b:\n    nodes:\n      - {name: q, oop: linear}\n",
       "f.yaml:5:9: error: missing key `op` or `block` in `blocks.b.nodes[0]`\n        - {name: q, oop: linear}\n          ^\n"},
      {"kind: blocks\nblocks:\n  b:\n    nodes:\n      - nodes: [{name: a, op: linear}]\n        esle: []\n",
       "f.yaml:6:9: error: unknown key `esle` in `blocks.b.nodes[0]` (did you mean `else`?); known keys: `else`, `doc`, `nodes`, `when`\n          esle: []\n  "
       "        ^\n"},
      {"kind: blocks\nblocks: {b: {nodes: [{op: a}]}}\n",
       "f.yaml:2:22: error: missing key `name` in `blocks.b.nodes[0]`\n  blocks: {b: {nodes: [{op: a}]}}\n                       ^\n"},
      {"kind: model\ngraph: []\n", "f.yaml:2:8: error: expected at least one value in the list for `graph`\n  graph: []\n         ^\n"},
      {"kind: ops\nops: {a: {sum: maybe}}\n",
       "f.yaml:2:16: error: expected true or false for `ops.a.sum`, found text\n  ops: {a: {sum: maybe}}\n                 ^\n"},
      {"kind: ops\nops: {a: {flops: {forward: {x: 1}}}}\n",
       "f.yaml:2:28: error: expected text or a list for `ops.a.flops.forward`, found a mapping\n  ops: {a: {flops: {forward: {x: 1}}}}\n                       "
       "      ^\n"},
      {"kind: ops\nops: {a: {attributes: {w: {valeu: 3}}}}\n",
       "f.yaml:2:28: error: unknown key `valeu` in `ops.a.attributes.w` (did you mean `value`?); known keys: `value`, `dims`, `doc`\n  ops: {a: {attributes: "
       "{w: {valeu: 3}}}}\n                   "
       "          ^\n"},
      {"kind: execution\nmesh: [1]\n", "f.yaml:2:7: error: expected a mapping for `mesh`, found a list\n  mesh: [1]\n        ^\n"},
      {"kind: execution\nrules: {a: b}\n", "f.yaml:2:8: error: expected text or a list for `rules`, found a mapping\n  rules: {a: b}\n         ^\n"},
      {"kind: accounting\nconstraints: [{message: m}]\n",
       "f.yaml:2:15: error: missing key `require` or `all` in `constraints[0]`\n  constraints: [{message: m}]\n                ^\n"},
      {"kind: systm\n", "f.yaml:1:1: error: `systm` is no kind of document (did you mean `system`?)\n  kind: systm\n  ^\n"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(check(c.text) == c.expected);
  }
}

}  // namespace
}  // namespace opledger
