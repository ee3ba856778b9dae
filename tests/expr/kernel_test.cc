#include "expr/kernel.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/expr/numbers.h"
#include "tests/expr/random_tape.h"

namespace opledger {
namespace {

using Columns = std::vector<std::vector<double>>;

Columns run(const Kernel& kernel, const Columns& inputs, std::size_t count) {
  Columns outputs(kernel.outputs(), std::vector<double>(count, -7));
  std::vector<const double*> in;
  std::vector<double*> out;
  for (const auto& column : inputs) in.push_back(column.data());
  for (auto& column : outputs) out.push_back(column.data());
  kernel.run(in, out, count);
  return outputs;
}

/// Returns the number of values that the kernel gets wrong for `count` random candidates.
std::size_t differences(const Tape& tape, const std::vector<Scalar>& outputs, std::size_t count, std::mt19937_64& random) {
  Columns inputs(tape.inputs().size(), std::vector<double>(count));
  for (auto& column : inputs) {
    for (double& x : column) x = random_number(random);
  }
  const Columns results = run(Kernel(tape, outputs), inputs, count);
  std::size_t wrong = 0;
  for (std::size_t c = 0; c < count; ++c) {
    std::vector<double> candidate;
    for (const auto& column : inputs) candidate.push_back(column[c]);
    const std::vector<double> values = evaluate(tape, candidate);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const double expected = outputs[o].constant() ? outputs[o].value : values[static_cast<std::size_t>(outputs[o].symbol)];
      wrong += same_bits(results[o][c], expected) ? 0 : 1;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("a kernel computes only instructions that its outputs need") {
  Tape tape;
  const Scalar a = tape.input("a", 1, false), b = tape.input("b", 2, false), unused = tape.input("c", 3, false);
  const Scalar sum = tape.apply(Op::add, a, b);
  tape.apply(Op::multiply, unused, sum);
  const Scalar outputs[] = {tape.apply(Op::multiply, sum, sum), sum, integer(5), b};
  const Kernel kernel(tape, outputs);
  CHECK(kernel.inputs() == 3);
  CHECK(kernel.outputs() == 4);
  CHECK(kernel.instructions() == 2);
  CHECK(run(kernel, {{1, 2}, {10, 20}, {0, 0}}, 2) == Columns{{121, 484}, {11, 22}, {5, 5}, {10, 20}});
}

TEST_CASE("a kernel outlives its tape, and runs on nothing") {
  auto tape = std::make_unique<Tape>();
  const Scalar x = tape->input("x", 0, true);
  const Scalar outputs[] = {tape->gather(std::vector<double>{3, 4}, x), tape->curve(std::make_shared<const Curve>(Curve{{{1, 8}, {0, 9}}}), x)};
  const Kernel kernel(*tape, outputs);
  tape.reset();
  CHECK(run(kernel, {{0, 1, 0}}, 3) == Columns{{3, 4, 3}, {9, 8, 9}});
  CHECK(run(kernel, {{}}, 0) == Columns{{}, {}});
}

TEST_CASE("an index beyond the ends of a table gives NaN") {
  Tape tape;
  const Scalar x = tape.input("x", 0, true);
  const Scalar outputs[] = {tape.gather(std::vector<double>{3, 4}, x)};
  const Columns result = run(Kernel(tape, outputs), {{-1, 0, 1, 2, 1e300, NAN, -INFINITY, INFINITY}}, 8);
  CHECK(result[0][1] == 3);
  CHECK(result[0][2] == 4);
  for (const std::size_t i : {0, 3, 4, 5, 6, 7}) CHECK(std::isnan(result[0][i]));
}

TEST_CASE("registers are used again") {
  Tape tape;
  const Scalar a = tape.input("a", 1, false), b = tape.input("b", 2, false);
  Scalar s = a;
  for (int i = 0; i < 100; ++i) s = tape.apply(i % 2 == 0 ? Op::add : Op::divide, s, b);
  const Kernel kernel(tape, std::vector{s});
  CHECK(kernel.instructions() == 100);
  CHECK(kernel.registers() == 2);
}

TEST_CASE("an output that is used later keeps its register") {
  Tape tape;
  const Scalar a = tape.input("a", 1, false);
  const Scalar twice = tape.apply(Op::add, a, a), squared = tape.apply(Op::multiply, twice, twice);
  CHECK(run(Kernel(tape, std::vector{squared, twice, a, twice}), {{3}}, 1) == Columns{{36}, {6}, {3}, {6}});
}

TEST_CASE("kernels give the bits of single operations for random tapes and values") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 600; ++i) {
    const RandomTape tape(random, 1 + random() % 8, 1 + random() % 80);
    std::vector<Scalar> outputs;
    for (std::size_t o = 1 + random() % 6; o-- > 0;) outputs.push_back(tape.pick(random));
    REQUIRE(differences(tape.tape, outputs, 1 + random() % 150, random) == 0);
  }
}

TEST_CASE("every operation, with each of its operands constant or not, in full blocks and in parts") {
  std::mt19937_64 random(3);
  for (int op = 0; op <= static_cast<int>(Op::select); ++op) {
    for (unsigned constant = 0; constant < 8; ++constant) {
      Tape tape;
      Scalar args[3];
      for (unsigned k = 0; k < 3; ++k) args[k] = (constant >> k & 1) != 0 ? real(random_number(random)) : tape.input("x", 2, false);
      const Scalar result = tape.apply(static_cast<Op>(op), args[0], args[1], args[2]);
      for (const std::size_t count : {1, 63, 64, 65, 256}) REQUIRE(differences(tape, {result}, count, random) == 0);
    }
  }
}

TEST_CASE("simplification changes no value") {
  std::mt19937_64 random(4);
  std::size_t compared = 0;
  for (int i = 0; i < 20000; ++i) {
    Tape tape;
    const bool exact = random() % 2 == 0;
    const auto number = [&] { return exact ? static_cast<double>(random() % 7) - 2 : random_number(random); };
    std::vector<Scalar> symbols, constants;
    for (int k = 0; k < 3; ++k) {
      constants.push_back({number(), -1, exact});
      symbols.push_back(random() % 2 == 0 ? constants.back() : tape.input("x", constants.back().value, exact));
    }
    for (int k = 0; k < 12; ++k) {
      const auto op = static_cast<Op>(random() % (static_cast<std::uint64_t>(Op::select) + 1));
      const std::size_t at[] = {random() % symbols.size(), random() % symbols.size(), random() % symbols.size()};
      const Scalar expected = apply(nullptr, op, constants[at[0]], constants[at[1]], constants[at[2]]);
      // Logic is defined for truths only, and evaluators reject zero divisors before a kernel runs.
      const bool logic = op >= Op::logical_and && op <= Op::logical_not;
      const auto is_truth = [&](std::size_t k) { return constants[at[k]].value == 0 || constants[at[k]].value == 1; };
      if ((logic && !(is_truth(0) && is_truth(1))) || (op == Op::select && !is_truth(0)) || !std::isfinite(expected.value)) continue;
      const Scalar found = tape.apply(op, symbols[at[0]], symbols[at[1]], symbols[at[2]]);
      REQUIRE(found.value == expected.value);
      symbols.push_back(found);
      constants.push_back(expected);
      ++compared;
    }
  }
  CHECK(compared > 100000);
}

}  // namespace opledger
