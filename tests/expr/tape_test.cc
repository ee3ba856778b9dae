#include "expr/tape.h"
#include "expr/kernel.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/expr/numbers.h"

namespace opledger {
namespace {

/// A tape with an integer `n` = 6, a real `x` = 2.5 and a truth `t` = 1.
struct Fixture {
  Tape tape;
  Scalar n = tape.input("n", 6, true);
  Scalar m = tape.input("m", 4, true);
  Scalar x = tape.input("x", 2.5, false);
  Scalar y = tape.input("y", -1.25, false);
  Scalar t = tape.input("t", 1, true);

  Scalar operator()(Op op, Scalar a, Scalar b = {}, Scalar c = {}) { return tape.apply(op, a, b, c); }
  /// Returns the number of instructions without inputs.
  std::size_t size() const { return tape.instructions().size() - tape.inputs().size(); }
};

}  // namespace

TEST_CASE("symbols carry the sample's value") {
  Fixture f;
  const Scalar sum = f(Op::add, f.n, f.x);
  CHECK(sum.value == 8.5);
  CHECK_FALSE(sum.constant());
  CHECK_FALSE(sum.exact);
  CHECK(f(Op::multiply, f.n, f.m).exact);
  CHECK(f.tape.inputs() == std::vector<std::string>{"n", "m", "x", "y", "t"});
}

TEST_CASE_FIXTURE(Fixture, "constants fold") {
  CHECK(tape.apply(Op::add, integer(2), integer(3)) == integer(5));
  CHECK(tape.apply(Op::select, truth(false), integer(2), integer(3)) == integer(3));
  CHECK(size() == 0);
}

TEST_CASE_FIXTURE(Fixture, "an operation is recorded once") {
  auto& f = *this;
  const Scalar first = f(Op::add, n, x);
  CHECK(f(Op::add, n, x) == first);
  CHECK(f(Op::add, x, n) == first);
  CHECK(f(Op::multiply, x, real(3)) == f(Op::multiply, real(3), x));
  CHECK(f(Op::less, n, m) == f(Op::greater, m, n));
  CHECK(f(Op::less_equal, n, integer(3)) == f(Op::greater_equal, integer(3), n));
  CHECK(f(Op::minimum, n, m) == f(Op::minimum, m, n));
  CHECK(f(Op::equal, x, real(3)) == f(Op::equal, real(3), x));
  CHECK(f(Op::divide, x, real(4)) == f(Op::multiply, x, real(0.25)));
  CHECK(f(Op::power, x, integer(2)) == f(Op::multiply, x, x));
  CHECK(size() == 8);
  CHECK_FALSE(f(Op::subtract, n, m) == f(Op::subtract, m, n));
  CHECK_FALSE(f(Op::divide, x, real(3)) == f(Op::multiply, x, real(1.0 / 3)));
  CHECK(size() == 12);
}

TEST_CASE_FIXTURE(Fixture, "neutral elements go") {
  auto& f = *this;
  for (const Scalar& s : {n, x}) {
    CHECK(f(Op::add, s, integer(0)) == s);
    CHECK(f(Op::add, integer(0), s) == s);
    CHECK(f(Op::subtract, s, integer(0)) == s);
    CHECK(f(Op::multiply, s, integer(1)) == s);
    CHECK(f(Op::multiply, integer(1), s) == s);
    CHECK(f(Op::divide, s, integer(1)) == s);
    CHECK(f(Op::power, s, integer(1)) == s);
    CHECK(f(Op::power, s, integer(0)) == integer(1));
    CHECK(f(Op::minimum, s, s) == s);
    CHECK(f(Op::maximum, s, s) == s);
    CHECK(f(Op::select, t, s, s) == s);
    CHECK(f(Op::select, truth(true), s, m) == s);
    CHECK(f(Op::select, truth(false), m, s) == s);
  }
  CHECK(size() == 0);
}

TEST_CASE_FIXTURE(Fixture, "exact numbers are finite whole numbers") {
  auto& f = *this;
  CHECK(f(Op::multiply, n, integer(0)) == integer(0));
  CHECK(f(Op::subtract, n, n) == integer(0));
  CHECK(f(Op::floor_divide, n, integer(1)) == n);
  CHECK(f(Op::modulo, n, integer(1)) == integer(0));
  CHECK(f(Op::gcd, n, integer(1)) == integer(1));
  CHECK(f(Op::floor, n) == n);
  CHECK(f(Op::ceil, n) == n);
  CHECK(f(Op::equal, n, n) == truth(true));
  CHECK(f(Op::less, n, n) == truth(false));
  CHECK(size() == 0);
}

TEST_CASE_FIXTURE(Fixture, "operations on possibly infinite or fractional numbers stay") {
  auto& f = *this;
  f(Op::multiply, x, integer(0));
  f(Op::subtract, x, x);
  f(Op::floor_divide, x, integer(1));
  f(Op::modulo, x, integer(1));
  f(Op::floor, x);
  f(Op::ceil, x);
  f(Op::equal, x, x);
  f(Op::divide, integer(0), n);
  CHECK(size() == 8);
}

TEST_CASE_FIXTURE(Fixture, "logic folds") {
  auto& f = *this;
  const Scalar a = f(Op::less, n, m), b = f(Op::equal, n, m), not_a = f(Op::logical_not, a);
  const std::size_t before = size();
  CHECK(f(Op::logical_and, a, truth(true)) == a);
  CHECK(f(Op::logical_and, truth(false), a) == truth(false));
  CHECK(f(Op::logical_or, a, truth(false)) == a);
  CHECK(f(Op::logical_or, truth(true), a) == truth(true));
  CHECK(f(Op::logical_and, a, a) == a);
  CHECK(f(Op::logical_or, a, a) == a);
  CHECK(f(Op::equal, a, truth(true)) == a);
  CHECK(f(Op::not_equal, a, truth(false)) == a);
  CHECK(f(Op::equal, truth(false), a) == not_a);
  CHECK(f(Op::not_equal, a, truth(true)) == not_a);
  CHECK(f(Op::logical_not, not_a) == a);
  CHECK(f(Op::select, a, truth(true), truth(false)) == a);
  CHECK(f(Op::select, a, truth(false), truth(true)) == not_a);
  CHECK(f(Op::select, not_a, n, m) == f(Op::select, a, m, n));
  CHECK(size() == before + 1);
  CHECK(f(Op::logical_not, b) == f(Op::not_equal, n, m));
  CHECK(size() == before + 2);
}

TEST_CASE_FIXTURE(Fixture, "an integer that is compared with 1 is not a truth") {
  const Scalar is_one = tape.apply(Op::equal, n, integer(1));
  CHECK_FALSE(is_one == n);
  CHECK(is_one.value == 0);
}

TEST_CASE_FIXTURE(Fixture, "negation") {
  auto& f = *this;
  CHECK(f(Op::subtract, integer(0), x) == f(Op::negate, x));
  CHECK(size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "tables") {
  const std::vector<double> table = {10, 20.5, 30};
  CHECK(tape.gather(table, integer(1)) == real(20.5));
  CHECK(std::isnan(tape.gather(table, integer(3)).value));
  CHECK(std::isnan(tape.gather(table, integer(-1)).value));
  CHECK(std::isnan(tape.gather({}, integer(0)).value));
  const Scalar symbol = tape.gather(table, t);
  CHECK(symbol.value == 20.5);
  CHECK_FALSE(symbol.exact);
  CHECK(tape.gather(std::vector<double>(table), t) == symbol);
  CHECK(tape.gather(std::vector<double>{7, 7}, t) == integer(7));
  CHECK(tape.gather(std::vector<double>{7, 8}, t).exact);
  CHECK(tape.tables().size() == 2);
  CHECK(size() == 2);
}

TEST_CASE("curves are falling steps") {
  const Curve curve{{{100, 0.9}, {10, 0.5}, {1, 0.1}}};
  const std::pair<double, double> cases[] = {{kInfinity, 0.9}, {100, 0.9}, {99.9, 0.5}, {10, 0.5}, {9, 0.1}, {1, 0.1}, {0.5, 0.1}, {-kInfinity, 0.1}};
  for (const auto& [x, value] : cases) CHECK(curve(x) == value);
  CHECK(std::isnan(curve(kNan)));
  CHECK(std::isnan(Curve{}(1)));
  CHECK(Curve{{{5, 2}}}(1) == 2);
}

TEST_CASE("curves of scattered points are means of the nearest") {
  Curve curve;
  curve.coordinates = 2;
  const double square[] = {2, 2};
  CHECK(curve(square) == 0);
  curve.points = {1, 1, 0.5};  // value at (2, 2)
  const double far[] = {1e9, 3};
  CHECK(curve(far) == 0.5);
  curve.points.insert(curve.points.end(), {3, 1, 0.7});  // value at (8, 2)
  CHECK(curve(square) == doctest::Approx(0.5).epsilon(1e-6));
  const double between[] = {4, 2}, nearer[] = {std::exp2(1.5), 2};
  CHECK(curve(between) == doctest::Approx(0.6));
  CHECK(curve(nearer) == doctest::Approx((0.5 * 1.501 * 1.501 + 0.7 * 0.501 * 0.501) / (1.501 * 1.501 + 0.501 * 0.501)));
  for (int i = 0; i < 7; ++i) curve.points.insert(curve.points.end(), {20.0 + i, 1, 100});
  const double last[] = {std::exp2(26), 2};
  CHECK(curve(square) == doctest::Approx(0.5).epsilon(1e-4));
  CHECK(curve(last) == doctest::Approx(100).epsilon(1e-4));
  CHECK(std::isfinite(curve(std::array{0.0, 1.0}.data())));
  CHECK(std::isnan(curve(std::array{kNan, 1.0}.data())));
}

TEST_CASE_FIXTURE(Fixture, "a curve is recorded once") {
  const auto curve = std::make_shared<const Curve>(Curve{{{2, 0.5}, {1, 0.25}}});
  CHECK(tape.curve(curve, integer(1)) == real(0.25));
  const Scalar symbol = tape.curve(curve, x);
  CHECK(symbol.value == 0.5);
  CHECK_FALSE(symbol.exact);
  CHECK(tape.curve(curve, x) == symbol);
  CHECK_FALSE(tape.curve(curve, y) == symbol);
  CHECK(tape.curves().size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "a guard is the sample's value, once") {
  auto& f = *this;
  const Scalar condition = f(Op::less, n, m);
  CHECK(tape.guard(condition) == 0);
  CHECK(tape.guard(condition) == 0);
  CHECK(tape.guard(f(Op::less, n, m)) == 0);
  CHECK(tape.guard(integer(5)) == 5);
  REQUIRE(tape.guards().size() == 1);
  CHECK(tape.guards()[0].condition == condition);
  CHECK(tape.guards()[0].value == 0);
}

TEST_CASE_FIXTURE(Fixture, "values that a guard determines fold") {
  auto& f = *this;
  const Scalar condition = f(Op::less, n, m);
  tape.guard(condition);
  CHECK(f(Op::less, n, m) == truth(false));
  CHECK(f(Op::select, condition, x, y) == y);
  CHECK(f(Op::logical_or, condition, f(Op::less, x, y)) == f(Op::less, x, y));
}

TEST_CASE_FIXTURE(Fixture, "known values imply others") {
  auto& f = *this;
  tape.assume(f(Op::equal, n, integer(6)), 1);
  CHECK(f(Op::add, n, integer(1)) == integer(7));
  tape.assume(f(Op::not_equal, m, integer(4)), 0);
  CHECK(f(Op::multiply, m, m) == integer(16));
  const Scalar a = f(Op::less, x, y), b = f(Op::less, y, real(3));
  tape.assume(f(Op::logical_and, f(Op::logical_not, a), b), 1);
  CHECK(f(Op::select, a, x, y) == y);
  CHECK(f(Op::select, b, x, y) == x);
}

TEST_CASE_FIXTURE(Fixture, "known values may follow from very many conditions") {
  auto& f = *this;
  Scalar all = f(Op::less, n, integer(7));
  for (int i = 8; i < 200000; ++i) all = f(Op::logical_and, all, f(Op::less, n, integer(i)));
  tape.assume(all, 1);
  CHECK(f(Op::less, n, integer(7)) == truth(true));
}

TEST_CASE_FIXTURE(Fixture, "a known inequality implies nothing") {
  auto& f = *this;
  tape.assume(f(Op::equal, n, integer(5)), 0);
  CHECK_FALSE(f(Op::add, n, integer(1)).constant());
  CHECK(f(Op::equal, n, integer(5)) == truth(false));
}

TEST_CASE_FIXTURE(Fixture, "traced again, a tape knows its guards from the start") {
  auto& f = *this;
  const auto trace = [&] {
    const Scalar cost = f(Op::add, f(Op::select, f(Op::equal, n, integer(6)), x, y), f(Op::select, f(Op::equal, n, integer(8)), y, x));
    return tape.guard(f(Op::equal, n, integer(6))) != 0 ? cost : f(Op::negate, cost);
  };
  const Scalar first = trace();
  const Scalar second = trace();
  CHECK(second == f(Op::add, x, x));
  CHECK(first.value == second.value);
  CHECK(tape.guards().size() == 1);
}

TEST_CASE("candidates are recorded one after another") {
  Tape tape;
  const auto record = [&tape](double a, double b) {
    const Scalar x = tape.input("x", a, true), y = tape.input("y", b, true);
    const Scalar small = tape.apply(Op::less, x, y);
    const Scalar other = tape.apply(Op::logical_not, small);  // rewritten from an instruction of the tape
    const Scalar sum = tape.apply(Op::add, x, y);
    CHECK(sum.value == a + b);
    CHECK(other.value == (a < b ? 0 : 1));
    return tape.guard(small) != 0 ? sum : tape.apply(Op::multiply, sum, y);
  };
  const std::vector<std::pair<double, double>> candidates = {{2, 3}, {5, 4}, {7, 9}, {5, 4}};
  std::size_t instructions = 0;
  for (const auto& [a, b] : candidates) {
    const double inputs[] = {a, b};
    tape.begin(inputs);
    const Scalar result = record(a, b);
    CHECK(tape.inputs().size() == 2);
    REQUIRE(tape.guards().size() == 1);
    CHECK(tape.guards()[0].value == (a < b ? 1 : 0));
    CHECK(tape.sample(result.symbol) == (a < b ? a + b : (a + b) * b));
    Scalar own = result;
    Scalar* const outputs[] = {&own};
    Tape part = tape.extract(outputs);
    CHECK(part.inputs() == tape.inputs());
    CHECK(part.instructions().size() == (a < b ? 4 : 5));
    CHECK(Kernel(part, std::span(&own, 1)).run({a + 1, b + 1})[0] == (a < b ? a + b + 2 : (a + b + 2) * (b + 1)));
    CHECK(Kernel(part, std::span(&part.guards()[0].condition, 1)).run({1, 2})[0] == 1);
    // the part can be extended
    const std::size_t before = part.instructions().size();
    for (int i = 2; i < 100; ++i) part.apply(Op::add, own, integer(i));
    CHECK(part.instructions().size() == before + 98);
    CHECK(part.apply(Op::add, own, integer(50)).symbol < static_cast<std::int32_t>(part.instructions().size()));
    CHECK(part.instructions().size() == before + 98);
    if (instructions == tape.instructions().size()) CHECK(a != 2);
    instructions = tape.instructions().size();
  }
  CHECK(instructions == 6);  // both inputs, three instructions that both kinds of candidates need, and the product
}

TEST_CASE("a tape merges the instructions that outputs of other tapes need") {
  const double table[] = {3, 1, 4};
  const auto curve = std::make_shared<const Curve>(Curve{{{2, 20}, {1, 10}}});
  std::vector<Tape> tapes(2);
  std::vector<std::vector<Scalar>> outputs(2);
  for (std::size_t t = 0; t < 2; ++t) {
    Tape& tape = tapes[t];
    const Scalar x = tape.input("x", 2, true), y = tape.input("y", 1, true);
    if (t == 1) tape.gather(std::vector<double>{9, 8, 7}, x);  // tables have other numbers there, and no output needs this one
    const Scalar sum = tape.apply(Op::add, x, y), item = tape.gather(table, y);
    outputs[t] = {tape.apply(Op::multiply, sum, item), t == 0 ? integer(5) : tape.apply(Op::subtract, tape.curve(curve, sum), x)};
  }
  Tape all;
  const Scalar x = all.input("x", 2, true), first = all.input("y", 1, true), second = all.input("y", 0, true);
  const std::vector<Scalar> a = all.append(tapes[0], outputs[0], std::vector<Scalar>{x, first});
  const std::size_t once = all.instructions().size();
  const std::vector<Scalar> b = all.append(tapes[1], outputs[1], std::vector<Scalar>{x, first});
  CHECK(b[0] == a[0]);
  CHECK(a[1] == integer(5));
  CHECK(all.instructions().size() == once + 2);  // the curve, and the instruction that reads it
  const std::vector<Scalar> c = all.append(tapes[0], outputs[0], std::vector<Scalar>{x, second});
  CHECK(all.tables().size() == 1);
  const std::vector<Scalar> taken = {a[0], b[1], c[0]};
  const std::vector<double> out = Kernel(all, taken).run({2, 1, 0});
  CHECK(out[0] == Kernel(tapes[0], outputs[0]).run({2, 1})[0]);
  CHECK(out[1] == Kernel(tapes[1], outputs[1]).run({2, 1})[1]);
  CHECK(out[2] == Kernel(tapes[0], outputs[0]).run({2, 0})[0]);
}

TEST_CASE("without a tape all is constant") { CHECK(apply(nullptr, Op::multiply, integer(6), real(0.5)) == real(3)); }

}  // namespace opledger
