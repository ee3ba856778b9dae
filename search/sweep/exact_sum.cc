#include "search/sweep/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace opledger {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr int kDigitBits = 32, kLowest = -1074;
constexpr std::int64_t kDigit = std::int64_t{1} << kDigitBits;
constexpr std::uint32_t kMaxPending = std::uint32_t{1} << 29;  // 2^29 additions of less than 2^32 to a digit fit 63 bits

/// Propagates carries upward. Afterwards every digit but the last is in 0 … 2^32 - 1; the last digit has the sign. The
/// arithmetic shift rounds toward minus infinity, so negative digits borrow correctly.
void carry(std::array<std::int64_t, ExactSum::kDigits>& digits) {
  std::int64_t over = 0;
  for (std::size_t i = 0; i + 1 < digits.size(); ++i) {
    const std::int64_t now = digits[i] + over;
    over = now >> kDigitBits;
    digits[i] = now & (kDigit - 1);
  }
  digits.back() += over;
}

}  // namespace

/// Adds a term without rounding. The sum is a fixed-point number: digit i of 32 bits has the weight 2^(32 i - 1074),
/// and 2^-1074 is the smallest double. The 53-bit mantissa of the term is shifted to the position of its exponent,
/// where it covers up to three digits. Subnormal numbers have no implicit leading bit, and the exponent of the smallest
/// normal number. A digit is stored in a signed 64-bit integer, so carries can wait for kMaxPending terms. Infinities
/// and NaN (exponent 0x7ff) go to a separate sum.
void ExactSum::add(double term) {
  const auto bits = std::bit_cast<std::uint64_t>(term);
  const auto exponent = static_cast<unsigned>(bits >> 52 & 0x7ff);
  if (exponent == 0x7ff) {
    state_.special += term;
    return;
  }
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t mantissa = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  const unsigned at = exponent == 0 ? 0 : exponent - 1;  // position of the lowest bit, counted from 2^-1074
  const unsigned digit = at / kDigitBits, shift = at % kDigitBits;
  const std::uint64_t low = mantissa << shift;
  const std::uint64_t high = shift == 0 ? 0 : mantissa >> (64 - shift);
  const std::int64_t sign = std::signbit(term) ? -1 : 1;
  state_.digits[digit] += sign * static_cast<std::int64_t>(low & 0xffffffffu);
  state_.digits[digit + 1] += sign * static_cast<std::int64_t>(low >> kDigitBits);
  state_.digits[digit + 2] += sign * static_cast<std::int64_t>(high);
  if (++pending_ >= kMaxPending) propagate_carries();
}

void ExactSum::propagate_carries() {
  carry(state_.digits);
  pending_ = 0;
}

void ExactSum::add(const ExactSum& other) {
  propagate_carries();
  const State other_state = other.state();
  for (std::size_t i = 0; i < kDigits; ++i) state_.digits[i] += other_state.digits[i];
  propagate_carries();
  state_.special += other_state.special;
}

ExactSum::State ExactSum::state() const {
  State out = state_;
  carry(out.digits);
  return out;
}

/// Rounds the sum to the nearest double, ties to even. Terms that are not finite decide the result alone. Carries are
/// propagated first; a negative sum is negated, so that all digits are nonnegative. The leading bits are taken from the
/// three highest digits and shifted right until they fit 64 bits. `below` records whether a bit below them is set,
/// which decides ties only (a sticky bit). Then `drop` bits are rounded off to leave 53 bits. A sum below the normal
/// range needs no rounding, because no bit is smaller than the smallest double.
double ExactSum::value() const {
  if (state_.special != 0 || std::isnan(state_.special)) return state_.special;
  State normal = state();
  const bool negative = normal.digits.back() < 0;
  if (negative) {
    for (std::int64_t& digit : normal.digits) digit = -digit;
    carry(normal.digits);
  }
  std::size_t top = kDigits;
  while (top > 0 && normal.digits[top - 1] == 0) --top;
  if (top == 0) return 0;
  // The three highest digits have at least 65 significant bits, more than rounding to 53 bits needs.
  Wide head = 0;
  const std::size_t from = top >= 3 ? top - 3 : 0;
  for (std::size_t i = top; i-- > from;) head = head << kDigitBits | static_cast<std::uint64_t>(normal.digits[i]);
  bool below = false;
  for (std::size_t i = 0; i < from; ++i) below = below || normal.digits[i] != 0;
  int shift = static_cast<int>(from) * kDigitBits + kLowest;
  while (head >> 64 != 0) {
    below = below || (head & 1) != 0;
    head >>= 1;
    ++shift;
  }
  auto mantissa = static_cast<std::uint64_t>(head);
  const int drop = std::max(0, 64 - std::countl_zero(mantissa) - 53);
  const std::uint64_t rest = drop == 0 ? 0 : mantissa & ((std::uint64_t{1} << drop) - 1), half = drop == 0 ? 1 : std::uint64_t{1} << (drop - 1);
  mantissa >>= drop;
  if (rest > half || (rest == half && drop != 0 && (below || (mantissa & 1) != 0))) ++mantissa;
  const double size = std::ldexp(static_cast<double>(mantissa), shift + drop);
  return negative ? -size : size;
}

}  // namespace opledger
