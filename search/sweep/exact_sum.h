#pragma once
#include <array>
#include <cstdint>

/// A sum of doubles without rounding until it is read: whatever the order of the terms and however they are divided among threads, machines and runs, the
/// result is the same to the bit, the double nearest to the true sum.
namespace opledger {

class ExactSum {
 public:
  void add(double term);
  void add(const ExactSum& other);
  double value() const;

  /// For writing down and reading back.
  static constexpr std::size_t kDigits = 68;
  struct State {
    std::array<std::int64_t, kDigits> digits{};
    double special = 0;
  };
  State state() const;
  explicit ExactSum(const State& state) : state_(state) {}
  ExactSum() = default;

 private:
  void propagate_carries();

  State state_;  ///< Digit i is worth 2^(32 i - 1074): few terms reach past 32 bits, so carries can wait. `special`: the sum of what is not finite.
  std::uint32_t pending_ = 0;
};

}  // namespace opledger
