#pragma once
#include <array>
#include <cstdint>

/// An exact sum of doubles: a superaccumulator (Kulisch). No bit is lost until the sum is read, so the result is the
/// double nearest to the true sum. The order of terms, and their distribution over threads, processes and runs, have no
/// effect.
namespace opledger {

/// A fixed-point number with a digit for every bit that a double can have.
class ExactSum {
 public:
  /// Adds a term without rounding. Cost: a few integer operations.
  void add(double term);
  /// Adds the exact value of another sum.
  void add(const ExactSum& other);
  /// Returns the sum, rounded to nearest, ties to even. Infinities and NaN among the terms decide the result.
  double value() const;

  /// Number of digits of 32 bits: 2,176 bits cover all doubles, from 2^-1074 to 2^1024, and sums of 2^64 terms.
  static constexpr std::size_t kDigits = 68;
  /// The state that stores and messages hold. Digit i has the weight 2^(32 i - 1074).
  struct State {
    std::array<std::int64_t, kDigits> digits{};  ///< Lowest digit first; the last digit has the sign.
    double special = 0;                          ///< Sum of the terms that are not finite.
  };
  /// Returns the state in normal form: equal sums have equal states.
  State state() const;
  explicit ExactSum(const State& state) : state_(state) {}
  ExactSum() = default;

 private:
  /// Brings every digit but the last into 0 … 2^32 - 1.
  void propagate_carries();

  State state_;                ///< Digits exceed 32 bits between propagations of carries.
  std::uint32_t pending_ = 0;  ///< Terms since the last propagation.
};

}  // namespace opledger
