#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

/// Numbers at the ends of what doubles hold, and when two are the same.
namespace opledger {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// NaN is NaN, whichever it is.
inline bool same_bits(double a, double b) { return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

}  // namespace opledger
