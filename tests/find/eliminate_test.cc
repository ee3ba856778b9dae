#include "find/eliminate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "tests/find/random_factors.h"

/// Elimination against all assignments of random problems.
namespace opledger {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

double cost_of(const FactorProblem& problem, const StateChoice& states, double multiplier) {
  const double size = multiplier == 0 ? 0 : multiplier * total(problem.variables, problem.size, states);
  return total(problem.variables, problem.cost, states) + size;
}

}  // namespace

TEST_CASE("eliminate: the least cost and all min-marginals of random problems") {
  std::mt19937 random(20261130);
  int forbidden = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const FactorProblem problem = random_problem(random);
    const double multiplier = round % 3 == 0 ? 0.125 : 0;
    double least = kNone;
    std::vector<std::vector<double>> with_state;
    for (const Variable& variable : problem.variables) with_state.emplace_back(variable.states, kNone);
    each_assignment(problem, [&](const StateChoice& states) {
      const double cost = cost_of(problem, states, multiplier);
      least = std::min(least, cost);
      for (std::size_t v = 0; v < states.size(); ++v) with_state[v][states[v]] = std::min(with_state[v][states[v]], cost);
    });
    const Elimination found = eliminate(problem, {multiplier});
    CHECK(found.error.empty());
    CHECK(found.cost == least);
    if (least < kNone) {
      REQUIRE(found.states.size() == problem.variables.size());
      CHECK(cost_of(problem, found.states, multiplier) == least);
    } else {
      CHECK(found.states.empty());
      ++forbidden;
    }
    CHECK(min_marginals(problem, {multiplier}).cost == with_state);
    CHECK(eliminate(problem, {multiplier}).states == found.states);
  }
  CHECK(forbidden > 0);
}

TEST_CASE("eliminate: of equal states, the first") {
  const FactorProblem problem{{{"a", 3}, {"b", 2}, {"single", 1}}, {{"t", {0, 1, 2}, {2, 1, 1, 1, 1, 1}}}, {}};
  CHECK(eliminate(problem).states == StateChoice{1, 0, 0});
}

TEST_CASE("eliminate: variables without tables") {
  const FactorProblem problem{{{"a", 3}, {"b", 1}}, {}, {}};
  CHECK(eliminate(problem).cost == 0);
  CHECK(eliminate(problem).states == StateChoice{0, 0});
  CHECK(min_marginals(problem).cost == std::vector<std::vector<double>>{{0, 0, 0}, {0}});
  CHECK(eliminate({}).cost == 0);
}

TEST_CASE("eliminate: an error names the variable and the tables that are too wide") {
  FactorProblem problem;
  for (int v = 0; v < 12; ++v) problem.variables.push_back({"node " + std::to_string(v), 9});
  for (std::size_t a = 0; a < 12; ++a) {
    for (std::size_t b = 0; b < a; ++b) problem.cost.push_back({"pair " + std::to_string(a) + " " + std::to_string(b), {a, b}, std::vector<double>(81, 1)});
  }
  const Elimination found = eliminate(problem);
  CHECK(found.states.empty());
  CHECK(found.error.find("`node 0`") != std::string::npos);
  CHECK(found.error.find("pair 1 0") != std::string::npos);
  CHECK(!min_marginals(problem).error.empty());
}

TEST_CASE("eliminate: a long chain takes no wide table") {
  FactorProblem problem;
  for (std::size_t v = 0; v < 400; ++v) {
    problem.variables.push_back({"v", 9});
    if (v == 0) continue;
    Factor factor{"chain", {v, v - 1}, {}};
    for (int k = 0; k < 81; ++k) factor.entries.push_back((k * 37 + static_cast<int>(v) * 11) % 64);
    problem.cost.push_back(std::move(factor));
  }
  const Elimination found = eliminate(problem, {0, 81});
  REQUIRE(found.error.empty());
  CHECK(total(problem.variables, problem.cost, found.states) == found.cost);
  const MinMarginals marginals = min_marginals(problem, {0, 81});
  for (std::size_t v = 0; v < 400; ++v) {
    CHECK(*std::min_element(marginals.cost[v].begin(), marginals.cost[v].end()) == found.cost);
    CHECK(marginals.cost[v][found.states[v]] == found.cost);
  }
}

}  // namespace opledger
