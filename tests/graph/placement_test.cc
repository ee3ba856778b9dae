#include "graph/placement.h"

#include <doctest/doctest.h>

#include <utility>

#include "tests/support/ids.h"
namespace opledger {
namespace {

Placement placed() {
  Placement p;
  p.set(DimId(5), axes({1, 2}));
  p.set(DimId(3), axes({0}));
  p.partial = axes({4});
  return p;
}

}  // namespace

TEST_CASE("placement: dimensions are kept sorted, empty lists are not kept") {
  Placement p = placed();
  CHECK(p.shard == decltype(p.shard){{DimId(3), axes({0})}, {DimId(5), axes({1, 2})}});
  p.set(DimId(3), {});
  p.set(DimId(7), {});
  CHECK(p.shard == decltype(p.shard){{DimId(5), axes({1, 2})}});
  p.set(DimId(5), axes({2}));
  CHECK(p.shard == decltype(p.shard){{DimId(5), axes({2})}});
}

TEST_CASE("placement: axes of a dimension") {
  const Placement p = placed();
  REQUIRE(p.axes(DimId(5)));
  CHECK(*p.axes(DimId(5)) == axes({1, 2}));
  CHECK(p.axes(DimId(4)) == nullptr);
}

TEST_CASE("placement: mentions shards and partial sums") {
  const Placement p = placed();
  CHECK(p.mentions(AxisId(2)));
  CHECK(p.mentions(AxisId(4)));
  CHECK_FALSE(p.mentions(AxisId(3)));
}

TEST_CASE("placement: settled, only, renamed") {
  const Placement p = placed();
  CHECK(p.reduced() == Placement{p.shard, {}});
  CHECK(p.only(dims({5})) == Placement{{{DimId(5), axes({1, 2})}}, axes({4})});
  CHECK(p.renamed({{DimId(5), DimId(1)}}) == Placement{{{DimId(1), axes({1, 2})}, {DimId(3), axes({0})}}, axes({4})});
  CHECK(p.renamed({{DimId(5), DimId(3)}, {DimId(3), DimId(5)}}) == Placement{{{DimId(3), axes({1, 2})}, {DimId(5), axes({0})}}, axes({4})});
}

TEST_CASE("placement: flat elements come before every dimension") {
  Placement p = placed();
  p.set(kElements, axes({9}));
  CHECK(p.shard.front().first == kElements);
  CHECK(*p.axes(kElements) == axes({9}));
}

}  // namespace opledger
