#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Units of measurement. Inside the engine every number is in base units: bytes, flops, seconds, USD. Counts, ratios
/// and elements have no unit. `parse_unit` reads units of documents; `human` and `exact` write numbers.
namespace opledger {

/// A physical dimension: exponents of the base units byte, flop, s, USD.
struct Dimension {
  std::array<std::int8_t, 4> exponents{};  ///< Exponents of byte, flop, s, USD; from -100 to 100.

  /// Compares all exponents as one integer, because the comparison runs for every value of every element.
  friend bool operator==(const Dimension& a, const Dimension& b) {
    return std::bit_cast<std::uint32_t>(a.exponents) == std::bit_cast<std::uint32_t>(b.exponents);
  }
  /// Returns whether the dimension is that of a number without unit.
  bool plain() const { return *this == Dimension{}; }
};

/// Returns the dimension of a product or quotient; exponents saturate at 100.
Dimension operator*(const Dimension& a, const Dimension& b);
Dimension operator/(const Dimension& a, const Dimension& b);

/// A unit: `80 GiB` is 80 times `factor` bytes.
struct Unit {
  double factor = 1;  ///< Base units in one unit.
  Dimension dimension;
};

/// Parses a unit such as `GiB`, `GB/s`, `Tflop/s`, `us`, `USD/hour`, `count`, `ratio`, `1`. Decimal prefixes (k M G T P
/// E) apply to `flop` and `B`, binary ones (Ki Mi Gi Ti Pi) to `B`. Other names: byte flop s ms us ns min hour day year
/// USD count ratio. Case-sensitive; empty for an unknown unit.
std::optional<Unit> parse_unit(std::string_view text);

/// Returns the unit as text: `byte/s`, `flop`, `1`.
std::string to_string(const Dimension& dimension);

/// Formats a value in base units for people: `45.6 GiB`, `1.23 Pflop`, `17.6 ms`, `312 Tflop/s`, `1,234,567`.
/// Deterministic.
std::string human(double value, const Dimension& dimension);

/// Returns the shortest text that parses to the same double; integers below 2^63 have no exponent or fraction.
std::string exact(double value);

}  // namespace opledger
