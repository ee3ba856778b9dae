#include "search/sweep/exact_sum.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace opledger {
namespace {

double sum_of(const std::vector<double>& terms) {
  ExactSum sum;
  for (const double term : terms) sum.add(term);
  return sum.value();
}

}  // namespace

TEST_CASE("a sum is the double nearest to the true one") {
  const double kMax = std::numeric_limits<double>::max(), kMin = std::numeric_limits<double>::denorm_min();
  const struct {
    std::vector<double> terms;
    double sum;
  } cases[] = {
      {{}, 0},
      {{0.1, 0.2, 0.3}, 0.6},
      {{1e308, 1, -1e308}, 1},
      {{1, 1e100, 1, -1e100}, 2},
      {{kMax, kMin, -kMax}, kMin},
      {{-3, 1}, -2},
      {{kMin, kMin, kMin}, 3 * kMin},
      {{9007199254740992.0, 1}, 9007199254740992.0},        // half way: to the even one
      {{9007199254740992.0, 1, kMin}, 9007199254740994.0},  // a little above half way
      {{9007199254740994.0, 1}, 9007199254740996.0},
      {{-9007199254740992.0, -1, -kMin}, -9007199254740994.0},
      {{kMax, kMax, -kMax}, kMax},
  };
  for (const auto& c : cases) CHECK(std::bit_cast<std::uint64_t>(sum_of(c.terms)) == std::bit_cast<std::uint64_t>(c.sum));
  CHECK(std::isinf(sum_of({kMax, kMax})));
  CHECK(std::isnan(sum_of({1, INFINITY, -INFINITY})));
}

TEST_CASE("a sum doesn't depend on the order of its terms, nor on how they are divided") {
  std::mt19937_64 random(7);
  std::vector<double> terms;
  for (int i = 0; i < 3000; ++i) terms.push_back(std::ldexp(static_cast<double>(random()) - 9e18, static_cast<int>(random() % 200) - 100));
  const double expected = sum_of(terms);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(terms.begin(), terms.end(), random);
    ExactSum all, some;
    for (const double term : terms) {
      some.add(term);
      if (random() % 100 != 0) continue;
      all.add(ExactSum(some.state()));
      some = {};
    }
    all.add(some);
    CHECK(std::bit_cast<std::uint64_t>(all.value()) == std::bit_cast<std::uint64_t>(expected));
  }
}

}  // namespace opledger
