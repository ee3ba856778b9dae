#include "expr/staged_kernel.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace opledger {
namespace {

using Stage = StagedKernel::Stage;

}  // namespace

/// Translates the live part of a tape, a stage at a time.
class StagedKernel::Builder {
 public:
  Builder(StagedKernel& kernel, const Tape& tape, std::span<const Scalar> outputs, std::span<const Stage> inputs)
      : kernel_(kernel), tape_(tape), outputs_(outputs), size_(tape.instructions().size()), stage_(size_, kFixed), kept_(size_) {
    register_.resize(size_, kNever);
    constant_.resize(size_, kNever);
    for (std::size_t i = 0; i < size_; ++i) {
      const Tape::Instruction& from = tape.instructions()[i];
      unsigned stage = from.kind == Tape::Instruction::Kind::input ? inputs[from.extra] : kFixed;
      for (const Scalar& arg : operands(i)) stage |= arg.constant() ? kFixed : stage_[arg.symbol];
      stage_[i] = static_cast<Stage>(stage);
    }
  }

  void run(std::size_t early) {
    const std::vector<bool> first = live(outputs_.subspan(0, early)), all = live(outputs_);
    for (std::size_t i = 0; i < size_; ++i) {
      if (all[i]) keep_operands(i);
    }
    for (const Scalar& output : outputs_) {
      if (!output.constant()) kept_[output.symbol] = true;
    }
    for (const Stage stage : {kFixed, kRow, kColumn, kCell}) {
      std::vector<std::uint32_t> order;
      for (const bool now : {true, false}) {
        for (std::size_t i = 0; i < size_; ++i) {
          if (all[i] && stage_[i] == stage && first[i] == now) order.push_back(static_cast<std::uint32_t>(i));
        }
        if (now) kernel_.parts_[stage].early = order.size();
      }
      build(stage, order);
    }
    for (const Scalar& output : outputs_) {
      Output to;
      if (output.constant()) {
        to.at = literal(output.value);
      } else {
        const auto i = static_cast<std::size_t>(output.symbol);
        to.stage = stage_[i];
        to.at = to.stage == kFixed ? constant_[i] : register_[i];
      }
      kernel_.outputs_.push_back(to);
    }
  }

 private:
  std::span<const Scalar> operands(std::size_t i) const { return {tape_.instructions()[i].args, tape_.instructions()[i].count}; }

  std::vector<bool> live(std::span<const Scalar> outputs) const {
    std::vector<bool> out(size_);
    for (const Scalar& output : outputs) {
      if (!output.constant()) out[output.symbol] = true;
    }
    for (std::size_t i = size_; i-- > 0;) {
      if (!out[i]) continue;
      for (const Scalar& arg : operands(i)) {
        if (!arg.constant()) out[arg.symbol] = true;
      }
    }
    return out;
  }

  /// What another stage reads stays.
  void keep_operands(std::size_t i) {
    for (const Scalar& arg : operands(i)) {
      if (!arg.constant() && stage_[arg.symbol] != stage_[i]) kept_[arg.symbol] = true;
    }
  }

  /// Registers hold until the last use within the stage; those that are kept, for good.
  void build(Stage stage, const std::vector<std::uint32_t>& order) {
    Part& part = kernel_.parts_[stage];
    if (stage == kCell)
      part.registers = kernel_.parts_[kColumn].registers;  // and those that columns need no more are free
    else
      free_.clear();
    last_use_.assign(size_, kNever);
    for (const std::uint32_t i : order) {
      for (const Scalar& arg : operands(i)) {
        if (!arg.constant()) last_use_[arg.symbol] = i;
      }
    }
    for (const std::uint32_t i : order) emit(part, stage, i);
  }

  /// Registers of this stage's operands that nothing reads after `i`; the same operand may stand twice.
  void release(Stage stage, std::uint32_t i) {
    for (const Scalar& arg : operands(i)) {
      if (arg.constant()) continue;
      const auto symbol = static_cast<std::size_t>(arg.symbol);
      if (stage_[symbol] != stage || kept_[symbol] || last_use_[symbol] != i) continue;
      free_.push_back(register_[symbol]);
      last_use_[symbol] = kNever;
    }
  }

  void emit(Part& part, Stage stage, std::uint32_t i) {
    const Tape::Instruction& from = tape_.instructions()[i];
    KernelCode to = code_of(from);
    if (from.kind != Tape::Instruction::Kind::input) ++part.instructions;
    for (std::uint8_t k = 0; k < from.count; ++k) operand(stage, from.args[k], k, to);
    release(stage, i);
    to.to = register_[i] = acquire(part);
    part.code.push_back(to);
    if (!kept_[i] || stage > kRow) return;
    constant_[i] = static_cast<std::uint32_t>(kernel_.constants_.size());
    kernel_.constants_.push_back(0);
    part.given.emplace_back(register_[i], constant_[i]);
  }

