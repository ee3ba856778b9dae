#include <cmath>

#include "tests/rules/kernels.h"

namespace opledger::testing {

namespace {

/// Adds a * b to out over all dimensions. A coarse dimension is indexed by its fine one if both occur.
void contract(const Kernel& k, Dense& out, const Dense& a, const Dense& b) {
  const Dense* blocks[] = {&a, &b, &out};
  DimList dims = join(join(a.dims, b.dims), out.dims), skipped;
  auto holder = [&](DimId d) -> const Dense& {
    for (const Dense* block : blocks) {
      if (block->has(d)) return *block;
    }
    return out;
  };
  std::vector<std::pair<DimId, DimId>> pairs;
  for (const auto& [fine, coarse] : k.grouped()) {
    if (!contains(dims, fine) || !contains(dims, coarse)) continue;
    pairs.emplace_back(fine, coarse);
    skipped.push_back(coarse);
  }
  every(
      without(dims, skipped), [&](DimId d) { return holder(d).extent(d); },
      [&](Index ix) {
        for (const auto& [fine, coarse] : pairs) {
          int at = (of(ix, fine) + holder(fine).from(fine)) * k.total(coarse) / k.total(fine) - holder(coarse).from(coarse);
          if (at < 0 || at >= holder(coarse).extent(coarse)) throw Wrong("a rank lacks the coarse units of its fine ones");
          ix = with(ix, coarse, at);
        }
        out[ix] += a.at(ix) * b.at(ix);
      });
}

template <class F>
void pointwise(Kernel& k, const F& f) {
  for (Rank& r : k.ranks) every(r.out.at("y"), [&](const Index& ix) { f(r, ix); });
}
template <class F>
void pointwise_back(Kernel& k, const F& f) {
  for (Rank& r : k.ranks) every(r.dy.at("y"), [&](const Index& ix) { f(r, ix); });
}

void linear(Kernel& k) {
  for (Rank& r : k.ranks) contract(k, r.out["y"], r.in["x"], r.in["w"]);
}
void linear_back(Kernel& k) {
  for (Rank& r : k.ranks) {
    if (r.grad.count("x")) contract(k, r.grad["x"], r.dy["y"], r.in["w"]);
    contract(k, r.grad["w"], r.in["x"], r.dy["y"]);
  }
}
void matmul(Kernel& k) {
  for (Rank& r : k.ranks) contract(k, r.out["y"], r.in["a"], r.in["b"]);
}
void matmul_back(Kernel& k) {
  for (Rank& r : k.ranks) {
    contract(k, r.grad["a"], r.dy["y"], r.in["b"]);
    contract(k, r.grad["b"], r.in["a"], r.dy["y"]);
  }
}

void bias(Kernel& k) {
  pointwise(k, [](Rank& r, const Index& ix) { r.out["y"][ix] = r.in["x"].at(ix) + r.in["b"].at(ix); });
}
void bias_back(Kernel& k) {
  pointwise_back(k, [](Rank& r, const Index& ix) {
    r.grad["x"][ix] = r.dy["y"].at(ix);
    r.grad["b"][ix] += r.dy["y"].at(ix);
  });
}

void add(Kernel& k) {
  pointwise(k, [](Rank& r, const Index& ix) { r.out["y"][ix] = r.in["a"].at(ix) + r.in["b"].at(ix); });
}
void add_back(Kernel& k) {
  pointwise_back(k, [](Rank& r, const Index& ix) { r.grad["a"][ix] = r.grad["b"][ix] = r.dy["y"].at(ix); });
}

void multiply(Kernel& k) {
  pointwise(k, [](Rank& r, const Index& ix) { r.out["y"][ix] = r.in["a"].at(ix) * r.in["b"].at(ix); });
}
void multiply_back(Kernel& k) {
  pointwise_back(k, [](Rank& r, const Index& ix) {
    r.grad["a"][ix] = r.dy["y"].at(ix) * r.in["b"].at(ix);
    r.grad["b"][ix] = r.dy["y"].at(ix) * r.in["a"].at(ix);
  });
}

double sigmoid(double v) { return 1 / (1 + std::exp(-v)); }
void silu(Kernel& k) {
  pointwise(k, [](Rank& r, const Index& ix) { r.out["y"][ix] = r.in["x"].at(ix) * sigmoid(r.in["x"].at(ix)); });
}
void silu_back(Kernel& k) {
  pointwise_back(k, [](Rank& r, const Index& ix) {
    double v = r.in["x"].at(ix), s = sigmoid(v);
    r.grad["x"][ix] = r.dy["y"].at(ix) * s * (1 + v * (1 - s));
  });
}

/// A mask that depends on the position of an element, so that all ranks drop the same elements.
double keep(const Index& ix, const Dense& x) {
  int sum = 0;
  for (DimId d : x.dims) sum += (d.number() + 3) * (of(ix, d) + x.from(d));
  return sum % 5 == 0 ? 0 : 1.25;
}
void dropout(Kernel& k) {
  pointwise(k, [](Rank& r, const Index& ix) {
    r.out["mask"][ix] = keep(ix, r.in["x"]);
    r.out["y"][ix] = r.in["x"].at(ix) * r.out["mask"].at(ix);
  });
}
void dropout_back(Kernel& k) {
  pointwise_back(k, [](Rank& r, const Index& ix) { r.grad["x"][ix] = r.dy["y"].at(ix) * r.out["mask"].at(ix); });
}

/// Turns pairs of neighboring entries of each head by an angle that grows with the position.
void rotate(const Kernel& k, const Dense& x, Dense& out, double sign) {
  DimId seq = k.dim("seq"), head = k.dim("head_dim");
  every(x, [&](const Index& ix) {
    if (of(ix, head) % 2 != 0) return;
    Index jx = with(ix, head, of(ix, head) + 1);
    double angle = (of(ix, seq) + x.from(seq)) * 0.7 / (1 + of(ix, head) / 2), c = std::cos(angle), s = sign * std::sin(angle);
    out[ix] = c * x.at(ix) - s * x.at(jx);
    out[jx] = s * x.at(ix) + c * x.at(jx);
  });
}
void rope(Kernel& k) {
  for (Rank& r : k.ranks) rotate(k, r.in["x"], r.out["y"], 1);
}
void rope_back(Kernel& k) {
  for (Rank& r : k.ranks) rotate(k, r.dy["y"], r.grad["x"], -1);
}

}  // namespace

void add_dense_kernels(KernelTable& table) {
  table["linear"] = {linear, linear_back};
  table["matmul"] = {matmul, matmul_back};
  table["bias"] = {bias, bias_back};
  table["add"] = {add, add_back};
  table["multiply"] = {multiply, multiply_back};
  table["silu"] = table["gelu"] = {silu, silu_back};
  table["dropout"] = {dropout, dropout_back};
  table["rope"] = {rope, rope_back};
}

}  // namespace opledger::testing
