#include "rules/fitting.h"

#include <doctest/doctest.h>

#include "tests/support/ids.h"

using namespace opledger;

namespace {

/// Axes a and b, cut for dimension 0 in this order: a into 2 (fitting) and 3 (rest), b into 4 and 5.
Mesh mesh() {
  Mesh made;
  for (const char* name : {"a", "b"}) {
    made.order.push_back(made.axes.next());
    made.axes.push_back({name, Axis::Part::whole, {}, {}, {}, false, {}});
  }
  made.cut(DimId(0), axes({0, 1}));
  return made;
}

}  // namespace

TEST_CASE("what fits a dimension without knowing sizes") {
  CHECK(mesh().order == axes({2, 3, 4, 5}));
  CHECK(fits(mesh(), DimId(0), {}, AxisId(2)));
  CHECK(fits(mesh(), DimId(0), axes({2}), AxisId(4)));
  CHECK_FALSE(fits(mesh(), DimId(0), {}, AxisId(3)));  // the rest of an axis
  CHECK_FALSE(fits(mesh(), DimId(0), axes({3}), AxisId(4)));
  CHECK_FALSE(fits(mesh(), DimId(1), {}, AxisId(2)));  // never cut for this dimension
}

TEST_CASE("a coarse dimension follows its fine one") {
  CHECK(follow(mesh(), DimId(0), axes({2, 3, 4, 5})).taken == axes({2, 4}));  // after the rest of axis a, the fitting part of b is one rank
  CHECK(follow(mesh(), DimId(0), axes({4, 5, 2, 3})).taken == axes({4}));     // the other order has no such rest
  CHECK(follow(mesh(), DimId(0), axes({4, 5, 2, 3})).blocking == axes({5}));
  CHECK(follow(mesh(), DimId(0), axes({3, 2})).taken == AxisList{});
  CHECK(follow(mesh(), DimId(1), axes({2, 4})).taken == AxisList{});
}