  void operand(Stage stage, const Scalar& s, int k, KernelCode& to) {
    const auto symbol = static_cast<std::size_t>(s.symbol);
    const bool here = !s.constant() && (stage_[symbol] == stage || (stage == kCell && stage_[symbol] == kColumn));
    if (here) {
      to.from[k] = register_[symbol];
    } else {
      to.constant = static_cast<std::uint8_t>(to.constant | 1 << k);
      to.from[k] = s.constant() ? literal(s.value) : constant_[symbol];
    }
  }

  std::uint32_t literal(double value) {
    const auto [found, fresh] = literals_.try_emplace(std::bit_cast<std::uint64_t>(value), static_cast<std::uint32_t>(kernel_.constants_.size()));
    if (fresh) kernel_.constants_.push_back(value);
    return found->second;
  }

  std::uint32_t acquire(Part& part) {
    if (free_.empty()) return static_cast<std::uint32_t>(part.registers++);
    const std::uint32_t r = free_.back();
    free_.pop_back();
    return r;
  }

  StagedKernel& kernel_;
  const Tape& tape_;
  std::span<const Scalar> outputs_;
  std::size_t size_;
  std::vector<Stage> stage_;
  std::vector<std::uint32_t> last_use_, register_, constant_, free_;
  std::vector<bool> kept_;
  std::unordered_map<std::uint64_t, std::uint32_t> literals_;
};

StagedKernel::StagedKernel(const Tape& tape, std::span<const Scalar> outputs, std::span<const Stage> inputs, std::size_t early) : tables_(tape.tables()) {
  Builder(*this, tape, outputs, inputs).run(early);
  for (const auto& curve : tape.curves()) curves_.push_back(*curve);
}

StagedKernel::Frame::Frame(const StagedKernel& kernel)
    : constants_(kernel.constants_), fixed_(kernel.parts_[kFixed].registers), rows_(kernel.parts_[kRow].registers * kLanes) {}

KernelBlock StagedKernel::block(const Frame& frame, std::span<const KernelCode> code, double* registers, std::size_t count) const {
  return {code, frame.constants_.data(), tables_.data(), curves_.data(), nullptr, nullptr, registers, 0, count};
}

void StagedKernel::fix(Frame& frame, std::span<const double> inputs) const {
  const Part& part = parts_[kFixed];
  std::vector<const double*> from;
  for (const double& value : inputs) from.push_back(&value);
  KernelBlock all = block(frame, part.code, frame.fixed_.data(), 1);
  all.inputs = from.data();
  run_single(all);
  for (const auto& [r, constant] : part.given) frame.constants_[constant] = frame.fixed_[r];
}

void StagedKernel::run_rows(Frame& frame, std::span<const double* const> inputs, std::size_t count) const {
  KernelBlock all = block(frame, parts_[kRow].code, frame.rows_.data(), count);
  all.inputs = inputs.data();
  run_block(all);
}

StagedKernel::Columns StagedKernel::columns(Frame& frame, std::span<const double* const> inputs, std::size_t count) const {
  Columns out;
  out.count_ = count;
  const std::size_t size = parts_[kCell].registers * kLanes;
  out.registers_.resize(out.blocks() * size);
  for (std::size_t b = 0; b < out.blocks(); ++b) {
    KernelBlock part = block(frame, parts_[kColumn].code, out.registers_.data() + b * size, std::min(kLanes, count - b * kLanes));
    part.inputs = inputs.data();
    part.offset = b * kLanes;
    run_block(part);
  }
  return out;
}

void StagedKernel::enter(Frame& frame, std::size_t row) const {
  for (const auto& [r, constant] : parts_[kRow].given) frame.constants_[constant] = frame.rows_[r * kLanes + row];
}

void StagedKernel::run_cells(Frame& frame, Columns& columns, std::size_t b, bool early) const {
  const Part& part = parts_[kCell];
  const std::span<const KernelCode> code(part.code);
  run_block(block(frame, early ? code.subspan(0, part.early) : code.subspan(part.early), columns.registers_.data() + b * part.registers * kLanes, kLanes));
}

double StagedKernel::value(const Frame& frame, std::size_t output, std::size_t row) const {
  const Output& o = outputs_[output];
  return o.stage == kFixed ? frame.constants_[o.at] : frame.rows_[o.at * kLanes + row];
}

const double* StagedKernel::values(const Columns& columns, std::size_t output, std::size_t b) const {
  return columns.registers_.data() + (b * parts_[kCell].registers + outputs_[output].at) * kLanes;
}

}  // namespace opledger
