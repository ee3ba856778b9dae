#include "expr/tape_code.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace opledger {
namespace {

using Instruction = Tape::Instruction;

constexpr std::uint8_t kExact = 1, kConstant = 2;  // Flags of a packed scalar.

void pack(const Curve& curve, Packer& out) {
  std::vector<double> steps;
  for (const auto& [threshold, value] : curve.steps) steps.insert(steps.end(), {threshold, value});
  out.put(steps);
  out.put(std::uint64_t{curve.coordinates});
  out.put(curve.points);
}

std::shared_ptr<const Curve> unpack_curve(Unpacker& in) {
  const auto out = std::make_shared<Curve>();
  std::vector<double> steps;
  std::uint64_t coordinates = 0;
  in.get(steps);
  in.get(coordinates);
  in.get(out->points);
  const bool whole = in.good() && steps.size() % 2 == 0 && coordinates <= Curve::kMaxCoordinates && out->points.size() % (coordinates + 1) == 0;
  if (!whole || (coordinates == 0 && (steps.empty() || !out->points.empty()))) return nullptr;
  for (std::size_t i = 0; i < steps.size(); i += 2) out->steps.emplace_back(steps[i], steps[i + 1]);
  out->coordinates = coordinates;
  return out;
}

}  // namespace

TapePacker::TapePacker(const Tape& tape, Packer& out) : out_(out), at_(tape.instructions().size(), -1) {
  // Writes the names and samples of inputs, the tables, the curves, the other instructions, and the conditions of guards.
  // The sample of an input without an instruction is written as 0.
  // Inputs get the first positions of the packed tape, because their instructions are implied by their names. The other
  // instructions follow in order, so operands always refer to earlier positions. `at_` maps instructions to positions.
  const std::vector<Instruction>& all = tape.instructions();
  std::vector<double> samples(tape.inputs().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind != Instruction::Kind::input) continue;
    at_[i] = static_cast<std::int32_t>(all[i].extra);
    samples[all[i].extra] = tape.sample(static_cast<std::int32_t>(i));
  }
  out.put(tape.inputs());
  out.put(samples);
  out.put(tape.tables());
  out.put(std::uint64_t{tape.curves().size()});
  for (const auto& curve : tape.curves()) pack(*curve, out);
  out.put(static_cast<std::uint64_t>(std::count(at_.begin(), at_.end(), -1)));
  auto next = static_cast<std::int32_t>(samples.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (at_[i] >= 0) continue;
    out.put(static_cast<std::uint8_t>(all[i].kind));
    out.put(static_cast<std::uint8_t>(all[i].op));
    out.put(all[i].extra);
    out.put(all[i].count);
    for (const Scalar& arg : std::span(all[i].args, all[i].count)) put(arg);
    at_[i] = next++;
  }
  out.put(std::uint64_t{tape.guards().size()});
  for (const Tape::Guard& guard : tape.guards()) put(guard.condition);
}

void TapePacker::put(const Scalar& scalar) {
  out_.put(static_cast<std::uint8_t>((scalar.exact ? kExact : 0) | (scalar.constant() ? kConstant : 0)));
  if (scalar.constant())
    out_.put(scalar.value);
  else
    out_.put(at_[static_cast<std::size_t>(scalar.symbol)]);
}

TapeUnpacker::TapeUnpacker(Unpacker& in) : in_(in) { good_ = read(); }

Scalar TapeUnpacker::get() {
  Scalar out;
  std::uint8_t flags = 0;
  in_.get(flags);
  out.exact = (flags & kExact) != 0;
  if ((flags & kConstant) != 0) {
    in_.get(out.value);
    return out;
  }
  in_.get(out.symbol);
  good_ = good_ && out.symbol >= 0 && static_cast<std::size_t>(out.symbol) < record_.instructions.size();
  return good() ? out : Scalar{};
}

bool TapeUnpacker::read() {
  // Reads inputs, tables and curves before instructions, because instructions refer to them. The first invalid part
  // ends the reading.
  if (!read_inputs() || !read_curves()) return false;
  std::uint64_t count = 0;
  for (in_.get(count); count > 0; --count) {
    if (!read_instruction()) return false;
  }
  for (in_.get(count); count > 0; --count) {
    record_.guards.push_back(get());
    if (!good() || record_.guards.back().constant()) return false;
  }
  return in_.good();
}

bool TapeUnpacker::read_inputs() {
  in_.get(record_.inputs);
  in_.get(samples_);
  for (std::size_t i = 0; i < record_.inputs.size(); ++i) {
    Instruction& input = record_.instructions.emplace_back();
    input.kind = Instruction::Kind::input;
    input.extra = static_cast<std::uint32_t>(i);
  }
  in_.get(record_.tables);
  return in_.good() && record_.inputs.size() == samples_.size();
}

bool TapeUnpacker::read_curves() {
  std::uint64_t count = 0;
  for (in_.get(count); count > 0; --count) {
    record_.curves.push_back(unpack_curve(in_));
    if (record_.curves.back() == nullptr) return false;
  }
  return in_.good();
}

bool TapeUnpacker::read_instruction() {
  // Reads one instruction from bytes that may be arbitrary. Rejects kinds, operations, tables and curves that do not
  // exist, wrong numbers of operands, and instructions of constants, which a tape would have folded. `arguments` stays 0
  // for an invalid kind or number. Operands refer to earlier instructions only, because `get` checks their positions.
  Instruction i;
  std::uint8_t kind = 0, op = 0;
  in_.get(kind);
  in_.get(op);
  in_.get(i.extra);
  in_.get(i.count);
  i.kind = static_cast<Instruction::Kind>(kind);
  i.op = static_cast<Op>(op);
  std::size_t arguments = 0;
  if (i.kind == Instruction::Kind::operation && i.op <= Op::select) arguments = static_cast<std::size_t>(arity(i.op));
  if (i.kind == Instruction::Kind::gather && i.extra < record_.tables.size()) arguments = 1;
  if (i.kind == Instruction::Kind::curve && i.extra < record_.curves.size()) arguments = record_.curves[i.extra]->arguments();
  if (!in_.good() || arguments == 0 || i.count != arguments) return false;
  bool constant = true;
  for (Scalar& arg : std::span(i.args, i.count)) {
    arg = get();
    constant = constant && arg.constant();
  }
  if (!good() || constant) return false;
  record_.instructions.push_back(i);
  return true;
}

}  // namespace opledger
