#include <algorithm>
#include <cmath>

#include "tests/rules/kernels.h"

namespace opledger::testing {

namespace {

constexpr double kSmall = 1e-5;

double product(const Kernel& k, const DimList& dims) {
  double n = 1;
  for (DimId d : dims) n *= k.total(d);
  return n;
}

/// Returns one value for each lane of a port, computed from the lane's values.
template <class F>
auto per_lane(const Kernel& k, const char* side, const char* port, const F& f) {
  return [&k, side, port, f](Rank& r) {
    Dense& x = side[0] == 'i' ? r.in[port] : r.out[port];
    std::vector<double> values;
    for (const Lane& lane : lanes(x, k.over())) {
      double sum = 0;
      for (const Index& j : lane.inside) sum += f(r, lane, j, values.size());
      values.push_back(sum);
    }
    return values;
  };
}

template <class F>
void visit(const Kernel& k, Rank& r, const F& f) {
  std::size_t i = 0;
  for (const Lane& lane : lanes(r.in["x"], k.over())) {
    for (const Index& j : lane.inside) f(j, i);
    ++i;
  }
}

void rmsnorm(Kernel& k) {
  double n = product(k, k.over());
  auto squares =
      k.reduce("square", false, per_lane(k, "in", "x", [](Rank& r, const Lane&, const Index& j, std::size_t) { return r.in["x"].at(j) * r.in["x"].at(j); }));
  for (std::size_t i = 0; i < k.ranks.size(); ++i) {
    Rank& r = k.ranks[i];
    visit(k, r, [&](const Index& j, std::size_t lane) { r.out["y"][j] = r.in["x"].at(j) / std::sqrt(squares[i][lane] / n + kSmall) * r.in["gamma"].at(j); });
    r.out["y"].statistics = {squares[i]};
  }
}
void rmsnorm_back(Kernel& k) {
  double n = product(k, k.over());
  auto dots = k.reduce("dot", false, per_lane(k, "in", "x", [](Rank& r, const Lane&, const Index& j, std::size_t) {
                         return r.dy["y"].at(j) * r.in["gamma"].at(j) * r.in["x"].at(j);
                       }));
  for (std::size_t i = 0; i < k.ranks.size(); ++i) {
    Rank& r = k.ranks[i];
    visit(k, r, [&](const Index& j, std::size_t lane) {
      double s = std::sqrt(r.out["y"].statistics[0][lane] / n + kSmall), g = r.dy["y"].at(j), x = r.in["x"].at(j);
      r.grad["x"][j] = g * r.in["gamma"].at(j) / s - x * dots[i][lane] / (n * s * s * s);
      r.grad["gamma"][j] += g * x / s;
    });
  }
}

/// Returns two sums for each lane, one list after the other.
template <class A, class B>
auto two(A a, B b) {
  return [a, b](Rank& r) {
    std::vector<double> values = a(r), more = b(r);
    values.insert(values.end(), more.begin(), more.end());
    return values;
  };
}

struct Moments {
  double mean, deviation;
  Moments(const std::vector<double>& sums, std::size_t lane, double n)
      : mean(sums[lane] / n), deviation(std::sqrt(sums[sums.size() / 2 + lane] / n - mean * mean + kSmall)) {}
};

void layernorm(Kernel& k) {
  double n = product(k, k.over());
  auto first = per_lane(k, "in", "x", [](Rank& r, const Lane&, const Index& j, std::size_t) { return r.in["x"].at(j); });
  auto second = per_lane(k, "in", "x", [](Rank& r, const Lane&, const Index& j, std::size_t) { return r.in["x"].at(j) * r.in["x"].at(j); });
  auto sums = k.reduce("moments", false, two(first, second));
  for (std::size_t i = 0; i < k.ranks.size(); ++i) {
    Rank& r = k.ranks[i];
    visit(k, r, [&](const Index& j, std::size_t lane) {
      Moments m(sums[i], lane, n);
      r.out["y"][j] = (r.in["x"].at(j) - m.mean) / m.deviation * r.in["gamma"].at(j) + r.in["beta"].at(j);
    });
    r.out["y"].statistics = {sums[i]};
  }
}
void layernorm_back(Kernel& k) {
  double n = product(k, k.over());
  auto hat = [n](Rank& r, const Index& j, std::size_t lane) {
    Moments m(r.out["y"].statistics[0], lane, n);
    return (r.in["x"].at(j) - m.mean) / m.deviation;
  };
  auto first = per_lane(k, "in", "x", [](Rank& r, const Lane&, const Index& j, std::size_t) { return r.dy["y"].at(j) * r.in["gamma"].at(j); });
  auto second =
      per_lane(k, "in", "x", [hat](Rank& r, const Lane&, const Index& j, std::size_t lane) { return r.dy["y"].at(j) * r.in["gamma"].at(j) * hat(r, j, lane); });
  auto sums = k.reduce("moments", false, two(first, second));
  for (std::size_t i = 0; i < k.ranks.size(); ++i) {
    Rank& r = k.ranks[i];
    std::size_t half = sums[i].size() / 2;
    visit(k, r, [&](const Index& j, std::size_t lane) {
      double g = r.dy["y"].at(j), h = hat(r, j, lane), s = Moments(r.out["y"].statistics[0], lane, n).deviation;
      r.grad["x"][j] = (g * r.in["gamma"].at(j) - sums[i][lane] / n - h * sums[i][half + lane] / n) / s;
      r.grad["gamma"][j] += g * h;
      r.grad["beta"][j] += g;
    });
  }
}

/// Returns the greatest value of each lane, and the sum of exponentials relative to it.
std::pair<Kernel::Values, Kernel::Values> exponentials(Kernel& k) {
  auto top = k.reduce("top", true, [&k](Rank& r) {
    std::vector<double> values;
    for (const Lane& lane : lanes(r.in["x"], k.over())) {
      double most = -1e300;
      for (const Index& j : lane.inside) most = std::max(most, r.in["x"].at(j));
      values.push_back(most);
    }
    return values;
  });
  std::size_t rank = 0;
  auto total = k.reduce("total", false, [&](Rank& r) {
    const std::vector<double>& most = top[rank++];
    return per_lane(k, "in", "x", [&most](Rank& own, const Lane&, const Index& j, std::size_t lane) { return std::exp(own.in["x"].at(j) - most[lane]); })(r);
  });
  return {top, total};
}

void softmax(Kernel& k) {
  auto [top, total] = exponentials(k);
  for (std::size_t i = 0; i < k.ranks.size(); ++i) {
    Rank& r = k.ranks[i];
    const std::vector<double>&most = top[i], &sum = total[i];
    visit(k, r, [&](const Index& j, std::size_t lane) { r.out["y"][j] = std::exp(r.in["x"].at(j) - most[lane]) / sum[lane]; });
  }
}
void softmax_back(Kernel& k) {
  auto dots =
      k.reduce("dot", false, per_lane(k, "out", "y", [](Rank& r, const Lane&, const Index& j, std::size_t) { return r.dy["y"].at(j) * r.out["y"].at(j); }));
  for (std::size_t i = 0; i < k.ranks.size(); ++i) {
    Rank& r = k.ranks[i];
    visit(k, r, [&](const Index& j, std::size_t lane) { r.grad["x"][j] = r.out["y"].at(j) * (r.dy["y"].at(j) - dots[i][lane]); });
  }
}

bool hits(const Kernel& k, Rank& r, const Index& j, const Index& outside) {
  DimId vocab = k.dim("vocab");
  return of(j, vocab) + r.in["x"].from(vocab) == static_cast<int>(r.in["labels"].at(outside));
}

void loss(Kernel& k) {
  auto [top, total] = exponentials(k);
  auto target = k.reduce("target", false, per_lane(k, "in", "x", [&k](Rank& r, const Lane& lane, const Index& j, std::size_t) {
                           return hits(k, r, j, lane.outside) ? r.in["x"].at(j) : 0;
                         }));
  for (std::size_t i = 0; i < k.ranks.size(); ++i) {
    Rank& r = k.ranks[i];
    std::size_t at = 0;
    for (const Lane& lane : lanes(r.in["x"], k.over())) {
      r.out["y"][lane.outside] += top[i][at] + std::log(total[i][at]) - target[i][at];
      ++at;
    }
    r.out["y"].statistics = {top[i], total[i]};
  }
}
void loss_back(Kernel& k) {
  for (Rank& r : k.ranks) {
    std::size_t at = 0;
    for (const Lane& lane : lanes(r.in["x"], k.over())) {
      for (const Index& j : lane.inside) {
        double p = std::exp(r.in["x"].at(j) - r.out["y"].statistics[0][at]) / r.out["y"].statistics[1][at];
        r.grad["x"][j] = r.dy["y"].at(lane.outside) * (p - (hits(k, r, j, lane.outside) ? 1 : 0));
      }
      ++at;
    }
  }
}

void mean(Kernel& k) {
  for (Rank& r : k.ranks) every(r.in["x"], [&](const Index& ix) { r.out["y"][Index{}] += r.in["x"].at(ix); });
}
void mean_back(Kernel& k) {
  for (Rank& r : k.ranks) every(r.grad["x"], [&](const Index& ix) { r.grad["x"][ix] = r.dy["y"].at(Index{}); });
}

}  // namespace

void add_norm_kernels(KernelTable& table) {
  table["rmsnorm"] = {rmsnorm, rmsnorm_back};
  table["layernorm"] = {layernorm, layernorm_back};
  table["softmax"] = {softmax, softmax_back};
  table["cross_entropy"] = table["token_loss"] = {loss, loss_back};
  table["mean"] = {mean, mean_back};
}

}  // namespace opledger::testing
