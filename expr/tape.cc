#include "expr/tape.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "expr/operations.h"
#include "expr/simplify.h"

namespace opledger {
namespace {

constexpr double kExactLimit = 9007199254740992.0;  // 2^53; doubles above it skip integers.

bool is_exact_integer(double x) { return std::fabs(x) <= kExactLimit && std::floor(x) == x; }

/// Computes an operation on constants. The result is exact if `gives_exact` says so and its absolute value is at most 2^53.
Scalar fold(Op op, const Scalar& a, const Scalar& b, const Scalar& c) {
  const double value = apply(op, a.value, b.value, c.value);
  return {value, -1, gives_exact(op, a, b, c) && is_exact_integer(value)};
}

/// Returns the bits of a constant, or the number of a symbol spread over 64 bits by a golden-ratio multiplier.
std::uint64_t key_of(const Scalar& s) {
  return s.constant() ? std::bit_cast<std::uint64_t>(s.value) : 0x9E3779B97F4A7C15u * (static_cast<std::uint64_t>(s.symbol) + 1);
}

std::uint64_t hash_of(const Tape::Instruction& i) {
  std::uint64_t h = static_cast<std::uint64_t>(i.kind) << 40 ^ static_cast<std::uint64_t>(i.op) << 32 ^ i.extra;
  for (std::uint8_t k = 0; k < i.count; ++k) {
    h = (h ^ key_of(i.args[k])) * 0xD6E8FEB86659FD93u;
    h ^= h >> 32;
  }
  return h;
}

bool equal(const Tape::Instruction& a, const Tape::Instruction& b) {
  if (a.kind != b.kind || a.op != b.op || a.extra != b.extra || a.count != b.count) return false;
  return std::equal(a.args, a.args + a.count, b.args, same);
}

}  // namespace

Tape::Tape(Record record, std::span<const double> samples)
    : instructions_(std::move(record.instructions)),
      inputs_(std::move(record.inputs)),
      again_(true),
      lookups_(std::move(record.tables), std::move(record.curves)) {
  samples_.reserve(instructions_.size());
  for (Instruction& i : instructions_) {
    for (Scalar& arg : std::span(i.args, i.count)) refresh(arg);
    samples_.push_back(i.kind == Instruction::Kind::input ? samples[i.extra] : value(i));
    add_reads(i);
  }
  for (Scalar& condition : record.guards) {
    refresh(condition);
    guards_.push_back({condition, condition.value});
    assume(condition, condition.value);
  }
}

/// Returns the slot of an equal instruction, or the free slot for it, by linear probing. The table has a free slot, so
/// the search ends.
Tape::Slot& Tape::place(const Instruction& instruction, std::uint64_t hash) {
  const std::size_t mask = slots_.size() - 1;
  const auto part = static_cast<std::uint32_t>(hash >> 32);
  std::size_t i = hash & mask;
  while (slots_[i].number != 0 && !(slots_[i].hash == part && equal(instructions_[slots_[i].number - 1], instruction))) i = (i + 1) & mask;
  slots_[i].hash = part;
  return slots_[i];
}

/// Enlarges the hash table to at least four slots for each instruction and inserts all instructions again.
void Tape::grow() {
  slots_.assign(std::bit_ceil(std::max<std::size_t>(4 * instructions_.size(), 64)), {});
  for (std::size_t i = 0; i < instructions_.size(); ++i) place(instructions_[i], hash_of(instructions_[i])).number = static_cast<std::uint32_t>(i + 1);
}

Scalar Tape::record(const Instruction& instruction, double value, bool exact) {
  // Hash consing: an equal instruction is recorded once. The hash table grows before more than half of it is used.
  if (2 * (instructions_.size() + 1) > slots_.size()) grow();
  Slot& slot = place(instruction, hash_of(instruction));
  if (slot.number == 0) {
    if (ranges_.size() == instructions_.size()) ranges_.push_back(range(instruction));
    if (reads_.size() == instructions_.size()) add_reads(instruction);
    instructions_.push_back(instruction);
    samples_.push_back(value);
    slot.number = static_cast<std::uint32_t>(instructions_.size());
  }
  return known({value, static_cast<std::int32_t>(slot.number) - 1, exact});
}

void Tape::add_reads(const Instruction& i) {
  // An instruction depends on every input that its operands depend on. Inputs from 63 on share the last bit, which may
  // cause needless updates but never a missed one.
  std::uint64_t out = i.kind == Instruction::Kind::input ? std::uint64_t{1} << std::min<std::uint32_t>(i.extra, 63) : 0;
  for (const Scalar& arg : std::span(i.args, i.count)) out |= arg.constant() ? 0 : reads_[static_cast<std::size_t>(arg.symbol)];
  if (i.kind == Instruction::Kind::input) input_symbols_.push_back(reads_.size());
  if (reads_.size() % kBlock == 0) block_reads_.push_back(0);
  block_reads_.back() |= out;
  reads_.push_back(out);
}

void Tape::bound(const Scalar& input, double least, double most) {
  if (!input.constant()) ranges_.at(static_cast<std::size_t>(input.symbol)) = {least, most, true};
}

ValueRange Tape::range(const Scalar& s) const {
  if (s.constant()) return {s.value, s.value, !std::isnan(s.value)};
  const auto symbol = static_cast<std::size_t>(s.symbol);
  return symbol < ranges_.size() ? ranges_[symbol] : ValueRange{};
}

ValueRange Tape::range(const Instruction& i) const {
  if (i.kind == Instruction::Kind::gather) return range_of(tables()[i.extra]);
  if (i.kind != Instruction::Kind::operation) return {};
  ValueRange operands[3];
  for (std::uint8_t a = 0; a < i.count; ++a) operands[a] = range(i.args[a]);
  return range_of(i.op, operands);
}

Scalar Tape::known(Scalar s) const {
  // A symbol with a value that guards determine becomes that constant. The fold is counted and reported to the
  // listener, because the recording now depends on the guards.
  if (s.constant() || static_cast<std::size_t>(s.symbol) >= known_.size()) return s;
  const std::optional<double>& value = known_[s.symbol];
  if (!value) return s;
  ++folds_;
  if (listener_ != nullptr) listener_->folded(s.symbol, *value);
  return {*value, -1, s.exact};
}

double Tape::value(const Instruction& i) const {
  const double args[3] = {i.args[0].value, i.args[1].value, i.args[2].value};
  if (i.kind == Instruction::Kind::gather) return operations::item(tables()[i.extra].data(), tables()[i.extra].size(), args[0]);
  if (i.kind == Instruction::Kind::curve) return (*curves()[i.extra])(args);
  return opledger::apply(i.op, args[0], args[1], args[2]);
}

/// Updates the tape to another candidate, whose input values are `inputs`. Guards and values known from them (`known_`)
/// belonged to the previous candidate and are dropped; instructions stay. `reads_` holds by instruction a bit mask of the
/// inputs that it depends on, so one pass recomputes only instructions of changed inputs. Inputs from 63 on share a bit,
/// so a change of one recomputes the instructions of all. Operands precede their users, so they are up to date.
void Tape::begin(std::span<const double> inputs) {
  guards_.clear();
  for (const std::size_t symbol : known_symbols_) known_[symbol].reset();
  known_symbols_.clear();
  again_ = true;
  const auto differs = [](double a, double b) { return std::bit_cast<std::uint64_t>(a) != std::bit_cast<std::uint64_t>(b); };
  std::uint64_t changed = 0;
  for (const std::size_t i : input_symbols_) {
    const double now = inputs[instructions_[i].extra];
    if (!differs(now, samples_[i])) continue;
    changed |= reads_[i];
    samples_[i] = now;
  }
  for (std::size_t block = 0; block < block_reads_.size(); ++block) {
    if ((block_reads_[block] & changed) == 0) continue;
    for (std::size_t i = block * kBlock; i < std::min((block + 1) * kBlock, instructions_.size()); ++i) {
      Instruction& instruction = instructions_[i];
      if ((reads_[i] & changed) == 0 || instruction.kind == Instruction::Kind::input) continue;
      for (Scalar& arg : std::span(instruction.args, instruction.count)) refresh(arg);
      samples_[i] = value(instruction);
    }
  }
}

Tape Tape::extract(std::span<Scalar* const> outputs) const {
  // Copies the instructions that outputs and guards need, in order, so operands keep preceding their users. `at` maps
  // instructions here to their positions there; tables and curves in use are renumbered. Guards are needed too, because the
  // extracted tape is valid for the same candidates. The time is linear in the instructions of this tape.
  std::vector<Scalar> required;
  for (const Scalar* output : outputs) required.push_back(*output);
  for (const Guard& guard : guards_) required.push_back(guard.condition);
  Tape out;
  out.inputs_ = inputs_;
  std::vector<std::int32_t> at(instructions_.size(), -1);
  std::unordered_map<std::uint32_t, std::uint32_t> tables, curves;  // numbers here to numbers there
  const auto there = [&](Scalar s) { return s.constant() ? s : Scalar{s.value, at[static_cast<std::size_t>(s.symbol)], s.exact}; };
  const SymbolSet kept = needed(required);
  const std::size_t count = kept.count();
  out.instructions_.reserve(count);
  out.samples_.reserve(count);
  kept.each([&](std::size_t i) {
    Instruction copy = instructions_[i];
    for (Scalar& arg : std::span(copy.args, copy.count)) arg = there(arg);
    if (copy.kind == Instruction::Kind::gather) {
      const auto [found, fresh] = tables.try_emplace(copy.extra);
      if (fresh) found->second = out.lookups_.append(lookups_.tables()[copy.extra]);
      copy.extra = found->second;
    } else if (copy.kind == Instruction::Kind::curve) {
      const auto [found, fresh] = curves.try_emplace(copy.extra);
      if (fresh) found->second = out.lookups_.append(lookups_.curves()[copy.extra]);
      copy.extra = found->second;
    }
    at[i] = static_cast<std::int32_t>(out.instructions_.size());
    out.instructions_.push_back(copy);
    out.samples_.push_back(samples_[i]);
  });
  for (const Guard& guard : guards_) {
    out.guards_.push_back({there(guard.condition), guard.value});
  }
  for (Scalar* output : outputs) *output = there(*output);
  return out;
}

std::vector<Scalar> Tape::append(const Tape& from, std::span<const Scalar> outputs, std::span<const Scalar> inputs) {
  // Records the instructions of the other tape that `outputs` need, one by one, with operands replaced by symbols of this
  // tape. `at` maps instructions there to symbols here. Operands precede their users, so they are mapped first. `record`
  // merges instructions that both tapes have (hash consing). Inputs, tables and curves are replaced by those of this tape.
  std::vector<std::int32_t> at(from.instructions_.size(), -1);
  std::vector<std::optional<std::uint32_t>> tables(from.tables().size()), curves(from.curves().size());  // numbers in this tape
  const auto here = [&](const Scalar& s) { return s.constant() ? s : Scalar{s.value, at[static_cast<std::size_t>(s.symbol)], s.exact}; };
  from.needed(outputs).each([&](std::size_t i) {
    Instruction copy = from.instructions_[i];
    if (copy.kind == Instruction::Kind::input) {
      at[i] = inputs[copy.extra].symbol;
      return;
    }
    for (Scalar& arg : std::span(copy.args, copy.count)) arg = here(arg);
    if (copy.kind == Instruction::Kind::gather) {
      std::optional<std::uint32_t>& table = tables[copy.extra];
      copy.extra = table ? *table : *(table = lookups_.add(from.tables()[copy.extra]));
    } else if (copy.kind == Instruction::Kind::curve) {
      std::optional<std::uint32_t>& curve = curves[copy.extra];
      copy.extra = curve ? *curve : *(curve = lookups_.add(from.curves()[copy.extra]));
    }
    at[i] = record(copy, from.samples_[i], false).symbol;
  });
  std::vector<Scalar> out;
  for (const Scalar& output : outputs) out.push_back(here(output));
  return out;
}

std::vector<bool> Tape::reached(std::span<const Scalar> outputs) const {
  std::vector<bool> out(instructions_.size());
  needed(outputs).each([&](std::size_t i) { out[i] = true; });
  return out;
}

/// Marks the instructions that outputs need. Operands precede their users, so one pass from the last instruction to the
/// first visits every needed instruction after all of its users. The set is a bit mask: each word is scanned from its
/// highest bit, and `done` excludes visited bits, because operands in the same word add bits below.
SymbolSet Tape::needed(std::span<const Scalar> outputs) const {
  SymbolSet out(instructions_.size());
  for (const Scalar& output : outputs) out.add(output);
  for (std::size_t w = out.words.size(); w-- > 0;) {
    std::uint64_t done = 0;
    while (const std::uint64_t left = out.words[w] & ~done) {
      const auto bit = static_cast<std::size_t>(63 - std::countl_zero(left));
      done |= std::uint64_t{1} << bit;
      const Instruction& i = instructions_[64 * w + bit];
      for (const Scalar& arg : std::span(i.args, i.count)) out.add(arg);
    }
  }
  return out;
}

/// Records an input, or finds the input of this name if a candidate was recorded before (`again_`). The first candidate
/// adds an input with each call, even if a name repeats.
Scalar Tape::input(std::string name, double sample, bool exact) {
  Instruction i;
  i.kind = Instruction::Kind::input;
  if (const auto found = std::find(inputs_.begin(), inputs_.end(), name); again_ && found != inputs_.end()) {
    i.extra = static_cast<std::uint32_t>(found - inputs_.begin());
    return record(i, sample, exact);
  }
  i.extra = static_cast<std::uint32_t>(inputs_.size());
  inputs_.push_back(std::move(name));
  return record(i, sample, exact);
}

Scalar Tape::apply(Op op, Scalar a, Scalar b, Scalar c) {
  a = known(a);
  if (arity(op) > 1) b = known(b);
  if (arity(op) > 2) c = known(c);
  return operation(op, a, b, c);
}

Scalar Tape::operation(Op op, Scalar a, Scalar b, Scalar c) {
  // Records an operation whose operands are already replaced by known values, and returns its result. Four steps are
  // tried in order. Constant operands fold. `simplify` may find an operand or a constant that equals the result.
  // `rewrite` may find a cheaper equivalent operation, which is applied instead. Otherwise the canonical form is recorded,
  // so that equal operations share one instruction.
  const auto operands = static_cast<std::uint8_t>(arity(op));
  if (a.constant() && (operands < 2 || b.constant()) && (operands < 3 || c.constant())) return fold(op, a, b, c);
  if (operands < 2) b = {};
  if (operands < 3) c = {};
  const double value = opledger::apply(op, a.value, b.value, c.value);
  const bool exact = gives_exact(op, a, b, c);
  const Operation o = normalize({op, a, b, c});
  if (const auto simple = simplify(o)) return known(*simple);
  if (const auto other = rewrite(*this, o)) return apply(other->op, other->a, other->b, other->c);
  Instruction i;
  i.op = o.op;
  i.count = operands;
  i.args[0] = o.a;
  i.args[1] = o.b;
  i.args[2] = o.c;
  return record(i, value, exact);
}

Scalar Tape::gather(std::span<const double> table, Scalar index) {
  // A look-up of `table` at an index that may be a symbol. The result is exact if every item of the table is.
  index = known(index);
  const double value = operations::item(table.data(), table.size(), index.value);
  const bool exact = std::all_of(table.begin(), table.end(), is_exact_integer);
  if (index.constant()) return {value, -1, exact && !std::isnan(value)};
  // Every index is valid, because it is the position of a word in its set. A table of equal items therefore is a
  // constant.
  const bool equal = !table.empty() && std::all_of(table.begin(), table.end(), [&](double x) { return same(real(x), real(table[0])); });
  if (equal) return {table[0], -1, exact};
  Instruction i;
  i.kind = Instruction::Kind::gather;
  i.extra = lookups_.add(table);
  i.count = 1;
  i.args[0] = index;
  return record(i, value, exact);
}

Scalar Tape::curve(const std::shared_ptr<const Curve>& curve, std::span<const Scalar> at) {
  // Records the value of a curve at its arguments, after replacing known symbols by constants. Constant arguments fold. A
  // curve over points without any point is the constant 0. Results are not marked exact, because curves may interpolate.
  Instruction i;
  i.kind = Instruction::Kind::curve;
  double x[std::size(i.args)] = {};
  bool constant = true;
  for (const Scalar& s : at) {
    i.args[i.count] = known(s);
    x[i.count] = i.args[i.count].value;
    constant = constant && i.args[i.count].constant();
    ++i.count;
  }
  const double value = (*curve)(x);
  if (constant || (curve->coordinates > 0 && curve->points.empty())) return real(value);
  i.extra = lookups_.add(curve);
  return record(i, value, false);
}

double Tape::guard(Scalar s) {
  // No guard is recorded if interval bounds prove that all candidates of the tape have the same value.
  s = known(s);
  if (s.constant()) return s.value;
  if (!range(s).single()) guards_.push_back({s, s.value});
  assume(s, s.value);
  if (listener_ != nullptr) listener_->guarded(s, s.value);
  return s.value;
}

void Tape::assume(const Scalar& condition, double value) {
  // Records in `known_` that a symbol has a value, and propagates the value backward through operations that determine
  // their operands. A true `x == 3` gives x; `not x` gives x; a true `a and b`, or a false `a or b`, gives both operands.
  // Later operations on known symbols then fold. Each symbol is visited once, because known symbols are skipped. An
  // explicit stack replaces recursion, because an `and` over all nodes is as deep as there are nodes.
  std::vector<std::pair<Scalar, double>> facts = {{condition, value}};
  while (!facts.empty()) {
    const auto [fact, holding] = facts.back();
    facts.pop_back();
    if (fact.constant()) continue;
    const auto symbol = static_cast<std::size_t>(fact.symbol);
    if (known_.size() <= symbol) known_.resize(instructions_.size());
    if (known_[symbol]) continue;
    known_[symbol] = holding;
    known_symbols_.push_back(symbol);
    const Instruction& i = instructions_[symbol];
    if (i.kind != Instruction::Kind::operation) continue;
    const bool holds = holding != 0;
    if ((i.op == Op::equal && holds) || (i.op == Op::not_equal && !holds)) {
      if (i.args[1].constant()) facts.emplace_back(i.args[0], i.args[1].value);
    } else if (i.op == Op::logical_not) {
      facts.emplace_back(i.args[0], holds ? 0 : 1);
    } else if ((i.op == Op::logical_and && holds) || (i.op == Op::logical_or && !holds)) {
      facts.emplace_back(i.args[0], holding);
      facts.emplace_back(i.args[1], holding);
    }
  }
}

Scalar apply(Tape* tape, Op op, Scalar a, Scalar b, Scalar c) {
  if (tape) return tape->apply(op, a, b, c);
  assert(a.constant() && b.constant() && c.constant());
  return fold(op, a, b, c);
}

double specialize(Tape* tape, const Scalar& s) { return s.constant() ? s.value : tape->guard(s); }

}  // namespace opledger
