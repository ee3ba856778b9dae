#include <algorithm>
#include <cmath>

#include "tests/rules/kernels.h"

namespace opledger::testing {

namespace {

/// Returns the weights of all keys in causal attention of one query.
struct Query {
  Index ix;
  int kv_head = 0;
  std::vector<double> weights;
  double log_sum = 0;
};

class Attention : public AttentionDims {
 public:
  explicit Attention(const Kernel& k) : AttentionDims(k), k_(k) {}

  Index key(const Query& query, int t, DimId last, int e) const {
    Index ix{};
    ix = with(with(with(ix, batch, of(query.ix, batch)), kv_seq, t), kv_heads, query.kv_head);
    return with(ix, last, e);
  }

  template <class F>
  void each(Rank& r, const F& f) const {
    const Dense &q = r.in["q"], &keys = r.in["k"];
    every(
        {batch, seq, heads}, [&](DimId d) { return q.extent(d); },
        [&](const Index& ix) {
          Query query{ix, (of(ix, heads) + q.from(heads)) * k_.total(kv_heads) / k_.total(heads) - keys.from(kv_heads), {}, 0};
          if (query.kv_head < 0 || query.kv_head >= keys.extent(kv_heads)) throw Wrong("a rank lacks the keys of its queries");
          std::vector<double> scores;
          for (int t = 0; t < k_.total(kv_seq); ++t) {
            double score = 0;
            for (int e = 0; e < k_.total(head_dim); ++e) score += q.at(with(ix, head_dim, e)) * keys.at(key(query, t, head_dim, e));
            scores.push_back(t <= of(ix, seq) + q.from(seq) ? score : -1e30);
          }
          double most = *std::max_element(scores.begin(), scores.end()), sum = 0;
          for (double score : scores) sum += std::exp(score - most);
          for (double score : scores) query.weights.push_back(std::exp(score - most) / sum);
          query.log_sum = most + std::log(sum);
          f(query);
        });
  }

