#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "expr/scalar.h"

namespace opledger {

/// A set of a tape's instructions, as a bit mask. A symbol is the position of an instruction. Insertion is constant time;
/// iteration costs one step per 64 instructions and per member.
struct SymbolSet {
  /// An empty set over a tape with `size` instructions.
  explicit SymbolSet(std::size_t size) : words((size + 63) / 64) {}

  /// Adds the instruction of a symbol; constants are ignored.
  void add(const Scalar& s) {
    if (!s.constant()) words[static_cast<std::size_t>(s.symbol) / 64] |= std::uint64_t{1} << (s.symbol % 64);
  }
  /// Returns the number of members.
  std::size_t count() const {
    std::size_t out = 0;
    for (const std::uint64_t word : words) out += static_cast<std::size_t>(std::popcount(word));
    return out;
  }
  /// Calls `visit` with the position of each member, in rising order.
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t w = 0; w < words.size(); ++w) {
      for (std::uint64_t left = words[w]; left != 0; left &= left - 1) visit(64 * w + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }

  std::vector<std::uint64_t> words;  ///< One bit for each instruction of the tape.
};

}  // namespace opledger
