#include "expr/staged_kernel.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "tests/expr/numbers.h"
#include "tests/expr/random_tape.h"

namespace opledger {
namespace {

using Stage = StagedKernel::Stage;

/// Random rows and columns; each cell against the evaluation of one candidate.
class Comparison {
 public:
  Comparison(const Tape& tape, std::vector<Scalar> outputs, std::size_t early, std::mt19937_64& random)
      : tape_(tape), outputs_(std::move(outputs)), early_(early), random_(random) {
    for (std::size_t i = 0; i < tape.inputs().size(); ++i) stages_.push_back(static_cast<Stage>(random_() % 3));
  }

  std::size_t differences(std::size_t rows, std::size_t columns) {
    const StagedKernel kernel(tape_, outputs_, stages_, early_);
    StagedKernel::Frame frame(kernel);
    for (const Stage stage : stages_) values_.emplace_back(stage == StagedKernel::kFixed ? 1 : stage == StagedKernel::kRow ? rows : columns);
    std::vector<double> fixed;
    std::vector<const double*> in;
    for (auto& column : values_) {
      for (double& x : column) x = random_number(random_);
      fixed.push_back(column[0]);
      in.push_back(column.data());
    }
    kernel.fix(frame, fixed);
    kernel.run_rows(frame, in, rows);
    StagedKernel::Columns tile = kernel.columns(frame, in, columns);
    std::size_t wrong = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      kernel.enter(frame, r);
      for (std::size_t b = 0; b < tile.blocks(); ++b) {
        kernel.run_cells(frame, tile, b, true);
        wrong += compare(kernel, frame, tile, r, b, 0, early_);
        kernel.run_cells(frame, tile, b, false);
        wrong += compare(kernel, frame, tile, r, b, 0, outputs_.size());
      }
    }
    return wrong;
  }

 private:
  std::size_t compare(const StagedKernel& kernel, const StagedKernel::Frame& frame, const StagedKernel::Columns& tile, std::size_t row, std::size_t block,
                      std::size_t from, std::size_t to) const {
    std::size_t wrong = 0;
    for (std::size_t c = block * StagedKernel::kLanes; c < std::min(tile.count(), (block + 1) * StagedKernel::kLanes); ++c) {
      std::vector<double> candidate;
      for (std::size_t i = 0; i < values_.size(); ++i)
        candidate.push_back(values_[i][stages_[i] == StagedKernel::kFixed ? 0 : stages_[i] == StagedKernel::kRow ? row : c]);
      const std::vector<double> all = evaluate(tape_, candidate);
      for (std::size_t o = from; o < to; ++o) {
        const double expected = outputs_[o].constant() ? outputs_[o].value : all[static_cast<std::size_t>(outputs_[o].symbol)];
        const bool alone = kernel.stage(o) == StagedKernel::kFixed || kernel.stage(o) == StagedKernel::kRow;
        const double value = alone ? kernel.value(frame, o, row) : kernel.values(tile, o, block)[c % StagedKernel::kLanes];
        wrong += same_bits(value, expected) ? 0 : 1;
      }
    }
    return wrong;
  }

  const Tape& tape_;
  std::vector<Scalar> outputs_;
  std::size_t early_;
  std::mt19937_64& random_;
  std::vector<Stage> stages_;
  std::vector<std::vector<double>> values_;
};

}  // namespace

TEST_CASE("a staged kernel gives every cell what one candidate gets, bit for bit") {
  std::mt19937_64 random(20);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const RandomTape tape(random, 1 + random() % 8, 1 + random() % 80);
    std::vector<Scalar> outputs;
    for (std::size_t o = 1 + random() % 6; o-- > 0;) outputs.push_back(tape.pick(random));
    REQUIRE(Comparison(tape.tape, outputs, random() % (outputs.size() + 1), random).differences(1 + random() % 9, 1 + random() % 100) == 0);
  }
}

TEST_CASE("a staged kernel computes what the rows give once for each row") {
  Tape tape;
  const Scalar fixed = tape.input("a", 1, false), row = tape.input("b", 2, false), column = tape.input("c", 3, false);
  const Scalar squared = tape.apply(Op::multiply, row, row);
  const Scalar outputs[] = {tape.apply(Op::add, tape.apply(Op::multiply, squared, fixed), column)};
  const Stage stages[] = {StagedKernel::kFixed, StagedKernel::kRow, StagedKernel::kColumn};
  const StagedKernel kernel(tape, outputs, stages, 0);
  CHECK(kernel.instructions(StagedKernel::kFixed) == 0);
  CHECK(kernel.instructions(StagedKernel::kRow) == 2);
  CHECK(kernel.instructions(StagedKernel::kColumn) == 0);
  CHECK(kernel.instructions(StagedKernel::kCell) == 1);
}

}  // namespace opledger
