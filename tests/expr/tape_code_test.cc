#include "expr/tape_code.h"

#include <doctest/doctest.h>

#include <bit>
#include <memory>
#include <random>

#include "expr/kernel.h"
#include "tests/expr/random_tape.h"

namespace opledger {
namespace {

/// A tape with every kind of instruction.
struct Sample {
  Tape tape;
  std::vector<Scalar> outputs;

  Sample() {
    const Scalar x = tape.input("x", 2.5, false), n = tape.input("n", 3, true);
    const double table[] = {3, -1, 4, 1};
    const auto steps = std::make_shared<const Curve>(Curve{{{2, 20}, {1, 10}}});
    const auto scattered = std::make_shared<const Curve>(Curve{{}, 2, {1, 2, 7, 3, 1, 5, 0, 0, 9}});
    const Scalar item = tape.gather(table, n), sum = tape.apply(Op::add, tape.curve(steps, x), item);
    tape.guard(tape.apply(Op::less, x, sum));
    const Scalar both[] = {x, n};
    const Scalar near = tape.curve(scattered, both), least = tape.apply(Op::minimum, sum, tape.apply(Op::multiply, near, real(0.5)));
    outputs = {sum, integer(7), tape.apply(Op::select, tape.apply(Op::greater, n, integer(2)), least, x), x, n};
    tape.guard(tape.apply(Op::equal, n, integer(3)));
  }

  std::string bytes() const {
    Packer out;
    TapePacker packer(tape, out);
    for (const Scalar& output : outputs) packer.put(output);
    return out.take();
  }
};

std::vector<Scalar> get(TapeUnpacker& from, std::size_t count) {
  std::vector<Scalar> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(from.get());
  return out;
}

}  // namespace

TEST_CASE("a tape and its scalars survive packing") {
  const Sample sample;
  const std::string bytes = sample.bytes();
  Unpacker in(bytes);
  TapeUnpacker unpacker(in);
  std::vector<Scalar> outputs = get(unpacker, sample.outputs.size());
  REQUIRE(unpacker.good());
  CHECK(in.at_end());
  const Tape tape = unpacker.take();
  CHECK(tape.inputs() == sample.tape.inputs());
  REQUIRE(tape.guards().size() == sample.tape.guards().size());
  for (std::size_t g = 0; g < tape.guards().size(); ++g) CHECK(tape.guards()[g].value == sample.tape.guards()[g].value);
  CHECK(tape.tables() == sample.tape.tables());
  for (Scalar& output : outputs) tape.refresh(output);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    CHECK(outputs[i].value == sample.outputs[i].value);
    CHECK(outputs[i].exact == sample.outputs[i].exact);
    CHECK(outputs[i].constant() == sample.outputs[i].constant());
  }
  for (const double x : {0.5, 1.0, 2.0, 6.75}) {
    for (const double n : {0.0, 1.0, 3.0}) CHECK(Kernel(tape, outputs).run({x, n}) == Kernel(sample.tape, sample.outputs).run({x, n}));
  }
  Tape further = tape;
  CHECK(further.apply(Op::equal, outputs[4], integer(3)) == truth(true));  // values that guards determine fold
}

TEST_CASE("arbitrary bytes give no tape or some tape, and nothing is read beyond their end") {
  const Sample sample;
  const std::string whole = sample.bytes();
  const auto read = [&](const std::string& bytes) {
    Unpacker in(bytes);
    TapeUnpacker unpacker(in);
    const std::vector<Scalar> outputs = get(unpacker, sample.outputs.size());
    const bool good = unpacker.good();
    const Tape tape = unpacker.take();
    if (good) Kernel(tape, outputs).run(std::vector<double>(tape.inputs().size(), 1));
    return good;
  };
  CHECK(read(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) CHECK_FALSE(read(whole.substr(0, size)));
  std::mt19937_64 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = whole;
    for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) bytes[random() % bytes.size()] = static_cast<char>(random());
    read(bytes);
  }
}

}  // namespace opledger
