#include "find/stage_partition.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

/// The dynamic program against all divisions of few layers.
namespace opledger {
namespace {

/// A division with the value by which divisions are compared.
struct Rated {
  double slowest = std::numeric_limits<double>::infinity(), squares = 0;
  std::vector<long long> layers;
};

/// Calls `visit` with each division of `layers` layers into `parts` parts.
template <class Visit>
void each_division(long long layers, std::size_t parts, std::vector<long long>& prefix, Visit&& visit) {
  if (parts == 1) {
    prefix.push_back(layers);
    visit(prefix);
    prefix.pop_back();
    return;
  }
  for (long long own = 0; own <= layers; ++own) {
    prefix.push_back(own);
    each_division(layers - own, parts - 1, prefix, visit);
    prefix.pop_back();
  }
}

Rated rate(const PartitionProblem& problem, const std::vector<long long>& layers) {
  Rated out{0, 0, layers};
  std::size_t begin = 0;
  for (std::size_t part = 0; part < layers.size(); ++part) {
    const std::size_t end = begin + static_cast<std::size_t>(layers[part]);
    if (problem.may_hold && !problem.may_hold(part, begin, end)) return {};
    const double seconds = std::accumulate(problem.seconds.begin() + static_cast<std::ptrdiff_t>(begin),
                                           problem.seconds.begin() + static_cast<std::ptrdiff_t>(end), problem.extra[part]);
    out.slowest = std::max(out.slowest, seconds);
    out.squares += seconds * seconds;
    begin = end;
  }
  return out;
}

}  // namespace

TEST_CASE("partition: the dynamic program finds the best of all divisions") {
  std::mt19937 random(20261129);
  std::uniform_real_distribution<double> cost(0.0, 4.0);
  for (int round = 0; round < 150; ++round) {
    const std::size_t layers = 1 + random() % 10, parts = 1 + random() % 4;
    PartitionProblem problem;
    for (std::size_t i = 0; i < layers; ++i) problem.seconds.push_back(round % 3 == 0 ? 1.0 : cost(random));
    problem.extra.assign(parts, 0);
    problem.extra.front() += cost(random);
    problem.extra.back() += cost(random);
    if (round % 2 == 1) problem.may_hold = [&](std::size_t part, std::size_t begin, std::size_t end) { return end - begin <= 2 + part + round % 5; };
    Rated best;
    std::vector<long long> prefix;
    each_division(static_cast<long long>(layers), parts, prefix, [&](const std::vector<long long>& division) {
      const Rated rated = rate(problem, division);
      const bool is_faster = rated.slowest < best.slowest * (1 - 1e-9);
      const bool is_as_fast = rated.slowest <= best.slowest * (1 + 1e-9);
      if (is_faster || (is_as_fast && rated.squares < best.squares * (1 - 1e-9))) best = rated;
    });
    const std::optional<Partition> found = partition_layers(problem);
    CAPTURE(round);
    REQUIRE(found.has_value() == !best.layers.empty());
    if (!found) continue;
    const Rated rated = rate(problem, found->layers);
    CHECK(found->slowest == doctest::Approx(best.slowest));
    CHECK(rated.slowest == doctest::Approx(best.slowest));
    CHECK(rated.squares == doctest::Approx(best.squares));
    CHECK(std::accumulate(found->layers.begin(), found->layers.end(), 0LL) == static_cast<long long>(layers));
  }
}

TEST_CASE("partition: of equal divisions, early parts hold fewer layers") {
  const std::optional<Partition> found = partition_layers({std::vector<double>(7, 1.0), {0, 0, 0}});
  REQUIRE(found);
  CHECK(found->layers == std::vector<long long>{2, 2, 3});
}

TEST_CASE("partition: nothing if no division is permitted") {
  PartitionProblem problem{std::vector<double>(4, 1.0), {0, 0}};
  problem.may_hold = [](std::size_t, std::size_t begin, std::size_t end) { return end - begin < 2; };
  CHECK(!partition_layers(problem));
  CHECK(!partition_layers({{1.0}, {}}));
}

}  // namespace opledger
