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
#include "expr/lookups.h"
#include "expr/range.h"
#include "expr/scalar.h"
#include "expr/symbol_set.h"
#include "expr/tape_listener.h"

/// A straight-line program recorded while a formula is evaluated on symbols, as by a tracing compiler. Equal
/// instructions are recorded once (hash consing), constants are folded, and neutral elements are dropped. A decision of
/// the evaluator that depends on a symbol becomes a guard. The tape is valid for every candidate whose guard conditions
/// have the sample's values.
///
/// Several candidates can share one tape, recorded one after another (`begin`). Each reuses the instructions of earlier
/// candidates and has guards of its own, which determine the folding.
namespace opledger {

class Tape {
 public:
  /// A step of the program: an input, an operation, a table look-up (`gather`), or the value of a curve.
  struct Instruction {
    enum class Kind : std::uint8_t { input, operation, gather, curve };
    Kind kind = Kind::operation;
    Op op = Op::add;
    std::uint8_t count = 0;   ///< Number of operands.
    std::uint32_t extra = 0;  ///< Input: its number. Gather: its table. Curve: its curve.
    Scalar args[3];           ///< Operands: constants or earlier instructions.
  };
  /// A condition on candidates: the tape is valid if `condition` has `value`.
  struct Guard {
    Scalar condition;  ///< The condition, a symbol.
    double value;      ///< Value of the condition for the sample.
  };

  /// The plain data of a tape, for serialization.
  struct Record {
    std::vector<std::string> inputs;        ///< Names of the inputs, in order.
    std::vector<Instruction> instructions;  ///< Instructions, inputs first. The value of a symbolic argument is meaningless.
    std::vector<std::vector<double>> tables;
    std::vector<std::shared_ptr<const Curve>> curves;
    std::vector<Scalar> guards;  ///< Conditions of the guards; their values follow from the samples.
  };

  Tape() = default;
  /// Rebuilds a tape from its record; `samples` has a value for each input. Values and guards are recomputed; bounds of
  /// values are lost.
  Tape(Record record, std::span<const double> samples);

  /// Sets the observer of folds and guards, or removes it if null. Returns the previous one.
  TapeListener* set_listener(TapeListener* listener) { return std::exchange(listener_, listener); }

  /// Records an input and returns its symbol; inputs are numbered in the order in which they are added. While a later
  /// candidate is recorded, an existing input of this name is returned instead.
  Scalar input(std::string name, double sample, bool exact);

  /// Starts the recording of another candidate: forgets guards and folded values and updates all sample values to
  /// `inputs`. Only instructions that depend on a changed input are recomputed; all inputs from the 64th on count as one.
  void begin(std::span<const double> inputs);
  /// Returns the value that guards determine for an instruction; nothing if they leave it open.
  std::optional<double> decided(std::int32_t symbol) const {
    return static_cast<std::size_t>(symbol) < known_.size() ? known_[static_cast<std::size_t>(symbol)] : std::nullopt;
  }
  /// Returns the number of folds caused by guards. A recording during which this number stays equal depends on no
  /// earlier guard.
  std::uint64_t folds() const { return folds_; }
  /// Returns the value of an instruction for the sample.
  double sample(std::int32_t symbol) const { return samples_[static_cast<std::size_t>(symbol)]; }
  /// Updates the value of a symbol from an earlier candidate to the current sample.
  void refresh(Scalar& s) const {
    if (!s.constant()) s.value = sample(s.symbol);
  }
  /// Copies the guards, and the instructions that they and `outputs` need, into a separate tape with the names of all
  /// inputs. Renumbers `outputs` for that tape, which serves no further candidates: it has no bounds of values, and `begin`
  /// is not available.
  Tape extract(std::span<Scalar* const> outputs) const;
  /// Copies the instructions that `outputs` of another tape need. `inputs` has a symbol of this tape for each input of the
  /// other tape. Returns the outputs as symbols of this tape; constants stay constants. This tape must have no guards.
  std::vector<Scalar> append(const Tape& from, std::span<const Scalar> outputs, std::span<const Scalar> inputs);

  /// Declares bounds of an input, both included, over all candidates of the tape. The call must precede every instruction
  /// that reads the input.
  void bound(const Scalar& input, double least, double most);

