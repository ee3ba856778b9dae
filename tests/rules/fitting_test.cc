#include "rules/fitting.h"

#include <doctest/doctest.h>

using namespace opledger;

namespace {

/// Axes a and b, cut for dimension 0 in this order: a is 2 (fits) and 3 (rest), b is 4 and 5.
Mesh mesh() {
  Mesh made;
  for (const char* name : {"a", "b"}) {
    made.order.push_back(static_cast<AxisId>(made.axes.size()));
    made.axes.push_back({name, Axis::Part::whole, -1, -1, {}, false, {}});
  }
  made.cut(0, {0, 1});
  return made;
}

}  // namespace

TEST_CASE("what fits a dimension without knowing sizes") {
  CHECK(mesh().order == AxisList{2, 3, 4, 5});
  CHECK(fits(mesh(), 0, {}, 2));
  CHECK(fits(mesh(), 0, {2}, 4));
  CHECK_FALSE(fits(mesh(), 0, {}, 3));  // the rest of an axis
  CHECK_FALSE(fits(mesh(), 0, {3}, 4));
  CHECK_FALSE(fits(mesh(), 1, {}, 2));  // never cut for this dimension
}

TEST_CASE("a coarse dimension follows its fine one") {
  CHECK(follow(mesh(), 0, {2, 3, 4, 5}).taken == AxisList{2, 4});  // where a has a rest, what fits of b is one rank
  CHECK(follow(mesh(), 0, {4, 5, 2, 3}).taken == AxisList{4});     // the other way round nothing says so
  CHECK(follow(mesh(), 0, {4, 5, 2, 3}).blocking == AxisList{5});
  CHECK(follow(mesh(), 0, {3, 2}).taken == AxisList{});
  CHECK(follow(mesh(), 1, {2, 4}).taken == AxisList{});
}
