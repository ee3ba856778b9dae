#include "expr/level_kernel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "expr/kernel.h"
#include "tests/expr/numbers.h"
#include "tests/expr/random_tape.h"

namespace opledger {
namespace {

using Level = LevelKernel::Level;

/// A random tree of prefixes. Lanes that fail a check are dropped; the remaining lanes are compared with the evaluation
/// of one candidate.
class Walk {
 public:
  Walk(const Tape& tape, std::vector<Scalar> checks, std::vector<Scalar> results, std::mt19937_64& random)
      : tape_(tape), checks_(std::move(checks)), results_(std::move(results)), random_(random), fixed_(tape.inputs().size()) {
    std::vector<std::size_t> inputs(tape.inputs().size());
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = i;
    std::shuffle(inputs.begin(), inputs.end(), random);
    for (double& value : fixed_) value = random_number(random_);
    inputs.resize(random() % (inputs.size() + 1));
    for (const std::size_t input : inputs) {
      std::vector<double> values(1 + random() % 6);
      for (double& value : values) value = random_number(random_);
      Level level{input, random() % 4 == 0 ? 0 : values.size(), random() % 2 == 0 ? 1.0 : 1e9, 0};
      for (std::size_t before = 0; before < levels_.size(); ++before) level.reads |= (random() % 4 == 0 ? std::uint64_t{1} : 0) << before;
      levels_.push_back(level);
      values_.push_back(std::move(values));
    }
  }

  std::size_t differences() {
    const LevelKernel kernel(tape_, checks_, results_, levels_);
    LevelKernel::Frame frame(kernel);
    kernel_ = &kernel;
    frame_ = &frame;
    std::vector<std::vector<double>> known(values_.size());
    for (std::size_t l = 0; l < values_.size(); ++l) {
      if (levels_[l].values > 0) known[l] = values_[l];
    }
    kernel.fix(frame, fixed_, known);
    chosen_ = {std::vector<std::vector<double>>(1, fixed_)};
    if (levels_.empty()) {
      compare(fixed_, 0);
    } else {
      descend(0);
    }
    return wrong_;
  }

  std::size_t compared() const { return compared_; }

 private:
  /// Runs a few children of each lane of the previous level, in chunks.
  void descend(std::size_t level) {
    const std::vector<std::vector<double>> parents = chosen_.back();
    std::vector<std::vector<double>> lanes;
    const std::size_t most = 16 + random_() % (LevelKernel::kLanes - 15);
    const auto flush = [&] {
      if (!lanes.empty()) visit(level, std::move(lanes));
      lanes.clear();
    };
    for (std::size_t p = 0; p < parents.size(); ++p) {
      for (std::size_t c = 0; c < values_[level].size(); ++c) {
        if (random_() % 5 == 0) continue;
        frame_->parents(level)[lanes.size()] = static_cast<std::uint32_t>(p);
        frame_->codes(level)[lanes.size()] = static_cast<std::uint32_t>(c);
        frame_->values(level)[lanes.size()] = values_[level][c];
        lanes.push_back(parents[p]);
        lanes.back()[levels_[level].input] = values_[level][c];
        if (lanes.size() == most) flush();
        if (compared_ > 3000) return;
      }
    }
    flush();
  }