 private:
  const Kernel& k_;
};

void attention(Kernel& k) {
  Attention a(k);
  for (Rank& r : k.ranks) {
    a.each(r, [&](const Query& query) {
      r.out["lse"][query.ix] = query.log_sum;
      for (int e = 0; e < k.total(a.v_dim); ++e) {
        for (std::size_t t = 0; t < query.weights.size(); ++t) {
          r.out["y"][with(query.ix, a.v_dim, e)] += query.weights[t] * r.in["v"].at(a.key(query, static_cast<int>(t), a.v_dim, e));
        }
      }
    });
  }
}

void attention_back(Kernel& k) {
  Attention a(k);
  for (Rank& r : k.ranks) {
    const Dense& dy = r.dy["y"];
    a.each(r, [&](const Query& query) {
      std::vector<double> dp;
      double dot = 0;
      for (std::size_t t = 0; t < query.weights.size(); ++t) {
        dp.push_back(0);
        for (int e = 0; e < k.total(a.v_dim); ++e) dp[t] += dy.at(with(query.ix, a.v_dim, e)) * r.in["v"].at(a.key(query, static_cast<int>(t), a.v_dim, e));
        dot += query.weights[t] * dp[t];
      }
      for (std::size_t t = 0; t < query.weights.size(); ++t) {
        int at = static_cast<int>(t);
        for (int e = 0; e < k.total(a.v_dim); ++e) r.grad["v"][a.key(query, at, a.v_dim, e)] += query.weights[t] * dy.at(with(query.ix, a.v_dim, e));
        for (int e = 0; e < k.total(a.head_dim); ++e) {
          double ds = query.weights[t] * (dp[t] - dot);
          r.grad["q"][with(query.ix, a.head_dim, e)] += ds * r.in["k"].at(a.key(query, at, a.head_dim, e));
          r.grad["k"][a.key(query, at, a.head_dim, e)] += ds * r.in["q"].at(with(query.ix, a.head_dim, e));
        }
      }
    });
  }
}

/// Returns the local row of the table that a token looks up; -1 if another rank has the row.
int row(const Kernel& k, Rank& r, const Dense& table, const Index& ix) {
  DimId vocab = k.dim("vocab");
  int at = static_cast<int>(r.in["ids"].at(ix)) - table.from(vocab);
  return at >= 0 && at < table.extent(vocab) ? at : -1;
}
void embedding(Kernel& k) {
  for (Rank& r : k.ranks) {
    const Dense& table = r.in["table"];
    every(r.out["y"], [&](const Index& ix) {
      if (int at = row(k, r, table, ix); at >= 0) r.out["y"][ix] = table.at(with(ix, k.dim("vocab"), at));
    });
  }
}
void embedding_back(Kernel& k) {
  for (Rank& r : k.ranks) {
    Dense& table = r.grad["table"];
    every(r.dy["y"], [&](const Index& ix) {
      if (int at = row(k, r, table, ix); at >= 0) table[with(ix, k.dim("vocab"), at)] += r.dy["y"].at(ix);
    });
  }
}

Index at_position(const Kernel& k, const Dense& x, const Index& ix) { return with(ix, k.dim("position"), of(ix, k.dim("seq")) + x.from(k.dim("seq"))); }
void position(Kernel& k) {
  for (Rank& r : k.ranks) every(r.out["y"], [&](const Index& ix) { r.out["y"][ix] = r.in["x"].at(ix) + r.in["table"].at(at_position(k, r.in["x"], ix)); });
}
void position_back(Kernel& k) {
  for (Rank& r : k.ranks) {
    every(r.dy["y"], [&](const Index& ix) {
      r.grad["x"][ix] = r.dy["y"].at(ix);
      r.grad["table"][at_position(k, r.dy["y"], ix)] += r.dy["y"].at(ix);
    });
  }
}

void topk(Kernel& k) {
  DimId choice = k.dim("choice"), route = k.dim("route");
  for (Rank& r : k.ranks) {
    const Dense& x = r.in["scores"];
    for (Lane& lane : lanes(x, {route})) {
      std::sort(lane.inside.begin(), lane.inside.end(), [&](const Index& a, const Index& b) { return x.at(a) > x.at(b); });
      double sum = 0;
      for (int c = 0; c < k.total(choice); ++c) sum += std::exp(x.at(lane.inside[static_cast<std::size_t>(c)]));
      for (int c = 0; c < k.total(choice); ++c) {
        const Index& best = lane.inside[static_cast<std::size_t>(c)];
        r.out["index"][with(lane.outside, choice, c)] = of(best, route);
        r.out["gates"][with(lane.outside, choice, c)] = std::exp(x.at(best)) / sum;
      }
    }
  }
}
void topk_back(Kernel& k) {
  DimId choice = k.dim("choice"), route = k.dim("route");
  for (Rank& r : k.ranks) {
    Dense& dx = r.grad["scores"];
    for (const Lane& lane : lanes(dx, {route})) {
      double dot = 0;
      for (int c = 0; c < k.total(choice); ++c) dot += r.dy["gates"].at(with(lane.outside, choice, c)) * r.out["gates"].at(with(lane.outside, choice, c));
      for (int c = 0; c < k.total(choice); ++c) {
        Index j = with(lane.outside, choice, c);
        dx[with(lane.outside, route, static_cast<int>(r.out["index"].at(j)))] += r.out["gates"].at(j) * (r.dy["gates"].at(j) - dot);
      }
    }
  }
}

/// Assigns local slots of experts to local tokens, in order. Calls `f(token and choice, expert and slot)`.
template <class F>
void seat(const Kernel& k, const Dense& index, const Dense& slots, const F& f) {
  DimId expert = k.dim("expert"), slot = k.dim("slot");
  std::vector<int> taken(static_cast<std::size_t>(slots.extent(expert)), 0);
  every(
      {k.dim("batch"), k.dim("seq"), k.dim("choice")}, [&](DimId d) { return index.extent(d); },
      [&](const Index& ix) {
        int e = static_cast<int>(index.at(ix)) - slots.from(expert);
        if (e < 0 || e >= slots.extent(expert)) return;
        int at = taken[static_cast<std::size_t>(e)]++;
        if (at >= slots.extent(slot)) throw Wrong("a rank has fewer slots than tokens");
        f(ix, with(with(Index{}, expert, e), slot, at));
      });
}
template <class F>
void seat_rows(const Kernel& k, const Dense& index, const Dense& slots, const F& f) {
  DimId hidden = k.dim("hidden");
  seat(k, index, slots, [&](const Index& token, const Index& place) {
    for (int h = 0; h < slots.extent(hidden); ++h) f(with(token, hidden, h), with(place, hidden, h));
  });
}
void dispatch(Kernel& k) {
  for (Rank& r : k.ranks) seat_rows(k, r.in["index"], r.out["y"], [&](const Index& token, const Index& place) { r.out["y"][place] = r.in["x"].at(token); });
}
void dispatch_back(Kernel& k) {
  for (Rank& r : k.ranks) seat_rows(k, r.in["index"], r.dy["y"], [&](const Index& token, const Index& place) { r.grad["x"][token] += r.dy["y"].at(place); });
}
void combine(Kernel& k) {
  for (Rank& r : k.ranks) {
    seat_rows(k, r.in["index"], r.in["x"], [&](const Index& token, const Index& place) { r.out["y"][token] += r.in["gates"].at(token) * r.in["x"].at(place); });
  }
}
void combine_back(Kernel& k) {
  for (Rank& r : k.ranks) {
    seat_rows(k, r.in["index"], r.in["x"], [&](const Index& token, const Index& place) {
      r.grad["x"][place] += r.dy["y"].at(token) * r.in["gates"].at(token);
      r.grad["gates"][token] += r.dy["y"].at(token) * r.in["x"].at(place);
    });
  }
}

}  // namespace

void add_token_kernels(KernelTable& table) {
  table["attention"] = {attention, attention_back};
  table["embedding"] = {embedding, embedding_back};
  table["position"] = {position, position_back};
  table["topk"] = {topk, topk_back};
  table["dispatch"] = {dispatch, dispatch_back};
  table["combine"] = {combine, combine_back};
}

}  // namespace opledger::testing
