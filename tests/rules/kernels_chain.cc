#include <algorithm>
#include <cmath>
#include <set>

#include "tests/rules/kernels.h"

/// Operators that connect ranks in a row. Attention with a window reads the last keys of the previous rank. A scan
/// passes its state from rank to rank.
namespace opledger::testing {

namespace {

bool differ_only_along(const Dense& a, const Dense& b, DimId along) {
  return std::all_of(a.dims.begin(), a.dims.end(), [&](DimId d) { return d == along || a.from(d) == b.from(d); });
}

/// Returns the rank before a rank along a port's dimension, within the same replica; null for the first rank.
Rank* before(Kernel& k, Rank& r, const char* port, DimId along) {
  const Dense& own = r.in.at(port);
  std::vector<Rank*> same, earlier;
  for (Rank& other : k.ranks) {
    const Dense& block = other.in.at(port);
    if (!differ_only_along(own, block, along)) continue;
    if (block.from(along) == own.from(along)) same.push_back(&other);
    if (block.from(along) + block.extent(along) == own.from(along)) earlier.push_back(&other);
  }
  if (earlier.empty()) return nullptr;
  return earlier.at(static_cast<std::size_t>(std::find(same.begin(), same.end(), &r) - same.begin()));
}

/// Returns ranks from the beginning of the sequence to its end.
std::vector<Rank*> row(Kernel& k, const char* port, DimId along) {
  std::vector<Rank*> all;
  for (Rank& r : k.ranks) all.push_back(&r);
  std::stable_sort(all.begin(), all.end(), [&](Rank* a, Rank* b) { return a->in.at(port).from(along) < b->in.at(port).from(along); });
  return all;
}

struct Key {
  Rank* rank;
  int at;  ///< Position in the rank's block.
  double weight;
};

class Window : public AttentionDims {
 public:
  explicit Window(Kernel& k) : AttentionDims(k), k_(k), width_(static_cast<int>(k.margin())) {}

  /// Returns the keys of a query and their weights: its own position, and as many earlier ones as the window has.
  template <class F>
  void each(Rank& r, const F& f) {
    const Dense& q = r.in["q"];
    Rank* earlier = before(k_, r, "k", kv_seq);
    std::set<int> taken;
    every(
        {batch, seq, heads}, [&](DimId d) { return q.extent(d); },
        [&](const Index& ix) {
          const int position = of(ix, seq) + q.from(seq);
          std::vector<Key> keys;
          for (int t = std::max(0, position - width_); t <= position; ++t) {
            const bool own = t >= r.in["k"].from(kv_seq);
            Rank* rank = own ? &r : earlier;
            if (!rank || t < rank->in["k"].from(kv_seq)) throw Wrong("a rank needs keys from further away than its neighbour");
            if (!own) taken.insert(t);
            keys.push_back({rank, t - rank->in["k"].from(kv_seq), 0});
          }
          weigh(r, ix, keys);
          f(ix, keys);
        });
    for (const char* port : {"k", "v"}) hand(port, r.in[port], static_cast<double>(taken.size()));
  }

  Index key(Rank& r, const Index& ix, int at, DimId last, int e) const {
    const int head = (of(ix, heads) + r.in["q"].from(heads)) * k_.total(kv_heads) / k_.total(heads) - r.in["k"].from(kv_heads);
    return with(with(with(with(Index{}, batch, of(ix, batch)), kv_seq, at), kv_heads, head), last, e);
  }

 private:
  void weigh(Rank& r, const Index& ix, std::vector<Key>& keys) const {
    double sum = 0;
    for (Key& one : keys) {
      for (int e = 0; e < k_.total(head_dim); ++e) one.weight += r.in["q"].at(with(ix, head_dim, e)) * one.rank->in["k"].at(key(r, ix, one.at, head_dim, e));
      one.weight = std::exp(one.weight);
      sum += one.weight;
    }
    for (Key& one : keys) one.weight /= sum;
    if (r.out.count("lse") > 0 && r.dy.empty()) r.out["lse"][ix] = std::log(sum);
  }

  void hand(const char* port, const Dense& block, double entries) const {
    double& most = k_.handed[port];
    most = std::max(most, entries * static_cast<double>(block.data.size()) / block.extent(kv_seq));
  }

