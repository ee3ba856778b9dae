#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/units.h"

namespace opledger {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_CASE("human: a value in a unit that a person reads") {
  struct {
    double value;
    std::string_view unit, expected;
  } const cases[] = {
      {0, "byte", "0 B"},
      {512, "byte", "512 B"},
      {0.25, "byte", "0.250 B"},
      {1023, "byte", "1,023 B"},
      {1024, "byte", "1.00 KiB"},
      {1536, "byte", "1.50 KiB"},
      {-1536, "byte", "-1.50 KiB"},
      {1048575, "byte", "1.00 MiB"},
      {9.999 * 1048576, "byte", "10.0 MiB"},
      {1023.4 * 1048576, "byte", "1,023 MiB"},
      {48962627174.4, "byte", "45.6 GiB"},
      {1e20, "byte", "88,818 PiB"},
      {3e9, "byte/s", "3.00 GB/s"},
      {4.8e12, "byte/s", "4.80 TB/s"},
      {312e12, "flop/s", "312 Tflop/s"},
      {1.234e15, "flop", "1.23 Pflop"},
      {999.6e12, "flop", "1.00 Pflop"},
      {6e23, "flop", "600,000 Eflop"},
      {7, "flop", "7 flop"},
      {0, "s", "0 s"},
      {0.0176, "s", "17.6 ms"},
      {1.5e-6, "s", "1.50 us"},
      {2e-9, "s", "2.00 ns"},
      {2.5e-10, "s", "0.250 ns"},
      {1, "s", "1 s"},
      {59.97, "s", "1.00 min"},
      {90, "s", "1.50 min"},
      {5400, "s", "1.50 hours"},
      {86400 * 23.5, "s", "23.5 days"},
      {-0.5, "s", "-500 ms"},
      {1234.5, "USD", "1,234.50 USD"},
      {0, "USD", "0.00 USD"},
      {0.999, "USD", "1.00 USD"},
      {-1234567.891, "USD", "-1,234,567.89 USD"},
      {0.00042, "USD", "0.00042 USD"},
      {2.0 / 3600, "USD/s", "2.00 USD/hour"},
      {0, "1", "0"},
      {-0.0, "1", "0"},
      {7, "1", "7"},
      {1234567, "1", "1,234,567"},
      {-1234567, "1", "-1,234,567"},
      {175e9, "1", "175,000,000,000"},
      {0.5, "1", "0.5"},
      {0.52341678, "1", "0.52342"},
      {12345.678, "1", "12,346"},
      {1.0 / 3, "1", "0.33333"},
      {1e15, "1", "1.0000e+15"},
      {1e-7, "1", "1.0000e-07"},
      {312.5, "flop/byte", "312.5 flop/byte"},
      {kInfinity, "byte", "inf byte"},
      {-kInfinity, "1", "-inf"},
      {std::nan(""), "1", "nan"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.value);
    CAPTURE(c.unit);
    CHECK(human(c.value, parse_unit(c.unit)->dimension) == c.expected);
  }
}

TEST_CASE("exact: reads back as the same number") {
  struct {
    double value;
    std::string_view expected;
  } const cases[] = {
      {0, "0"},
      {-0.0, "0"},
      {1, "1"},
      {-7, "-7"},
      {1e15, "1000000000000000"},
      {9007199254740993.0, "9007199254740992"},
      {9223372036854774784.0, "9223372036854774784"},
      {9223372036854775808.0, "9223372036854775808"},
      {0.1, "0.1"},
      {1.0 / 3, "0.3333333333333333"},
      {1e19, "1e+19"},
      {1e300, "1e+300"},
      {5e-324, "5e-324"},
      {kInfinity, "inf"},
      {-kInfinity, "-inf"},
      {std::nan(""), "nan"},
      {-std::nan(""), "nan"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.value);
    CHECK(exact(c.value) == c.expected);
    if (std::isfinite(c.value)) CHECK(std::strtod(exact(c.value).c_str(), nullptr) == c.value);
  }
}

}  // namespace
}  // namespace opledger
