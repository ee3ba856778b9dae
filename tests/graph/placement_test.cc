#include "graph/placement.h"

#include <doctest/doctest.h>

#include <utility>

namespace opledger {
namespace {

Placement placed() {
  Placement p;
  p.set(5, {1, 2});
  p.set(3, {0});
  p.partial = {4};
  return p;
}

}  // namespace

TEST_CASE("placement: dimensions are kept sorted, empty lists are not kept") {
  Placement p = placed();
  CHECK(p.shard == decltype(p.shard){{3, {0}}, {5, {1, 2}}});
  p.set(3, {});
  p.set(7, {});
  CHECK(p.shard == decltype(p.shard){{5, {1, 2}}});
  p.set(5, {2});
  CHECK(p.shard == decltype(p.shard){{5, {2}}});
}

TEST_CASE("placement: axes of a dimension") {
  const Placement p = placed();
  REQUIRE(p.axes(5));
  CHECK(*p.axes(5) == AxisList{1, 2});
  CHECK(p.axes(4) == nullptr);
}

TEST_CASE("placement: mentions shards and partial sums") {
  const Placement p = placed();
  CHECK(p.mentions(2));
  CHECK(p.mentions(4));
  CHECK_FALSE(p.mentions(3));
}

TEST_CASE("placement: settled, only, renamed") {
  const Placement p = placed();
  CHECK(p.settled() == Placement{p.shard, {}});
  CHECK(p.only({5}) == Placement{{{5, {1, 2}}}, {4}});
  CHECK(p.renamed({{5, 1}}) == Placement{{{1, {1, 2}}, {3, {0}}}, {4}});
  CHECK(p.renamed({{5, 3}, {3, 5}}) == Placement{{{3, {1, 2}}, {5, {0}}}, {4}});
}

TEST_CASE("placement: flat elements come before every dimension") {
  Placement p = placed();
  p.set(kElements, {9});
  CHECK(p.shard.front().first == kElements);
  CHECK(*p.axes(kElements) == AxisList{9});
}

}  // namespace opledger
