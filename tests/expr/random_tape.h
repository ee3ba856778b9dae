#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <random>
#include <vector>

#include "expr/operations.h"
#include "expr/tape.h"

/// Random tapes and a plain evaluation of one instruction after another, as a reference for kernels.
namespace opledger {

/// Returns a random double of a kind that a search may meet.
inline double random_number(std::mt19937_64& random) {
  constexpr std::array<double, 16> kSpecial = {0, 1, -1, 2, 0.5, -0.0, 1e300, -1e300, 1e-300, 5e-324, 3, 64, 4096, 1e15, INFINITY, NAN};
  switch (random() % 6) {
    case 0:
      return kSpecial[random() % kSpecial.size()];
    case 1:
      return static_cast<double>(random() % 2);
    case 2:
      return static_cast<double>(static_cast<std::int64_t>(random() % 2000) - 1000);
    case 3:
      return static_cast<double>(std::int64_t{1} << random() % 50);
    case 4:
      return std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 120) - 110);
    default:
      return static_cast<double>(static_cast<std::int64_t>(random())) / 1e15;
  }
}

struct RandomTape {
  Tape tape;
  std::vector<Scalar> scalars;  ///< Inputs, constants and results.

  RandomTape(std::mt19937_64& random, std::size_t inputs, std::size_t operations) {
    for (std::size_t i = 0; i < inputs; ++i) scalars.push_back(tape.input("i", random_number(random), false));
    for (int i = 0; i < 5; ++i) scalars.push_back(real(random_number(random)));
    for (std::size_t i = 0; i < operations; ++i) scalars.push_back(random_operation(random));
  }

  Scalar pick(std::mt19937_64& random) const {
    const std::size_t near = random() % 3 == 0 ? scalars.size() : std::min<std::size_t>(scalars.size(), 12);
    return scalars[scalars.size() - 1 - random() % near];
  }

  Scalar random_operation(std::mt19937_64& random) {
    const std::uint64_t choice = random() % 30;
    if (choice == 0) {
      std::vector<double> table(1 + random() % 5);
      for (double& x : table) x = random_number(random);
      return tape.gather(table, pick(random));
    }
    if (choice == 1) {
      Curve curve;
      for (std::size_t i = random() % 5; i-- > 0;) curve.steps.emplace_back(std::ldexp(1.0, static_cast<int>(i) * 8), random_number(random));
      return tape.curve(std::make_shared<const Curve>(std::move(curve)), pick(random));
    }
    if (choice == 2) {
      Curve curve;
      curve.coordinates = 1 + random() % Curve::kMaxCoordinates;
      for (std::size_t i = (random() % 12) * (curve.coordinates + 1); i-- > 0;) curve.points.push_back(random_number(random));
      const Scalar at[] = {pick(random), pick(random), pick(random)};
      const std::size_t coordinates = curve.coordinates;
      return tape.curve(std::make_shared<const Curve>(std::move(curve)), std::span(at, coordinates));
    }
    const auto op = static_cast<Op>(random() % (static_cast<std::uint64_t>(Op::select) + 1));
    return tape.apply(op, pick(random), pick(random), pick(random));
  }
};

/// Returns the value of every instruction for one candidate.
inline std::vector<double> evaluate(const Tape& tape, const std::vector<double>& inputs) {
  using Kind = Tape::Instruction::Kind;
  std::vector<double> values;
  for (const Tape::Instruction& i : tape.instructions()) {
    double args[3] = {};
    for (std::uint8_t k = 0; k < i.count; ++k) args[k] = i.args[k].constant() ? i.args[k].value : values[static_cast<std::size_t>(i.args[k].symbol)];
    switch (i.kind) {
      case Kind::input:
        values.push_back(inputs[i.extra]);
        break;
      case Kind::operation:
        values.push_back(apply(i.op, args[0], args[1], args[2]));
        break;
      case Kind::gather:
        values.push_back(operations::item(tape.tables()[i.extra].data(), tape.tables()[i.extra].size(), args[0]));
        break;
      case Kind::curve:
        values.push_back((*tape.curves()[i.extra])(args));
        break;
    }
  }
  return values;
}

}  // namespace opledger
