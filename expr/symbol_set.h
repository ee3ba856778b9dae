#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "expr/scalar.h"

namespace opledger {

/// Some instructions of a tape.
struct SymbolSet {
  explicit SymbolSet(std::size_t of) : words((of + 63) / 64) {}

  void add(const Scalar& s) {
    if (!s.constant()) words[static_cast<std::size_t>(s.symbol) / 64] |= std::uint64_t{1} << (s.symbol % 64);
  }
  std::size_t count() const {
    std::size_t out = 0;
    for (const std::uint64_t word : words) out += static_cast<std::size_t>(std::popcount(word));
    return out;
  }
  /// In their order.
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t w = 0; w < words.size(); ++w) {
      for (std::uint64_t left = words[w]; left != 0; left &= left - 1) visit(64 * w + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }

  std::vector<std::uint64_t> words;  ///< A bit for each.
};

}  // namespace opledger
