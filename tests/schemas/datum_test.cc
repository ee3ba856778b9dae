#include "schemas/datum.h"

#include <doctest/doctest.h>

namespace opledger {
namespace {

TEST_CASE("scalars as numbers and truths") {
  struct {
    std::string text;
    bool quoted;
    std::optional<double> number;
    std::optional<bool> boolean;
    std::string described;
  } const cases[] = {
      {"12", false, 12, {}, "a number"},
      {"-0.5", false, -0.5, {}, "a number"},
      {"+3", false, 3, {}, "a number"},
      {"1e9", false, 1e9, {}, "a number"},
      {".5", false, 0.5, {}, "a number"},
      {"12", true, {}, {}, "text"},
      {"inf", false, {}, {}, "text"},
      {"nan", false, {}, {}, "text"},
      {"-inf", false, {}, {}, "text"},
      {"1e999", false, {}, {}, "text"},
      {"12 GiB", false, {}, {}, "text"},
      {"0x10", false, {}, {}, "text"},
      {"+-1", false, {}, {}, "text"},
      {"-", false, {}, {}, "text"},
      {"+", false, {}, {}, "text"},
      {"", false, {}, {}, "text"},
      {"true", false, {}, true, "true or false"},
      {"false", false, {}, false, "true or false"},
      {"true", true, {}, {}, "text"},
      {"yes", false, {}, {}, "text"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const Datum datum = Datum::scalar(c.text, c.quoted, {});
    CHECK(datum.number() == c.number);
    CHECK(datum.boolean() == c.boolean);
    CHECK(datum.describe() == c.described);
  }
}

TEST_CASE("lists, mappings and nothing") {
  const Datum one = Datum::scalar("1", false, {});
  const Datum list = Datum::list({one, one}, {});
  const Datum map = Datum::map({{Datum::scalar("a", false, {}), list}}, {});
  CHECK(Datum::null({}).describe() == "nothing");
  CHECK(list.describe() == "a list");
  CHECK(map.describe() == "a mapping");
  CHECK(map.find("a")->items().size() == 2);
  CHECK(map.find("b") == nullptr);
  CHECK(list.find("a") == nullptr);
  CHECK(one.items().empty());
  CHECK(one.entries().empty());
  CHECK_FALSE(list.number());
  CHECK_FALSE(map.boolean());
}

TEST_CASE("copies share their contents") {
  const Datum list = Datum::list({Datum::null({})}, {});
  const Datum copy = list;
  CHECK(&copy.items() == &list.items());
}

}  // namespace
}  // namespace opledger
