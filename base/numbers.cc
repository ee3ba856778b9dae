// Formats numbers: `exact` for machines, `human` for people.
#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <string>

#include "base/units.h"

namespace opledger {
namespace {

/// A unit with its size in base units, from large to small in each table.
struct Step {
  double factor;
  std::string_view name;
};

constexpr Step kBinaryBytes[] = {{1125899906842624.0, "PiB"}, {1099511627776.0, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}};
constexpr Step kDecimalBytes[] = {{1e18, "EB"}, {1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}};
constexpr Step kFlopSteps[] = {{1e18, "Eflop"}, {1e15, "Pflop"}, {1e12, "Tflop"}, {1e9, "Gflop"}, {1e6, "Mflop"}, {1e3, "kflop"}, {1, "flop"}};
constexpr Step kTimes[] = {{86400, "days"}, {3600, "hours"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};

constexpr double kLargestPlain = 1e15;  // Beyond these limits an exponent is more readable than zeros.
constexpr double kSmallestPlain = 1e-5;

/// Formats with a fixed number of decimals, correctly rounded.
std::string written(double value, std::chars_format format, int decimals) {
  char text[400];  // The largest double has 309 digits before the point.
  return {text, std::to_chars(text, text + sizeof text, value, format, decimals).ptr};
}

std::string with_thousands(double whole) {
  std::string digits = written(std::fabs(whole), std::chars_format::fixed, 0);
  for (std::size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return (whole < 0 ? "-" : "") + digits;
}

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos || text.find('e') != std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

// Formats with `digits` significant digits, without an exponent for common magnitudes.
std::string significant(double value, int digits) {
  const double size = std::fabs(value);
  if (size == 0) return "0";
  const std::string scientific = written(value, std::chars_format::scientific, digits - 1);
  if (size >= kLargestPlain || size < kSmallestPlain) return scientific;
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));  // The exponent after rounding: 9.999 is 10.0.
  if (exponent + 1 >= digits) return with_thousands(std::round(value));
  return written(value, std::chars_format::fixed, digits - 1 - exponent);
}

// Formats in the largest unit with at least one after rounding: slightly less than a GiB is 1.00 GiB, not 1,024 MiB.
template <std::size_t N>
std::string scaled(double value, const Step (&steps)[N], std::string_view suffix) {
  std::size_t i = N - 1;
  const auto reaches_next = [&] {
    const double ratio = steps[i - 1].factor / steps[i].factor;
    return std::fabs(value) / steps[i].factor >= ratio - (ratio < 100 ? 0.05 : 0.5);
  };
  while (i > 0 && reaches_next()) --i;
  double shown = value / steps[i].factor;
  if (i + 1 < N && std::fabs(shown) < 1) shown = std::copysign(1, shown);                           // Rounded up.
  const bool whole = steps[i].factor == 1 && shown == std::floor(shown) && std::fabs(shown) < 1e6;  // `512 B`, not `512.0 B`
  return fmt::format("{} {}{}", whole ? with_thousands(shown) : significant(shown, 3), steps[i].name, suffix);
}

std::string plain(double value) {
  if (value == std::floor(value) && std::fabs(value) < kLargestPlain) return with_thousands(value);
  return without_trailing_zeros(significant(value, 5));
}

std::string dollars(double value) {
  const double cents = std::round(std::fabs(value) * 100);
  if (cents >= kLargestPlain) return significant(value, 5);
  if (cents < 1 && value != 0) return without_trailing_zeros(significant(value, 3));
  const double whole = std::floor(cents / 100);
  return fmt::format("{}{}.{:02.0f}", value < 0 ? "-" : "", with_thousands(whole), cents - whole * 100);
}

}  // namespace

/// Formats a value in base units for people. Bytes, flops, seconds and the usual rates get the largest unit with prefix
/// that gives at least 1 after rounding (`scaled`). Bytes count in powers of 1024, bytes per second in powers of 1000,
/// as networks do. Dollars are written with cents, dollars per second as dollars per hour. Other dimensions keep base
/// units. NaN and infinity are written as words.
std::string human(double value, const Dimension& dimension) {
  const auto is = [&](int byte, int flop, int second, int dollar) {
    const auto& e = dimension.exponents;
    return e[0] == byte && e[1] == flop && e[2] == second && e[3] == dollar;
  };
  if (std::isnan(value) || std::isinf(value)) return dimension.plain() ? exact(value) : exact(value) + " " + to_string(dimension);
  if (value == 0) value = 0;  // Removes the sign of -0.
  if (dimension.plain()) return plain(value);
  if (is(1, 0, 0, 0)) return scaled(value, kBinaryBytes, "");
  if (is(0, 1, 0, 0)) return scaled(value, kFlopSteps, "");
  if (is(0, 0, 1, 0)) return value == 0 ? "0 s" : scaled(value, kTimes, "");
  if (is(0, 0, 0, 1)) return dollars(value) + " USD";
  if (is(1, 0, -1, 0)) return scaled(value, kDecimalBytes, "/s");
  if (is(0, 1, -1, 0)) return scaled(value, kFlopSteps, "/s");
  if (is(0, 0, -1, 1)) return dollars(value * 3600) + " USD/hour";
  return plain(value) + " " + to_string(dimension);
}

std::string exact(double value) {
  if (value == 0) return "0";
  char buffer[64];
  const bool whole = std::fabs(value) < 9223372036854775808.0 && value == std::floor(value);
  if (std::isnan(value)) return "nan";  // The sign bit of NaN is meaningless.
  char* const last = buffer + sizeof buffer;
  const char* const end = whole ? std::to_chars(buffer, last, static_cast<long long>(value)).ptr : std::to_chars(buffer, last, value).ptr;
  return std::string(static_cast<const char*>(buffer), end);
}

}  // namespace opledger
