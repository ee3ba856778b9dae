#include "graph/dims.h"

#include <doctest/doctest.h>

#include <utility>

namespace opledger {

TEST_CASE("dims: the algebra keeps order") {
  const DimList a{1, 2, 3}, b{3, 4, 1};
  CHECK(join(a, b) == DimList{1, 2, 3, 4});
  CHECK(without(a, b) == DimList{2});
  CHECK(difference(a, b) == DimList{2, 4});
  CHECK(join({}, a) == a);
  CHECK(without(a, {}) == a);
  CHECK(difference(a, a).empty());
}

TEST_CASE("dims: sets") {
  CHECK(same_set({1, 2}, {2, 1}));
  CHECK_FALSE(same_set({1, 2}, {1}));
  CHECK_FALSE(same_set({1}, {1, 2}));
  CHECK(contains({1, 2}, 2));
  CHECK_FALSE(contains({1, 2}, 3));
}

}  // namespace opledger
