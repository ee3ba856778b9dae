#include "graph/dims.h"

#include <doctest/doctest.h>

#include <utility>

#include "tests/support/ids.h"
namespace opledger {

TEST_CASE("dims: the algebra keeps order") {
  const DimList a = dims({1, 2, 3}), b = dims({3, 4, 1});
  CHECK(join(a, b) == dims({1, 2, 3, 4}));
  CHECK(without(a, b) == dims({2}));
  CHECK(difference(a, b) == dims({2, 4}));
  CHECK(join({}, a) == a);
  CHECK(without(a, {}) == a);
  CHECK(difference(a, a).empty());
}

TEST_CASE("dims: sets") {
  CHECK(same_set(dims({1, 2}), dims({2, 1})));
  CHECK_FALSE(same_set(dims({1, 2}), dims({1})));
  CHECK_FALSE(same_set(dims({1}), dims({1, 2})));
  CHECK(contains(dims({1, 2}), DimId(2)));
  CHECK_FALSE(contains(dims({1, 2}), DimId(3)));
}

}  // namespace opledger