  /// Records an operation, or folds it if its operands are constants, and returns the result. Simplifications keep
  /// every bit except the sign of zero. Exact numbers are assumed finite, because evaluators check divisors first.
  Scalar apply(Op op, Scalar a, Scalar b = {}, Scalar c = {});
  /// Records a table look-up; `index` must be a position in the table. A constant index, or equal items, give a
  /// constant.
  Scalar gather(std::span<const double> table, Scalar index);
  /// Records an evaluation of a curve; `at` has `curve->arguments()` values.
  Scalar curve(const std::shared_ptr<const Curve>& curve, std::span<const Scalar> at);
  Scalar curve(const std::shared_ptr<const Curve>& over_one, const Scalar& x) { return curve(over_one, std::span(&x, 1)); }

  /// Returns the sample's value and records a guard, because the caller's control flow depends on it. No guard is
  /// needed if all candidates of the tape have the same value. Later operations on the symbol fold (see `assume`).
  double guard(Scalar s);

  /// Declares that `condition` has `value`; later operations that it determines fold. Consequences are declared too: `x
  /// == 3` determines x, and a true `a and b` determines both operands. A second trace of a formula on the same tape
  /// then folds everything that guards determine. Instructions that only the first trace needed remain; a kernel omits
  /// them.
  void assume(const Scalar& condition, double value);

  /// Returns by instruction whether `outputs` need it.
  std::vector<bool> reached(std::span<const Scalar> outputs) const;

  // The parts of the tape. Instructions, tables and curves only grow; guards belong to the current candidate.
  const std::vector<Instruction>& instructions() const { return instructions_; }
  const std::vector<Guard>& guards() const { return guards_; }
  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::vector<double>>& tables() const { return lookups_.tables(); }
  const std::vector<std::shared_ptr<const Curve>>& curves() const { return lookups_.curves(); }

 private:
  /// A slot of the hash table that finds an instruction by its operation and operands.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = 0;  ///< Position of the instruction plus 1; 0: the slot is free.
  };
  SymbolSet needed(std::span<const Scalar> outputs) const;
  Slot& place(const Instruction& instruction, std::uint64_t hash);
  void grow();
  Scalar record(const Instruction& instruction, double value, bool exact);
  Scalar operation(Op op, Scalar a, Scalar b, Scalar c);
  Scalar known(Scalar s) const;
  double value(const Instruction& instruction) const;
  ValueRange range(const Scalar& s) const;
  ValueRange range(const Instruction& instruction) const;
  void add_reads(const Instruction& instruction);

  static constexpr std::size_t kBlock = 64;  ///< Number of instructions that `begin` skips together.
  std::vector<Instruction> instructions_;
  std::vector<double> samples_;               ///< Values for the sample, by instruction.
  std::vector<Slot> slots_;                   ///< Hash table with open addressing; its size is a power of two, and at most half of it is used.
  std::vector<std::optional<double>> known_;  ///< Values that guards determine, by instruction.
  std::vector<std::size_t> known_symbols_;    ///< Instructions with a value in `known_`.
  std::vector<std::size_t> input_symbols_;    ///< Instructions that are inputs.
  std::vector<ValueRange> ranges_;            ///< Bounds of the values, by instruction; empty: unknown.
  std::vector<std::uint64_t> reads_;  ///< Inputs that an instruction depends on, as a mask; bit 63 stands for inputs 63 and up. Empty in an extracted tape.
  std::vector<std::uint64_t> block_reads_;  ///< Inputs that some instruction of a block (kBlock) depends on.
  std::vector<Guard> guards_;
  std::vector<std::string> inputs_;
  bool again_ = false;  ///< The current candidate is not the first.
  TapeListener* listener_ = nullptr;
  mutable std::uint64_t folds_ = 0;
  Lookups lookups_;
};

/// Applies an operation to constants or symbols. `tape` may be null if all operands are constants.
Scalar apply(Tape* tape, Op op, Scalar a, Scalar b = {}, Scalar c = {});

/// Specializes on the sample: returns the number, and records a guard if it is a symbol. Results are then valid only
/// for candidates with the same number. Needed for numbers in messages and for numbers that determine the structure of
/// the graph. `tape` may be null for a constant.
double specialize(Tape* tape, const Scalar& s);

}  // namespace opledger
