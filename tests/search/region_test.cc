#include "search/space/region.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

/// Compares filters and regions with explicit lists of admitted candidates.
namespace opledger {
namespace {

using Values = std::vector<std::vector<double>>;

constexpr std::size_t kAxes = 4;
constexpr AxisSet kAll = (AxisSet{1} << kAxes) - 1;

/// Returns random candidates of a small space.
Values random_candidates(std::mt19937_64& random) {
  Values out;
  for (std::size_t i = 0; i < 81; ++i) {
    if (random() % 4 == 0) continue;
    std::vector<double> values;
    for (std::size_t axis = 0, rest = i; axis < kAxes; ++axis, rest /= 3) values.push_back(static_cast<double>(1 << (rest % 3)));
    out.push_back(std::move(values));
  }
  return out;
}

bool equal_on(AxisSet axes, const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    if ((axes & axis_bit(axis)) != 0 && a[axis] != b[axis]) return false;
  }
  return true;
}

/// Returns which candidates a random filter admits; it depends on their values of these axes alone.
std::vector<bool> random_choice(AxisSet axes, const Values& candidates, std::mt19937_64& random) {
  std::vector<bool> out(candidates.size());
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const auto same = std::find_if(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(c),
                                   [&](const auto& other) { return equal_on(axes, other, candidates[c]); });
    out[c] = same != candidates.begin() + static_cast<std::ptrdiff_t>(c) ? out[static_cast<std::size_t>(same - candidates.begin())] : random() % 3 != 0;
  }
  return out;
}

void check(const Region& region, const Values& candidates, const std::vector<bool>& admitted) {
  std::vector<double> settled(kAxes);
  const AxisSet single = region.fix_single_values(settled);
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    CHECK(region.admits(kAll, candidates[c]) == admitted[c]);
    if (!admitted[c]) continue;
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
      CHECK(region.admits(axis, (axis_bit(axis) << 1) - 1, candidates[c]));  // every prefix of an admitted candidate is admitted
      if ((single & axis_bit(axis)) != 0) CHECK(settled[axis] == candidates[c][axis]);
    }
  }
}

}  // namespace

TEST_CASE("regions admit the candidates that all filters admit, and their prefixes; an inverse filter admits the rest") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    const Values candidates = random_candidates(random);
    Region region;
    std::vector<bool> admitted(candidates.size(), true);
    bool some = true;
    for (int f = 0; f < 4 && some; ++f) {
      const AxisSet axes = 1 + random() % kAll;
      const std::vector<bool> chosen = random_choice(axes, candidates, random);
      Filter filter(axes, candidates, chosen);
      CHECK(filter.axes() == axes);
      CHECK(filter.always() == std::all_of(chosen.begin(), chosen.end(), [](bool b) { return b; }));
      CHECK(filter.empty() == std::none_of(chosen.begin(), chosen.end(), [](bool b) { return b; }));
      const bool inverted = random() % 2 == 0;
      if (inverted) filter = filter.inverse();
      some = region.narrow(filter);
      for (std::size_t c = 0; c < candidates.size(); ++c) admitted[c] = admitted[c] && chosen[c] != inverted;
      if (!some) CHECK(std::none_of(admitted.begin(), admitted.end(), [](bool b) { return b; }));
    }
    if (some) check(region, candidates, admitted);
  }
}

TEST_CASE("filters leave equal tables of free axes exactly if they admit the same values") {
  std::mt19937_64 random(5);
  int same = 0, other = 0;
  for (int round = 0; round < 400; ++round) {
    const Values candidates = random_candidates(random);
    const AxisSet axes = 1 + random() % kAll, fixed = random() % (kAll + 1);
    const Filter filters[] = {Filter(axes, candidates, random_choice(axes, candidates, random)),
                              Filter(axes, candidates, random_choice(axes, candidates, random))};
    const std::vector<double> fixed_values[] = {candidates[random() % candidates.size()], candidates[random() % candidates.size()]};
    bool equal = true;
    for (std::size_t i = 0; i < 81; ++i) {
      bool allowed[2];
      for (int k = 0; k < 2; ++k) {
        std::vector<double> values;
        for (std::size_t axis = 0, rest = i; axis < kAxes; ++axis, rest /= 3)
          values.push_back((fixed & axis_bit(axis)) != 0 ? fixed_values[k][axis] : static_cast<double>(1 << (rest % 3)));
        allowed[k] = filters[k].admits(kAll, values);
      }
      equal = equal && allowed[0] == allowed[1];
    }
    CHECK((filters[0].residual(fixed, fixed_values[0]) == filters[1].residual(fixed, fixed_values[1])) == equal);
    (equal ? same : other) += 1;
  }
  CHECK(same > 20);
  CHECK(other > 20);
}

TEST_CASE("an axis is settled once one value is left, by one filter or by several on the same axes") {
  const Values candidates = {{1, 5, 0, 0}, {2, 5, 0, 0}, {2, 6, 0, 0}, {3, 6, 0, 0}};
  Region region;
  std::vector<double> values(kAxes);
  CHECK(region.fix_single_values(values) == 0);
  CHECK(region.narrow(Filter(0b11, candidates, {true, true, true, false})));
  CHECK(region.fix_single_values(values) == 0);
  CHECK(region.narrow(Filter(0b01, candidates, {false, true, true, true})));
  CHECK(region.fix_single_values(values) == 0b01);
  CHECK(values[0] == 2);
  CHECK(region.narrow(Filter(0b10, candidates, {false, false, true, true})));
  CHECK(region.fix_single_values(values) == 0b11);
  CHECK(values[1] == 6);
  CHECK_FALSE(region.narrow(Filter(0b10, candidates, {true, true, false, false})));
}

}  // namespace opledger
