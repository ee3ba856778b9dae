#include "base/id.h"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

namespace opledger {
namespace {

struct Sheep;
struct Goat;
using SheepId = Id<Sheep>;
using GoatId = Id<Goat>;

static_assert(!std::is_convertible_v<SheepId, GoatId> && !std::is_constructible_v<SheepId, GoatId> && !std::is_assignable_v<SheepId&, GoatId>);
static_assert(!std::is_convertible_v<int, SheepId> && !std::is_convertible_v<SheepId, int> && !std::is_convertible_v<SheepId, bool>);
static_assert(!std::is_invocable_v<decltype([](auto& v, auto i) -> decltype(v[i]) { return v[i]; }), IdVector<SheepId, int>&, GoatId>);
static_assert(sizeof(SheepId) == sizeof(std::int32_t));

}  // namespace

TEST_CASE("id: of none, and in order") {
  CHECK_FALSE(SheepId());
  CHECK(SheepId(0));
  CHECK(SheepId() < SheepId(0));
  CHECK(SheepId(2) + 1 == SheepId(3));
  CHECK(SheepId(5) - SheepId(2) == 3);
}

TEST_CASE("id: a vector is indexed, searched and walked over by its ids") {
  IdVector<SheepId, std::string> names;
  const SheepId dolly = names.add("Dolly"), shaun = names.add("Shaun");
  CHECK(names[shaun] == "Shaun");
  CHECK(names.find([](const std::string& name) { return name == "Dolly"; }) == dolly);
  CHECK_FALSE(names.find([](const std::string& name) { return name.empty(); }));
  CHECK(names.id_of(names.back()) == shaun);
  CHECK(names.next() == SheepId(2));
  CHECK(names.has(shaun));
  CHECK_FALSE(names.has(SheepId()));
  CHECK_FALSE(names.has(names.next()));
  std::vector<SheepId> all;
  for (const SheepId id : names.ids()) all.push_back(id);
  CHECK(all == std::vector<SheepId>{dolly, shaun});
}

}  // namespace opledger