  Kernel& k_;
  int width_;
};

void window(Kernel& k) {
  Window w(k);
  for (Rank& r : k.ranks) {
    w.each(r, [&](const Index& ix, const std::vector<Key>& keys) {
      for (const Key& one : keys) {
        for (int e = 0; e < k.total(w.v_dim); ++e) r.out["y"][with(ix, w.v_dim, e)] += one.weight * one.rank->in["v"].at(w.key(r, ix, one.at, w.v_dim, e));
      }
    });
  }
}

void window_back(Kernel& k) {
  Window w(k);
  for (Rank& r : k.ranks) {
    const Dense& dy = r.dy["y"];
    w.each(r, [&](const Index& ix, const std::vector<Key>& keys) {
      std::vector<double> dp(keys.size(), 0.0);
      double dot = 0;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        for (int e = 0; e < k.total(w.v_dim); ++e) dp[i] += dy.at(with(ix, w.v_dim, e)) * keys[i].rank->in["v"].at(w.key(r, ix, keys[i].at, w.v_dim, e));
        dot += keys[i].weight * dp[i];
      }
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const Key& one = keys[i];
        const double ds = one.weight * (dp[i] - dot);
        for (int e = 0; e < k.total(w.v_dim); ++e) one.rank->grad["v"][w.key(r, ix, one.at, w.v_dim, e)] += one.weight * dy.at(with(ix, w.v_dim, e));
        for (int e = 0; e < k.total(w.head_dim); ++e) {
          r.grad["q"][with(ix, w.head_dim, e)] += ds * one.rank->in["k"].at(w.key(r, ix, one.at, w.head_dim, e));
          one.rank->grad["k"][w.key(r, ix, one.at, w.head_dim, e)] += ds * r.in["q"].at(with(ix, w.head_dim, e));
        }
      }
    });
  }
}

/// state(t) = a state(t - 1) + x(t); y(t) sums it over `state`. Forward stores each rank's first and last state in
/// `statistics`, at 0 and 1.
struct Scan {
  explicit Scan(Kernel& k) : batch(k.dim("batch")), seq(k.dim("seq")), inner(k.dim("inner")), states(k.total("state")), state(k.dim("state")) {}

  template <class F>
  void each(const Dense& x, const F& f) const {
    std::size_t at = 0;
    every(
        {batch, inner}, [&](DimId d) { return x.extent(d); },
        [&](const Index& ix) {
          for (int n = 0; n < states; ++n) f(ix, n, at++);
        });
  }
  Index weight(const Index& ix, int n) const { return with(with(Index{}, inner, of(ix, inner)), state, n); }
  std::size_t size(const Dense& x) const { return static_cast<std::size_t>(x.extent(batch) * x.extent(inner) * states); }

  DimId batch, seq, inner;
  int states;
  DimId state;
};

void scan(Kernel& k) {
  Scan s(k);
  for (Rank* r : row(k, "x", s.seq)) {
    const Dense& x = r->in["x"];
    Rank* earlier = before(k, *r, "x", s.seq);
    std::vector<double> first = earlier ? earlier->out["y"].statistics.at(1) : std::vector<double>(s.size(x), 0.0), last = first;
    if (earlier) k.handed["state"] = static_cast<double>(first.size());
    s.each(x, [&](const Index& ix, int n, std::size_t at) {
      for (int t = 0; t < x.extent(s.seq); ++t) {
        const Index here = with(ix, s.seq, t);
        last[at] = r->in["a"].at(s.weight(ix, n)) * last[at] + x.at(here);
        r->out["y"][here] += last[at];
      }
    });
    r->out["y"].statistics = {first, last};
  }
}

void scan_back(Kernel& k) {
  Scan s(k);
  std::map<Rank*, std::vector<double>> carried;  // the gradient of each rank's last state, as the next rank returns it
  std::vector<Rank*> ranks = row(k, "x", s.seq);
  for (auto it = ranks.rbegin(); it != ranks.rend(); ++it) {
    Rank& r = **it;
    const Dense &x = r.in["x"], &a = r.in["a"];
    std::vector<double> gradient = carried.count(&r) > 0 ? carried[&r] : std::vector<double>(s.size(x), 0.0);
    s.each(x, [&](const Index& ix, int n, std::size_t at) {
      std::vector<double> states = {r.out["y"].statistics.at(0)[at]};
      for (int t = 0; t < x.extent(s.seq); ++t) states.push_back(a.at(s.weight(ix, n)) * states.back() + x.at(with(ix, s.seq, t)));
      for (int t = x.extent(s.seq); t-- > 0;) {
        const Index here = with(ix, s.seq, t);
        const double d = gradient[at] + r.dy["y"].at(here);
        r.grad["x"][here] += d;
        r.grad["a"][s.weight(ix, n)] += d * states[static_cast<std::size_t>(t)];
        gradient[at] = d * a.at(s.weight(ix, n));
      }
    });
    if (Rank* earlier = before(k, r, "x", s.seq)) {
      k.handed["state"] = static_cast<double>(gradient.size());
      carried[earlier] = gradient;
    }
  }
}

}  // namespace

void add_chain_kernels(KernelTable& table) {
  table["window_attention"] = {window, window_back};
  table["scan"] = {scan, scan_back};
}

}  // namespace opledger::testing
