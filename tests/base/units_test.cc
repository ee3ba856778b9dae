#include "base/units.h"

#include <doctest/doctest.h>

namespace opledger {
namespace {

TEST_CASE("units that are understood") {
  struct {
    std::string_view text;
    double factor;
    std::string_view dimension;
  } const cases[] = {
      {"byte", 1, "byte"},
      {"B", 1, "byte"},
      {"GiB", 1073741824.0, "byte"},
      {"GB", 1e9, "byte"},
      {"kB", 1e3, "byte"},
      {"Pi"
       "B",
       1125899906842624.0, "byte"},
      {"EB", 1e18, "byte"},
      {"flop", 1, "flop"},
      {"Tflop", 1e12, "flop"},
      {"s", 1, "s"},
      {"ms", 1e-3, "s"},
      {"us", 1e-6, "s"},
      {"ns", 1e-9, "s"},
      {"min", 60, "s"},
      {"hour", 3600, "s"},
      {"day", 86400, "s"},
      {"year", 31536000, "s"},
      {"USD", 1, "USD"},
      {"count", 1, "1"},
      {"ratio", 1, "1"},
      {"1", 1, "1"},
      {"GB/s", 1e9, "byte/s"},
      {"Tflop/s", 1e12, "flop/s"},
      {"USD/hour", 1 / 3600.0, "USD/s"},
      {"flop/byte", 1, "flop/byte"},
      {"1/s", 1, "1/s"},
      {" GB / s ", 1e9, "byte/s"},
      {"byte*byte/s", 1, "byte^2/s"},
      {"s/s", 1, "1"},
      {"byte/flop/s", 1, "byte/flop/s"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const std::optional<Unit> unit = parse_unit(c.text);
    REQUIRE(unit);
    CHECK(unit->factor == c.factor);
    CHECK(to_string(unit->dimension) == c.dimension);
  }
}

TEST_CASE("units that are not") {
  for (std::string_view text : {"", "gb", "GIB", "GiB/", "/s", "k", "Kflop", "mB", "byte s", "byte^2", "EiB", "sec", "GiBs", "2"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_unit(text));
  }
  CHECK_FALSE(parse_unit("byte" + std::string(100, ' ')));
}

TEST_CASE("products and quotients of dimensions") {
  const Dimension byte{{1, 0, 0, 0}}, second{{0, 0, 1, 0}};
  CHECK(to_string(byte * byte / second) == "byte^2/s");
  CHECK(to_string(Dimension{} / second) == "1/s");
  CHECK((byte / byte).plain());
  CHECK_FALSE(byte.plain());
  Dimension huge = byte;
  for (int i = 0; i < 20; ++i) huge = huge * huge;
  CHECK(to_string(huge) == "byte^100");
}

}  // namespace
}  // namespace opledger
