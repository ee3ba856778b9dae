#include "find/pareto.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "find/eliminate.h"
#include "tests/find/random_factors.h"

/// Fronts against all assignments of random problems.
namespace opledger {
namespace {

/// Returns the least cost of each size on the front, by enumeration.
std::vector<std::pair<double, double>> enumerated(const FactorProblem& problem, double bound) {
  std::map<double, double> least;
  each_assignment(problem, [&](const StateChoice& states) {
    const double size = total(problem.variables, problem.size, states), cost = total(problem.variables, problem.cost, states);
    if (size > bound || cost == std::numeric_limits<double>::infinity()) return;
    const auto [at, fresh] = least.try_emplace(size, cost);
    if (!fresh) at->second = std::min(at->second, cost);
  });
  std::vector<std::pair<double, double>> out;
  for (const auto& point : least) {
    if (out.empty() || point.second < out.back().second) out.push_back(point);
  }
  return out;
}

std::vector<std::pair<double, double>> figures(const FactorProblem& problem, const ParetoFront& front) {
  std::vector<std::pair<double, double>> out;
  for (const ParetoPoint& point : front.points) {
    CHECK(total(problem.variables, problem.size, point.states) == point.size);
    CHECK(total(problem.variables, problem.cost, point.states) == point.cost);
    out.emplace_back(point.size, point.cost);
  }
  return out;
}

}  // namespace

TEST_CASE("pareto: the fronts of random problems, with and without a bound") {
  std::mt19937 random(20261201);
  std::size_t empty = 0, longest = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const FactorProblem problem = random_problem(random);
    const auto whole = enumerated(problem, std::numeric_limits<double>::infinity());
    const ParetoFront front = pareto(problem);
    CHECK(front.error.empty());
    CHECK(figures(problem, front) == whole);
    longest = std::max(longest, whole.size());
    if (whole.empty()) {
      ++empty;
      continue;
    }
    CHECK(front.points.back().cost == eliminate(problem).cost);
    for (const double bound : {whole.front().first - 1, whole.front().first, whole[whole.size() / 2].first, whole.back().first + 1}) {
      CHECK(figures(problem, pareto(problem, {bound})) == enumerated(problem, bound));
    }
  }
  CHECK(empty > 0);
  CHECK(longest > 10);
}

TEST_CASE("pareto: rounded fronts stay within the bound, and lose at most the resolution of each table") {
  std::mt19937 random(20261202);
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    const FactorProblem problem = random_problem(random);
    const auto whole = enumerated(problem, std::numeric_limits<double>::infinity());
    if (whole.empty()) continue;
    const double resolution = 32, bound = whole[whole.size() / 2].first;
    const double slack = resolution * static_cast<double>(problem.size.size());
    const ParetoFront front = pareto(problem, {bound, resolution});
    for (const auto& [size, cost] : figures(problem, front)) CHECK(size <= bound);
    // A point that is smaller than the bound by the slack has a rounded point that is as cheap and larger by the slack at most.
    for (const auto& [size, cost] : whole) {
      if (size + slack > bound) break;
      CHECK(std::any_of(front.points.begin(), front.points.end(), [&](const ParetoPoint& point) { return point.cost <= cost && point.size <= size + slack; }));
    }
  }
}

TEST_CASE("pareto: limits of fronts are errors") {
  FactorProblem problem;
  for (std::size_t v = 0; v < 24; ++v) {
    problem.variables.push_back({"v", 2});
    problem.size.push_back({"size", {v}, {0, static_cast<double>(1 << v)}});
    problem.cost.push_back({"cost", {v}, {static_cast<double>(1 << v), 0}});
  }
  ParetoOptions options;
  options.most_points = 1000;
  CHECK(pareto(problem, options).error.find("1000 is the limit") != std::string::npos);
  options.most_points = 1 << 20, options.most_sums = 5000;
  CHECK(pareto(problem, options).error.find("5000 points") != std::string::npos);
  CHECK(pareto(problem, options).points.empty());
  // A coarse resolution keeps the front short.
  options.resolution = 1 << 18, options.bound = 1 << 24;
  CHECK(pareto(problem, options).error.empty());
  CHECK(!pareto(problem, options).points.empty());
}

TEST_CASE("pareto: of equal points, the one with the first states") {
  const FactorProblem problem{{{"a", 3}, {"b", 2}}, {{"cost", {0}, {2, 1, 1}}}, {{"size", {1}, {5, 5}}}};
  const ParetoFront front = pareto(problem);
  REQUIRE(front.points.size() == 1);
  CHECK(front.points.front().states == StateChoice{1, 0});
  CHECK(front.points.front().size == 5);
}

}  // namespace opledger
