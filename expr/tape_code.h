#pragma once
#include <vector>

#include "base/packing.h"
#include "expr/tape.h"

/// Tapes as bytes and back, for other processes of the same program.
namespace opledger {

/// A tape, and what is said of its scalars beside it.
class TapePacker {
 public:
  TapePacker(const Tape& tape, Packer& out);

  void put(const Scalar& scalar);

 private:
  Packer& out_;
  std::vector<std::int32_t> at_;  ///< By instruction: which it is of those that are packed, the inputs first.
};

/// The tape again, its samples what they were. The bytes may be anything.
class TapeUnpacker {
 public:
  explicit TapeUnpacker(Unpacker& in);

  /// What was packed next; of bytes that nothing was packed to, any of the tape.
  Scalar get();
  /// Whether something was packed to the bytes so far.
  bool good() const { return good_ && in_.good(); }
  /// Once no more of its scalars are wanted. Nothing, if it is not good.
  Tape take() { return good() ? Tape(std::move(record_), samples_) : Tape(); }

 private:
  bool read();
  bool read_inputs();
  bool read_curves();
  bool read_instruction();

  Unpacker& in_;
  Tape::Record record_;
  std::vector<double> samples_;  ///< By input.
  bool good_ = true;
};

}  // namespace opledger
