#include "formulas/evaluate/memo.h"

#include <doctest/doctest.h>

#include <string>

#include "formulas/program.h"

/// The cache of values: names that lose their values when there are too many.
namespace opledger {
namespace {

constexpr std::uint64_t kNodes = 100;
constexpr std::uint32_t kOnce = 1, kOften = 2, kGlobal = 3;

/// Adds a value of a name at each node; the first `reused` of them were used by a second query.
void add_values(Memo& memo, std::uint32_t of, std::uint64_t reused) {
  for (std::uint64_t node = 0; node < kNodes; ++node) {
    Memo::Entry& entry = memo.at({of, {node}});
    memo.set_value(entry, number_value(real(static_cast<double>(of * 1000 + node))));
    entry.state = Memo::Entry::State::known;
    entry.query = node < reused ? Memo::kReused : 7;
  }
}

bool has(Memo& memo, std::uint32_t of, std::uint64_t node) { return memo.at({of, {node}}).state == Memo::Entry::State::known; }

}  // namespace

TEST_CASE("a trimmed cache keeps names with values that a second query used, whole") {
  Memo memo;
  add_values(memo, kOnce, kNodes / 10);
  add_values(memo, kOften, kNodes / 2);
  Memo::Entry& global = memo.global_entry(kGlobal);
  global.state = Memo::Entry::State::known;
  global.query = 7;
  memo.trim(10, true, 9);
  CHECK(memo.size() == kNodes + 1);
  CHECK(memo.value(memo.at({kOften, {99}})).scalar.value == 2099);
  CHECK(memo.at({kOften, {99}}).query == 9);  // A next trim keeps it only if a further query uses it.
  CHECK(memo.global_entry(kGlobal).state == Memo::Entry::State::known);
  CHECK_FALSE(has(memo, kOnce, 0));
}

TEST_CASE("a cache whose names are all in use loses the values of single nodes") {
  Memo memo;
  add_values(memo, kOften, kNodes);
  memo.trim(10, false, 9);
  CHECK(memo.size() == 0);
}

}  // namespace opledger
