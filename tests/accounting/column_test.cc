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

Value plain_text(const std::string& text) {
  Value v = word(text);
  v.kind = Value::Kind::text;
  return v;
}

bool holds(const Column& column, const std::vector<Value>& values) {
  bool same = column.size() == values.size();
  for (std::size_t i = 0; same && i < values.size(); ++i) same = equivalent(column[i], values[i]);
  return same;
}

}  // namespace

TEST_CASE("a column gives back what was put into it, whether values differ in their numbers alone, in their texts alone or in more") {
  const std::string one = "one", other = "other";
  const Dimension bytes = parse_unit("B")->dimension;
  Value absent = number_value(integer(0));
  absent.absent = true;
  Column numbers, others;
  CHECK(!numbers.differs_in_numbers(numbers));
  for (const double n : {1, 2}) numbers.push_back(number_value(real(n))), others.push_back(number_value(integer(n + 1)));
  CHECK(numbers.differs_in_numbers(others));
  numbers.set_number(0, others.number(1));
  CHECK(equivalent(numbers[0], others[1]));
  others.push_back(number_value(integer(2), bytes));
  CHECK(!numbers.differs_in_numbers(others));

  const std::vector<Value> all = {
      number_value(real(1.5)), number_value(integer(2)), number_value(integer(2), bytes), truth_value(true), absent, Value{}, word(one), word(other),
      plain_text(one),         plain_text(other)};
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
      std::size_t scalars = 0;
      column.each_scalar([&](Scalar& number) { number.value += 1, ++scalars; });
      const bool has_texts = values[0].kind == Value::Kind::text && values[1].kind == Value::Kind::text && values[2].kind == Value::Kind::text;
      CHECK(scalars == (has_texts ? 0 : 4));
      if (has_texts) continue;
      for (Value& value : values) value.scalar.value += 1;
      CHECK(holds(column, values));
    }
  }
}

}  // namespace opledger
