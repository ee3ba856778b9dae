#include "search/sweep/tally.h"

#include <doctest/doctest.h>

#include <random>

#include "base/packing.h"

namespace opledger {
namespace {

Tally sample() {
  Tally out;
  out.candidates = 12;
  out.feasible = 5;
  out.infeasible = {{"out of memory", 4}, {"", 3}};
  out.sums.resize(2);
  out.sums[0].add(0.1);
  out.sums[1].add(-1e300);
  out.best = {{3.5, {1, 2}}, {2.5, {4, 8}}};
  out.front = Front({true, false});
  out.front.restore({{{3.5, 1}, {1, 2}, 7}});
  return out;
}

Tally empty() {
  Tally out;
  out.sums.resize(2);
  out.front = Front({true, false});
  return out;
}

}  // namespace

TEST_CASE("a tally is read back as it was written down") {
  Tally back = empty();
  REQUIRE(unpack(packed(sample()), 2, back));
  CHECK(packed(back) == packed(sample()));
  CHECK(back.infeasible == sample().infeasible);
  CHECK(back.sums[0].value() == 0.1);
  CHECK(back.front.points()[0].multiplicity == 7);
}

TEST_CASE("bytes that are no tally are refused") {
  const std::string good = packed(sample());
  for (std::size_t size = 0; size < good.size(); ++size) {
    Tally back = empty();
    CHECK(!unpack(good.substr(0, size), 2, back));
  }
  Tally back = empty();
  CHECK(!unpack(good + "x", 2, back));
  CHECK(!unpack(good, 3, back));
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = good;
    for (int i = 0; i < 4; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    Tally other = empty();
    unpack(bytes, 2, other);  // any tally may result, but reading ends
  }
}

TEST_CASE("a front keeps points without a dominating point, and counts equal ones") {
  Space space;
  Assignment order(space);
  Diagnostics diagnostics;
  Front front({true, false});  // maximize the first metric, minimize the second
  const std::vector<std::pair<std::vector<double>, std::size_t>> steps = {{{5, 5}, 1}, {{4, 4}, 2}, {{5, 6}, 2}, {{5, 5}, 2},
                                                                          {{6, 7}, 3}, {{5, 4}, 2}, {{3, 3}, 3}, {{7, 1}, 1}};
  for (const auto& [metrics, size] : steps) {
    front.add({metrics, {}, 1}, order, diagnostics);
    CAPTURE(metrics[0]);
    CHECK(front.points().size() == size);
  }
  front.add({{7, 1}, {}, 3}, order, diagnostics);
  CHECK(front.sorted()[0].multiplicity == 4);
}

}  // namespace opledger
