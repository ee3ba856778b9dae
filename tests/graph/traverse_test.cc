#include "graph/traverse.h"

#include <doctest/doctest.h>

namespace opledger {
namespace {

using Numbers = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("traverse: the order of numbers, where possible") {
  CHECK(order_by_arcs(3, {}).order == Numbers{0, 1, 2});
  CHECK(order_by_arcs(3, {{2, 0}}).order == Numbers{1, 2, 0});
  CHECK(order_by_arcs(4, {{3, 1}, {3, 1}, {1, 0}}).order == Numbers{2, 3, 1, 0});
  CHECK(order_by_arcs(0, {}).order.empty());
  CHECK(order_by_arcs(3, {{2, 0}}).cycle.empty());
}

TEST_CASE("traverse: a shortest cycle from its lowest number") {
  CHECK(order_by_arcs(3, {{0, 1}, {1, 2}, {2, 1}}).cycle == Numbers{1, 2, 1});
  CHECK(order_by_arcs(2, {{1, 1}}).cycle == Numbers{1, 1});
  CHECK(order_by_arcs(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {2, 0}}).cycle == Numbers{0, 1, 2, 0});
}

}  // namespace opledger
