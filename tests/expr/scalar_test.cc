#include "expr/scalar.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <tuple>

#include "expr/tape.h"
#include "tests/expr/numbers.h"

namespace opledger {
namespace {

constexpr double kLargest = 9007199254740991.0;  // 2^53 - 1

struct Unary {
  Op op;
  double a, result;
};

struct Binary {
  Op op;
  double a, b, result;
};

}  // namespace

TEST_CASE("operations agree with mathematics") {
  const Binary cases[] = {
      {Op::add, 2, 3, 5},
      {Op::subtract, 2, 3, -1},
      {Op::multiply, 2, 3, 6},
      {Op::divide, 3, 2, 1.5},
      {Op::power, 2, 10, 1024},
      {Op::power, 4, 0.5, 2},
      {Op::power, 3, 2, 9},
      {Op::power, 5, 0, 1},
      {Op::floor_divide, 7, 2, 3},
      {Op::floor_divide, -7, 2, -4},
      {Op::floor_divide, 7, -2, -4},
      {Op::floor_divide, 1, 49, 0},
      {Op::floor_divide, 49, 49, 1},
      {Op::floor_divide, kLargest, 1, kLargest},
      {Op::floor_divide, kLargest, kLargest - 1, 1},
      {Op::floor_divide, kLargest - 1, kLargest, 0},
      {Op::modulo, 7, 2, 1},
      {Op::modulo, -7, 2, 1},
      {Op::modulo, 7, -2, -1},
      {Op::modulo, 7.5, 2, 1.5},
      {Op::minimum, 2, 3, 2},
      {Op::maximum, 2, 3, 3},
      {Op::gcd, 12, 18, 6},
      {Op::gcd, 0, 5, 5},
      {Op::gcd, 7, 0, 7},
      {Op::gcd, -4, 6, 2},
      {Op::gcd, 0, 0, 0},
      {Op::gcd, kLargest, 3, 1},
      {Op::equal, 2, 2, 1},
      {Op::not_equal, 2, 2, 0},
      {Op::less, 2, 2, 0},
      {Op::less_equal, 2, 2, 1},
      {Op::greater, 3, 2, 1},
      {Op::greater_equal, 1, 2, 0},
      {Op::logical_and, 1, 0, 0},
      {Op::logical_and, 1, 1, 1},
      {Op::logical_or, 1, 0, 1},
      {Op::logical_or, 0, 0, 0},
      {Op::divide, 1, 0, kInfinity},
      {Op::floor_divide, -1, 0, -kInfinity},
  };
  for (const Binary& c : cases) CHECK_MESSAGE(apply(c.op, c.a, c.b) == c.result, c.a << ' ' << symbol_of(c.op) << ' ' << c.b);
}

TEST_CASE("operations on one number") {
  const Unary cases[] = {
      {Op::logical_not, 0, 1}, {Op::logical_not, 1, 0}, {Op::negate, 3, -3},     {Op::floor, -1.5, -2}, {Op::ceil, -1.5, -1},
      {Op::ceil, 1.2, 2},      {Op::absolute, -2, 2},   {Op::square_root, 9, 3}, {Op::log2, 1024, 10},  {Op::log2, 0, -kInfinity},
  };
  for (const Unary& c : cases) CHECK_MESSAGE(apply(c.op, c.a) == c.result, symbol_of(c.op) << ' ' << c.a);
  CHECK(apply(Op::select, 1, 2, 3) == 2);
  CHECK(apply(Op::select, 0, 2, 3) == 3);
}

TEST_CASE("zero does not turn negative") {
  CHECK_FALSE(std::signbit(apply(Op::negate, 0)));
  CHECK_FALSE(std::signbit(apply(Op::ceil, -0.5)));
}

TEST_CASE("undefined results are NaN") {
  const Binary cases[] = {
      {Op::divide, 0, 0, kNan},     {Op::modulo, 1, 0, kNan},     {Op::square_root, -1, 0, kNan}, {Op::log2, -1, 0, kNan},
      {Op::power, -1, 0.5, kNan},   {Op::minimum, kNan, 1, kNan}, {Op::minimum, 1, kNan, kNan},   {Op::maximum, kNan, 1, kNan},
      {Op::maximum, 1, kNan, kNan}, {Op::gcd, 1.5, 3, kNan},      {Op::gcd, kInfinity, 3, kNan},  {Op::gcd, 3, kNan, kNan},
  };
  for (const Binary& c : cases) CHECK_MESSAGE(std::isnan(apply(c.op, c.a, c.b)), c.a << ' ' << symbol_of(c.op) << ' ' << c.b);
}

TEST_CASE("floor division and modulo are exact for integers") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const auto b = static_cast<std::int64_t>(random() >> (11 + random() % 52)) + 1;
    auto a = static_cast<std::int64_t>(random() >> (11 + random() % 52));
    if (i % 2 == 0) a = a / b * b + static_cast<std::int64_t>(random() % 3) - 1;  // Numbers next to a multiple would show rounding.
    if (i % 3 == 0) a = -a;
    if (std::abs(a) > std::int64_t{1} << 53 || b > std::int64_t{1} << 53) continue;
    const std::int64_t quotient = a / b - (a % b < 0 ? 1 : 0);
    REQUIRE(apply(Op::floor_divide, static_cast<double>(a), static_cast<double>(b)) == static_cast<double>(quotient));
    if (std::abs(quotient * b) <= std::int64_t{1} << 53)
      REQUIRE(apply(Op::modulo, static_cast<double>(a), static_cast<double>(b)) == static_cast<double>(a - quotient * b));
  }
}

TEST_CASE("exactness") {
  CHECK(apply(nullptr, Op::add, integer(1), integer(2)) == integer(3));
  CHECK(apply(nullptr, Op::add, integer(1), real(2)) == real(3));
  CHECK(apply(nullptr, Op::divide, integer(4), integer(2)) == real(2));
  CHECK(apply(nullptr, Op::floor_divide, integer(4), integer(3)) == integer(1));
  CHECK(apply(nullptr, Op::power, integer(2), integer(3)) == integer(8));
  CHECK(apply(nullptr, Op::power, integer(2), integer(-1)) == real(0.5));
  CHECK(apply(nullptr, Op::square_root, integer(4)) == real(2));
  CHECK(apply(nullptr, Op::less, real(1.5), real(2)) == truth(true));
  CHECK(apply(nullptr, Op::select, truth(true), integer(1), real(2)) == real(1));
  CHECK(apply(nullptr, Op::floor, real(2.5)) == real(2));
  CHECK(apply(nullptr, Op::multiply, integer(1e10), integer(1e10)) == real(1e20));  // The product is beyond 2^53.
  CHECK(apply(nullptr, Op::floor_divide, integer(1), integer(0)) == real(kInfinity));
}

TEST_CASE("symbols and arities") {
  const std::tuple<Op, std::string, int> cases[] = {
      {Op::add, "+", 2},           {Op::floor_divide, "//", 2}, {Op::gcd, "gcd", 2},          {Op::equal, "==", 2},  {Op::greater_equal, ">=", 2},
      {Op::logical_not, "not", 1}, {Op::negate, "-", 1},        {Op::square_root, "sqrt", 1}, {Op::log2, "log2", 1}, {Op::select, "select", 3},
      {Op::logical_and, "and", 2}, {Op::maximum, "max", 2},
  };
  for (const auto& [op, text, operands] : cases) {
    CHECK(symbol_of(op) == text);
    CHECK(arity(op) == operands);
  }
}

}  // namespace opledger
