#pragma once
#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "find/factors.h"

/// Random problems, and all assignments of small ones.
namespace opledger {

/// Returns a problem whose tables form a tree, or cliques of two to five variables. One entry in seven is forbidden in
/// every second problem. Costs are multiples of 1/64 and sizes are integers, so sums are exact in any order.
inline FactorProblem random_problem(std::mt19937& random) {
  FactorProblem out;
  const std::size_t count = 1 + random() % 7, most_states = count > 5 ? 4 : 9;
  const bool has_forbidden = random() % 2 == 0, is_tree = random() % 2 == 0;
  for (std::size_t v = 0; v < count; ++v) out.variables.push_back({"v" + std::to_string(v), 1 + random() % most_states});
  const auto add = [&](std::vector<Factor>& book, std::vector<std::size_t> variables, bool may_forbid) {
    Factor factor{"t" + std::to_string(out.cost.size() + out.size.size()), std::move(variables), {}};
    std::size_t entries = 1;
    for (const std::size_t v : factor.variables) entries *= out.variables[v].states;
    for (std::size_t k = 0; k < entries; ++k) {
      const bool is_forbidden = may_forbid && random() % 7 == 0;
      factor.entries.push_back(is_forbidden ? std::numeric_limits<double>::infinity() : static_cast<double>(random() % 1000) / (may_forbid ? 64 : 1));
    }
    book.push_back(std::move(factor));
  };
  for (std::size_t v = 0; v < count; ++v) {
    add(out.cost, {v}, has_forbidden);
    add(out.size, {v}, false);
    if (is_tree && v > 0) add(random() % 2 == 0 ? out.cost : out.size, {v, random() % v}, false);
  }
  for (std::size_t clique = 0; !is_tree && clique < 3; ++clique) {
    std::vector<std::size_t> members(count);
    for (std::size_t v = 0; v < count; ++v) members[v] = v;
    std::shuffle(members.begin(), members.end(), random);
    members.resize(std::min<std::size_t>(count, 2 + random() % 4));
    add(clique == 1 ? out.size : out.cost, members, has_forbidden && clique == 0);
  }
  return out;
}

/// Calls `visit` with each assignment in lexicographic order.
template <class Visit>
void each_assignment(const FactorProblem& problem, Visit&& visit) {
  StateChoice states(problem.variables.size(), 0);
  for (;;) {
    visit(states);
    std::size_t v = states.size();
    while (v-- > 0) {
      if (++states[v] < problem.variables[v].states) break;
      states[v] = 0;
    }
    if (v == static_cast<std::size_t>(-1)) return;
  }
}

}  // namespace opledger