  void visit(std::size_t level, std::vector<std::vector<double>> lanes) {
    kernel_->begin(*frame_, level, lanes.size());
    std::vector<std::uint32_t> left;
    for (std::uint32_t i = 0; i < lanes.size(); ++i) {
      bool good = true;
      for (std::size_t c = 0; c < checks_.size(); ++c) {
        if (kernel_->level(c) != static_cast<int>(level)) continue;
        const double value = kernel_->check(*frame_, c)[i];
        good = good && value != 0;
        wrong_ += same_bits(value, expected(checks_[c], lanes[i])) ? 0 : 1;
      }
      if (good) left.push_back(i);
    }
    if (left.empty()) return;
    if (left.size() < lanes.size()) {
      kernel_->narrow(*frame_, level, left);
      for (std::size_t i = 0; i < left.size(); ++i) lanes[i] = lanes[left[i]];
      lanes.resize(left.size());
    }
    kernel_->finish(*frame_, level);
    for (std::size_t of = 0; of < level; ++of) {
      if ((levels_[level].reads >> of & 1) == 0) continue;
      for (std::size_t i = 0; i < lanes.size(); ++i)
        wrong_ += same_bits(lanes[i][levels_[of].input], values_[of][frame_->codes(of)[frame_->ancestors(level, of)[i]]]) ? 0 : 1;
    }
    if (level + 1 == levels_.size()) {
      for (std::size_t i = 0; i < lanes.size(); ++i) compare(lanes[i], i);
      return;
    }
    chosen_.push_back(std::move(lanes));
    descend(level + 1);
    chosen_.pop_back();
  }

  double expected(const Scalar& output, const std::vector<double>& inputs) const {
    return output.constant() ? output.value : evaluate(tape_, inputs)[static_cast<std::size_t>(output.symbol)];
  }

  void compare(const std::vector<double>& inputs, std::size_t lane) {
    for (std::size_t r = 0; r < results_.size(); ++r) {
      const double* const lanes = kernel_->result(*frame_, r);
      wrong_ += same_bits(lanes != nullptr ? lanes[lane] : kernel_->fixed_result(*frame_, r), expected(results_[r], inputs)) ? 0 : 1;
    }
    ++compared_;
  }

  const Tape& tape_;
  std::vector<Scalar> checks_, results_;
  std::mt19937_64& random_;
  std::vector<double> fixed_;
  std::vector<Level> levels_;
  std::vector<std::vector<double>> values_;
  const LevelKernel* kernel_ = nullptr;
  LevelKernel::Frame* frame_ = nullptr;
  std::vector<std::vector<std::vector<double>>> chosen_;
  std::size_t wrong_ = 0, compared_ = 0;
};

}  // namespace

TEST_CASE("a level kernel gives every candidate the bits of a separate evaluation") {
  std::mt19937_64 random(20);
  std::size_t compared = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const RandomTape tape(random, 1 + random() % 7, 1 + random() % 80);
    std::vector<Scalar> checks, results;
    for (std::size_t o = random() % 4; o-- > 0;) checks.push_back(tape.pick(random));
    for (std::size_t o = 1 + random() % 4; o-- > 0;) results.push_back(tape.pick(random));
    Walk walk(tape.tape, checks, results, random);
    REQUIRE(walk.differences() == 0);
    compared += walk.compared();
  }
  CHECK(compared > 10'000);
}

TEST_CASE("a level kernel computes a value once for each prefix of its level, or takes it from a table") {
  Tape tape;
  const Scalar fixed = tape.input("a", 1, false), outer = tape.input("b", 2, false), inner = tape.input("c", 3, false);
  const Scalar squared = tape.apply(Op::multiply, outer, outer);
  const Scalar root = tape.apply(Op::square_root, tape.apply(Op::absolute, inner));
  const Scalar results[] = {tape.apply(Op::add, tape.apply(Op::multiply, squared, fixed), root)};
  const auto made = [&](std::size_t values, double prefixes) { return LevelKernel(tape, {}, results, {{1, 4, 4, 0}, {2, values, prefixes, 0}}); };
  CHECK(made(0, 100).instructions(0) == 2);
  CHECK(made(0, 100).instructions(1) == 3);  // both instructions of the root, and the sum
  CHECK(made(0, 100).looked_up(1) == 0);
  CHECK(made(10, 100).instructions(1) == 1);
  CHECK(made(10, 100).looked_up(1) == 1);
  CHECK(made(10, 11).looked_up(1) == 0);  // prefixes hardly outnumber values
}

}  // namespace opledger
