#include "base/units.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"

namespace opledger {
namespace {

constexpr std::array<std::string_view, 4> kBaseNames = {"byte", "flop", "s", "USD"};
constexpr std::size_t kMaxUnitBytes = 64;
constexpr int kMaxExponent = 100;  // Saturation bound; sums of two exponents fit in 8 bits.

constexpr Dimension kBytes{{1, 0, 0, 0}};
constexpr Dimension kFlops{{0, 1, 0, 0}};
constexpr Dimension kSeconds{{0, 0, 1, 0}};
constexpr Dimension kDollars{{0, 0, 0, 1}};

struct Named {
  std::string_view name;
  Unit unit;
};

constexpr Named kNamed[] = {
    {"byte", {1, kBytes}},
    {"bytes", {1, kBytes}},
    {"B", {1, kBytes}},
    {"flop", {1, kFlops}},
    {"flops", {1, kFlops}},
    {"s", {1, kSeconds}},
    {"ms", {1e-3, kSeconds}},
    {"us", {1e-6, kSeconds}},
    {"ns", {1e-9, kSeconds}},
    {"min", {60, kSeconds}},
    {"hour", {3600, kSeconds}},
    {"hours", {3600, kSeconds}},
    {"day", {86400, kSeconds}},
    {"days", {86400, kSeconds}},
    {"year", {365.0 * 86400, kSeconds}},
    {"years", {365.0 * 86400, kSeconds}},
    {"USD", {1, kDollars}},
    {"count", {1, {}}},
    {"ratio", {1, {}}},
    {"1", {1, {}}},
};

struct Prefix {
  std::string_view name;
  double factor;
};

constexpr Prefix kDecimal[] = {{"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"P", 1e15}, {"E", 1e18}};
constexpr Prefix kBinary[] = {{"Ki", 1024.0}, {"Mi", 1048576.0}, {"Gi", 1073741824.0}, {"Ti", 1099511627776.0}, {"Pi", 1125899906842624.0}};

/// Parses a name with an optional prefix.
std::optional<Unit> parse_one(std::string_view text) {
  for (const Named& named : kNamed) {
    if (named.name == text) return named.unit;
  }
  for (const Prefix& prefix : kBinary) {
    if (text.substr(0, 2) == prefix.name && text.substr(2) == "B") return Unit{prefix.factor, kBytes};
  }
  for (const Prefix& prefix : kDecimal) {
    if (text.substr(0, 1) != prefix.name) continue;
    if (text.substr(1) == "B") return Unit{prefix.factor, kBytes};
    if (text.substr(1) == "flop") return Unit{prefix.factor, kFlops};
  }
  return std::nullopt;
}

/// Saturates an exponent.
std::int8_t exponent(int value) { return static_cast<std::int8_t>(std::clamp(value, -kMaxExponent, kMaxExponent)); }

}  // namespace

Dimension operator*(const Dimension& a, const Dimension& b) {
  Dimension result;
  for (std::size_t i = 0; i < 4; ++i) result.exponents[i] = exponent(a.exponents[i] + b.exponents[i]);
  return result;
}

Dimension operator/(const Dimension& a, const Dimension& b) {
  Dimension result;
  for (std::size_t i = 0; i < 4; ++i) result.exponents[i] = exponent(a.exponents[i] - b.exponents[i]);
  return result;
}

/// Parses factors separated by `*` and `/`, from left to right: `GB/s/USD` divides twice. Each factor is a name with an
/// optional prefix; the factors' sizes and dimensions are multiplied or divided. Returns nothing if a factor is unknown
/// or the text has more than kMaxUnitBytes bytes.
std::optional<Unit> parse_unit(std::string_view text) {
  if (text.size() > kMaxUnitBytes) return std::nullopt;
  Unit result;
  bool dividing = false;
  std::string_view rest = trim(text);
  for (;;) {
    const std::size_t end = rest.find_first_of("*/");
    const std::optional<Unit> part = parse_one(trim(rest.substr(0, end)));
    if (!part) return std::nullopt;
    result.factor = dividing ? result.factor / part->factor : result.factor * part->factor;
    result.dimension = dividing ? result.dimension / part->dimension : result.dimension * part->dimension;
    if (end == std::string_view::npos) return result;
    dividing = rest[end] == '/';
    rest.remove_prefix(end + 1);
  }
}

std::string to_string(const Dimension& dimension) {
  std::vector<std::string> above, below;
  for (std::size_t i = 0; i < 4; ++i) {
    const int exponent = dimension.exponents[i];
    const int size = exponent < 0 ? -exponent : exponent;
    if (size == 0) continue;
    std::string name(kBaseNames[i]);
    if (size > 1) name += "^" + std::to_string(size);
    (exponent > 0 ? above : below).push_back(std::move(name));
  }
  std::string result = above.empty() ? "1" : join(above, "*");
  for (const std::string& name : below) result += "/" + name;
  return result;
}

}  // namespace opledger
