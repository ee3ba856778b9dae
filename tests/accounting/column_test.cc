#include "formulas/column.h"

#include <doctest/doctest.h>

namespace opledger {
namespace {

Value word(const std::string& text) {
  Value v;
  v.kind = Value::Kind::word;
  v.text = &text;
  return v;
}

bool holds(const Column& column, const std::vector<Value>& values) {
  bool same = column.size() == values.size();
  for (std::size_t i = 0; same && i < values.size(); ++i) same = alike(column[i], values[i]);
  return same;
}

}  // namespace

TEST_CASE("a column gives back what was put into it, whether values differ in their numbers alone or not") {
  const std::string one = "one", other = "other";
  const Dimension bytes = parse_unit("B")->dimension;
  Value absent = number_value(integer(0));
  absent.absent = true;
  const std::vector<Value> all = {
      number_value(real(1.5)), number_value(integer(2)), number_value(integer(2), bytes), truth_value(true), absent, Value{}, word(one), word(other)};
  for (std::size_t first = 0; first < all.size(); ++first) {
    for (std::size_t second = 0; second < all.size(); ++second) {
      Column column;
      std::vector<Value> values;
      for (const std::size_t i : {first, first, second, first}) {
        column.push_back(all[i]);
        values.push_back(all[i]);
        CHECK(holds(column, values));
      }
      for (const std::size_t at : {std::size_t{1}, std::size_t{3}}) {
        column.set(at, all[second]);
        values[at] = all[second];
        CHECK(holds(column, values));
      }
      CHECK(column.all().size() == 4);
      std::size_t numbers = 0;
      column.each_scalar([&](Scalar& number) { number.value += 1, ++numbers; });
      for (Value& value : values) value.scalar.value += 1;
      CHECK(numbers == 4);
      CHECK(holds(column, values));
    }
  }
}

}  // namespace opledger
