#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Units. Inside the engine every number is in base units: bytes, flops, seconds, USD. Counts, ratios and elements are plain.
namespace opledger {

/// Exponents of the base units byte, flop, s, USD.
struct Dimension {
  std::array<std::int8_t, 4> exponents{};

  /// Compares all exponents as one integer, without a call: units are compared for every value of every element.
  friend bool operator==(const Dimension& a, const Dimension& b) {
    return std::bit_cast<std::uint32_t>(a.exponents) == std::bit_cast<std::uint32_t>(b.exponents);
  }
  bool plain() const { return *this == Dimension{}; }
};

Dimension operator*(const Dimension& a, const Dimension& b);
Dimension operator/(const Dimension& a, const Dimension& b);

/// `80 GiB` is 80 times `factor` bytes.
struct Unit {
  double factor = 1;
  Dimension dimension;
};

/// Reads `GiB`, `GB/s`, `Tflop/s`, `us`, `USD/hour`, `count`, `ratio`, `1`: k M G T P E with `flop` and `B`, Ki Mi Gi Ti Pi with `B`;
/// byte flop s ms us ns min hour day year USD count ratio. Case matters.
std::optional<Unit> parse_unit(std::string_view text);

/// `byte/s`, `flop`, `1`.
std::string to_string(const Dimension& dimension);

/// A value in base units as a person reads it: `45.6 GiB`, `1.23 Pflop`, `17.6 ms`, `312 Tflop/s`, `1,234,567`. Deterministic.
std::string human(double value, const Dimension& dimension);

/// Shortest text that reads back as the same double; integers below 2^63 without exponent or fraction.
std::string exact(double value);

}  // namespace opledger
