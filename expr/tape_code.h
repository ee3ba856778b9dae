#pragma once
#include <vector>

#include "base/packing.h"
#include "expr/tape.h"

/// Serialization of tapes for other processes of the same program.
namespace opledger {

/// A writer of one tape and of scalars that refer to it.
class TapePacker {
 public:
  TapePacker(const Tape& tape, Packer& out);

  /// Writes a constant, or a symbol as its position in the packed tape.
  void put(const Scalar& scalar);

 private:
  Packer& out_;
  std::vector<std::int32_t> at_;  ///< Positions in the packed tape, by instruction; inputs come first.
};

/// A reader of a packed tape. The tape gets the packed samples. The bytes may be arbitrary: every index is checked, and
/// `good` reports a failure.
class TapeUnpacker {
 public:
  explicit TapeUnpacker(Unpacker& in);

  /// Returns the next packed scalar; after a failure, a constant. Bytes that TapePacker did not write may give any scalar.
  Scalar get();
  /// Returns whether every byte read so far was valid.
  bool good() const { return good_ && in_.good(); }
  /// Returns the tape, after the last scalar was read; an empty tape if the bytes were invalid.
  Tape take() { return good() ? Tape(std::move(record_), samples_) : Tape(); }

 private:
  bool read();
  bool read_inputs();
  bool read_curves();
  bool read_instruction();

  Unpacker& in_;
  Tape::Record record_;
  std::vector<double> samples_;  ///< Sample value of each input.
  bool good_ = true;
};

}  // namespace opledger
