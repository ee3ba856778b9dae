#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

/// Numbers at the limits of doubles, and a comparison of results.
namespace opledger {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Returns whether two numbers have equal bits; any NaN equals any other NaN.
inline bool same_bits(double a, double b) { return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

}  // namespace opledger
