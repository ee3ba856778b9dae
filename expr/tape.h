#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/curve.h"
#include "expr/range.h"
#include "expr/scalar.h"
#include "expr/symbol_set.h"
#include "expr/tape_listener.h"

/// A flat program recorded while a formula is evaluated on symbols: each instruction once, constants folded, neutral elements dropped. Conditions on which
/// the STRUCTURE of the evaluation depended are recorded as guards: the tape is valid for every candidate that agrees on them.
///
/// Candidates that don't agree can be recorded one after the other on one tape (`begin`): each finds the instructions of those before it, and guards of its
/// own decide what folds.
namespace opledger {

class Tape {
 public:
  struct Instruction {
    enum class Kind : std::uint8_t { input, operation, gather, curve };
    Kind kind = Kind::operation;
    Op op = Op::add;
    std::uint32_t extra = 0;  ///< Input: its position. Gather: table. Curve: curve.
    Scalar args[3];           ///< Constants or earlier instructions.
    std::uint8_t count = 0;
  };
  struct Guard {
    Scalar condition;  ///< A symbol.
    double value;      ///< What it was for the sample.
  };

  /// What was recorded.
  struct Record {
    std::vector<std::string> inputs;
    std::vector<Instruction> instructions;  ///< Those of the inputs first. Of arguments that are symbols the values mean nothing.
    std::vector<std::vector<double>> tables;
    std::vector<std::shared_ptr<const Curve>> curves;
    std::vector<Scalar> guards;
  };

  Tape() = default;
  /// A tape that was recorded elsewhere, for these inputs.
  Tape(Record record, std::span<const double> samples);

  void tell(TapeListener* listener) { listener_ = listener; }

  /// A new input; inputs are numbered in the order of these calls. Of a later candidate the one of this name.
  Scalar input(std::string name, double sample, bool exact);

  /// Another candidate is recorded: guards are forgotten, and every instruction is worth what it is for these inputs.
  void begin(std::span<const double> inputs);
  /// What guards decided of an instruction so far.
  std::optional<double> decided(std::int32_t symbol) const {
    return static_cast<std::size_t>(symbol) < known_.size() ? known_[static_cast<std::size_t>(symbol)] : std::nullopt;
  }
  /// How often something was folded that guards had decided: what was recorded while that stays holds for every candidate.
  std::uint64_t folds() const { return folds_; }
  /// What an instruction is worth for the sample.
  double sample(std::int32_t symbol) const { return samples_[static_cast<std::size_t>(symbol)]; }
  /// Lets what was recorded for an earlier candidate be worth what it is for this one.
  void refresh(Scalar& s) const {
    if (!s.constant()) s.value = sample(s.symbol);
  }
  /// The guards and what these need as a tape of its own, with all inputs; they become what they are there.
  Tape part(std::span<Scalar* const> outputs) const;
  /// Takes what outputs of another tape need, equal instructions once, its inputs being these symbols. What the outputs are here.
  std::vector<Scalar> take(const Tape& from, std::span<const Scalar> outputs, std::span<const Scalar> inputs);

  /// All values that an input has, of candidates that the tape is meant for, lie here. Said before anything follows from it.
  void bound(const Scalar& input, double least, double most);

  /// The operation on constants or symbols; folds and simplifies without changing any bit of any result (the sign of zero aside, which means nothing
  /// here; and an exact number is taken to be finite: who evaluates checks divisors first).
  Scalar apply(Op op, Scalar a, Scalar b = {}, Scalar c = {});
  Scalar gather(std::span<const double> table, Scalar index);
  /// `at`: as many as the curve has arguments.
  Scalar curve(const std::shared_ptr<const Curve>& curve, std::span<const Scalar> at);
  Scalar curve(const std::shared_ptr<const Curve>& over_one, const Scalar& x) { return curve(over_one, std::span(&x, 1)); }

  /// The structure depends on this value: takes the sample's and remembers, unless it is the same for all that the tape is meant for. From then on
  /// comparisons with it fold (see `assume`).
  double guard(Scalar s);

  /// This condition is known to hold this value: what it decides folds from now on, and so does what follows from it (`x == 3` gives x, `a and b` gives
  /// both). To trace a formula twice, the second time with everything that its guards decide folded: trace it again on the same tape. What only
  /// the first trace needed stays behind; a kernel takes what its outputs reach.
  void assume(const Scalar& condition, double value);

  /// By instruction: whether these need it.
  std::vector<bool> reached(std::span<const Scalar> outputs) const;

  const std::vector<Instruction>& instructions() const { return instructions_; }
  const std::vector<Guard>& guards() const { return guards_; }
  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::vector<double>>& tables() const { return tables_; }
  const std::vector<std::shared_ptr<const Curve>>& curves() const { return curves_; }

 private:
  /// Where an instruction is found by what it computes.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = 0;  ///< Counted from 1; 0: the slot is free.
  };
  SymbolSet needed(std::span<const Scalar> outputs) const;
  Slot& place(const Instruction& instruction, std::uint64_t hash);
  void grow();
  Scalar record(const Instruction& instruction, double value, bool exact);
  Scalar operation(Op op, Scalar a, Scalar b, Scalar c);
  Scalar known(Scalar s) const;
  double value(const Instruction& instruction) const;
  std::uint32_t intern(std::span<const double> table);
  std::uint32_t intern(const std::shared_ptr<const Curve>& curve);
  ValueRange range(const Scalar& s) const;
  ValueRange range(const Instruction& instruction) const;
  std::uint64_t reads(const Instruction& instruction) const;

  std::vector<Instruction> instructions_;
  std::vector<double> samples_;               ///< By instruction.
  std::vector<Slot> slots_;                   ///< Open addressing, a power of two, at most half full.
  std::vector<std::optional<double>> known_;  ///< By instruction: what guards decided.
  std::vector<ValueRange> ranges_;            ///< By instruction.
  std::vector<std::uint64_t> reads_;          ///< By instruction: on which inputs it depends, as a set; those from 63 on are one.
  std::vector<Guard> guards_;
  std::vector<std::string> inputs_;
  bool again_ = false;  ///< The candidate is not the first.
  TapeListener* listener_ = nullptr;
  mutable std::uint64_t folds_ = 0;
  std::vector<std::vector<double>> tables_;
  std::unordered_map<std::string, std::uint32_t> table_index_;  ///< By content.
  std::vector<std::shared_ptr<const Curve>> curves_;
  std::unordered_map<const Curve*, std::uint32_t> curve_index_;
};

/// The operation where either may be constant and `tape` may be null (then all are).
Scalar apply(Tape* tape, Op op, Scalar a, Scalar b = {}, Scalar c = {});

/// The number. If it is a symbol, what is found from here on is of candidates that have the same: what a message shows, and what decides how the graph is built.
double pin(Tape* tape, const Scalar& s);

}  // namespace opledger
