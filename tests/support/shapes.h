#pragma once
#include <string>

/// A small set of operators and dimensions for tests of graphs: enough for one layer of everything that signatures can say.
namespace opledger {

inline const std::string kOperators = R"(kind: ops
name: small
ops:
  linear:
    attributes: {per: {dims: []}}
    in: {x: any}
    weights: {w: (x ^ y) + per}
    out: {y: given}
    gradients: {x: [w], w: [x]}
  matmul: {in: {a: any, b: any}, out: {y: given}, gradients: {a: [b], b: [a]}}
  embedding:
    attributes: {rows: dims}
    in: {ids: any}
    weights: {table: rows + y - ids}
    out: {y: given}
    gradients: {table: [ids]}
  norm:
    attributes: {over: dims}
    in: {x: any}
    weights: {gamma: over}
    out: {y: x}
    inner: {over: {forward: {square: sum(x - over), both: sum(2 * (x - over))}}}
    gradients: {x: [x, gamma], gamma: [x]}
  core:
    in:
      q: [batch, seq, heads, head_dim]
      k: [batch, kv_seq, kv_heads, head_dim]
      v: [batch, kv_seq, kv_heads, v_dim]
    out: {y: [batch, seq, heads, v_dim], lse: [batch, seq, heads]}
    width: {lse: 4 byte}
    frozen: [kv_seq, head_dim, v_dim]
    no_gradient: [lse]
    gradients: {q: [q, k, v, y, lse], k: [q, k, v, y, lse], v: [q, k, v, y, lse]}
  windowed:
    attributes: {window: number}
    in: {x: any}
    out: {y: x}
  point: {in: {x: any}, out: {y: x}, gradients: {x: [x]}}
  drop: {in: {x: any}, out: {y: x, mask: x}, width: {mask: 1 byte}, no_gradient: [mask], gradients: {x: [mask]}}
  add: {in: {a: any, b: a}, out: {y: a}, sum: true, gradients: {a: [], b: []}}
  choose:
    attributes: {over: dims}
    in: {scores: any}
    out: {gates: scores - over + choice, index: scores - over + choice}
    no_gradient: [index]
    gradients: {scores: [gates, index]}
  spread:
    in: {x: [batch, seq, hidden], index: [batch, seq, choice]}
    out: {y: [expert, slot, hidden]}
    moved: {slot: [batch, seq]}
    gradients: {x: [index]}
  scan: {in: {x: [batch, seq, inner]}, weights: {a: [inner, state]}, out: {y: x}, carry: {seq: [batch, inner, state]}, gradients: {x: [x, a], a: [x]}}
  loss:
    attributes: {over: dims}
    in: {x: any, labels: x - over}
    out: {y: []}
    gradients: {x: [x, labels]}
  plain: {params: [m, n], flops: m * n}
  times: {in: {a: any, b: a}, broadcast: [b], out: {y: a}, gradients: {a: [b], b: [a]}}
)";

inline const std::string kDimensions = R"(kind: model
name: small
parameters: {layers: 4, batch: 1, seq: 128, hidden: 64, heads: 8, kv_heads: heads, head_dim: 8, ffn: 256, shared_ffn: 128, vocab: 1000, experts: 8, choice: 2, inner: 128, state: 16, capacity: 1}
dimensions:
  kv_seq: seq
  v_dim: head_dim
  route: experts
  expert: experts
  slot: {size: batch * seq * choice // experts, unordered: true}
grouped: {heads: kv_heads}
)";

}  // namespace opledger
