#include "find/elimination_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace opledger {
namespace {

constexpr std::size_t kMostNamedTables = 8;  // Names of tables in an error.

/// Returns the names of the factors from which a bucket's tables were made, directly or through earlier buckets, and
/// that have a variable of the bucket.
std::string wide_tables(const EliminationPlan& plan, const Bucket& bucket, const std::vector<const Factor*>& factors) {
  std::vector<std::string> names;
  std::vector<std::size_t> open = bucket.tables;
  while (!open.empty()) {
    const std::size_t table = open.back();
    open.pop_back();
    if (table >= factors.size()) {
      const std::vector<std::size_t>& inner = plan.buckets[table - factors.size()].tables;
      open.insert(open.end(), inner.begin(), inner.end());
      continue;
    }
    const std::vector<std::size_t>& variables = factors[table]->variables;
    const bool touches = std::any_of(variables.begin(), variables.end(),
                                     [&](std::size_t v) { return v == bucket.variable || std::binary_search(bucket.scope.begin(), bucket.scope.end(), v); });
    if (touches && variables.size() > 1) names.push_back(factors[table]->name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() > kMostNamedTables) {
    const std::size_t others = names.size() - kMostNamedTables;
    names.resize(kMostNamedTables);
    names.push_back(fmt::format("and {} others", others));
  }
  return join(names, ", ");
}

/// A planner that simulates the elimination on scopes alone. Each table is a set of variables; eliminating a variable
/// replaces its tables by their union without the variable. Each step compares all remaining variables, and updates the
/// neighbors of the eliminated one.
class Planner {
 public:
  Planner(const std::vector<Variable>& variables, const std::vector<const Factor*>& factors)
      : variables_(variables), factors_(factors), tables_(variables.size()) {
    for (const Factor* factor : factors) add(factor->variables);
  }

  EliminationPlan plan(double most_entries) {
    std::set<std::size_t> left;
    for (std::size_t v = 0; v < variables_.size(); ++v) {
      if (variables_[v].states > 1) left.insert(v);
    }
    std::vector<double> entries(variables_.size());  // Combinations that the elimination of each variable enumerates now.
    const auto update = [&](std::size_t v) { entries[v] = combinations(variables_, bucket_of(v).scope) * static_cast<double>(variables_[v].states); };
    for (const std::size_t v : left) update(v);
    EliminationPlan out;
    while (!left.empty()) {
      Bucket next = bucket_of(*std::min_element(left.begin(), left.end(), [&](std::size_t a, std::size_t b) { return entries[a] < entries[b]; }));
      const double least = entries[next.variable];
      if (least > most_entries) {
        out.error = fmt::format("table of {:.1e} entries over {} choices for `{}`, and {:.0e} is the limit; these tables make it wide: {}", least,
                                next.scope.size() + 1, variables_[next.variable].name, most_entries, wide_tables(out, next, factors_));
        return out;
      }
      left.erase(next.variable);
      for (const std::size_t v : next.scope) {
        for (const std::size_t table : next.tables) tables_[v].erase(table);
      }
      add(next.scope);
      for (const std::size_t v : next.scope) update(v);
      out.buckets.push_back(std::move(next));
    }
    for (std::size_t table = 0; table < scopes_.size(); ++table) {
      if (scopes_[table].empty()) out.rest.push_back(table);
    }
    return out;
  }

 private:
  void add(const std::vector<std::size_t>& scope) {
    std::vector<std::size_t>& several = scopes_.emplace_back();
    for (const std::size_t v : scope) {
      if (variables_[v].states == 1) continue;
      several.push_back(v);
      tables_[v].insert(scopes_.size() - 1);
    }
  }

  Bucket bucket_of(std::size_t variable) const {
    std::set<std::size_t> scope;
    for (const std::size_t table : tables_[variable]) scope.insert(scopes_[table].begin(), scopes_[table].end());
    scope.erase(variable);
    return {variable, {scope.begin(), scope.end()}, {tables_[variable].begin(), tables_[variable].end()}};
  }

  const std::vector<Variable>& variables_;
  const std::vector<const Factor*>& factors_;
  std::vector<std::vector<std::size_t>> scopes_;  ///< Variables of each table, without variables of one state.
  std::vector<std::set<std::size_t>> tables_;     ///< Tables with each variable that no bucket has read yet.
};

}  // namespace

double total(const std::vector<Variable>& variables, const std::vector<Factor>& factors, const StateChoice& states) {
  double out = 0;
  for (const Factor& factor : factors) out += factor.entries[position_of(variables, factor.variables, states)];
  return out;
}

std::size_t stride_of(const std::vector<Variable>& variables, const std::vector<std::size_t>& table, std::size_t variable) {
  std::size_t stride = 1;
  for (auto v = table.rbegin(); v != table.rend(); ++v) {
    if (*v == variable) return stride;
    stride *= variables[*v].states;
  }
  return 0;
}

std::size_t position_of(const std::vector<Variable>& variables, const std::vector<std::size_t>& table, const StateChoice& states) {
  std::size_t out = 0;
  for (const std::size_t v : table) out = out * variables[v].states + states[v];
  return out;
}

double combinations(const std::vector<Variable>& variables, const std::vector<std::size_t>& scope) {
  double out = 1;
  for (const std::size_t v : scope) out *= static_cast<double>(variables[v].states);
  return out;
}

EliminationPlan plan_elimination(const std::vector<Variable>& variables, const std::vector<const Factor*>& factors, double most_entries) {
  return Planner(variables, factors).plan(most_entries);
}

Odometer::Odometer(const std::vector<Variable>& variables, const std::vector<std::size_t>& scope, const std::vector<const std::vector<std::size_t>*>& tables)
    : positions_(tables.size(), 0) {
  for (const std::size_t v : scope) {
    Digit digit{0, variables[v].states, {}};
    for (const std::vector<std::size_t>* table : tables) digit.strides.push_back(stride_of(variables, *table, v));
    digits_.push_back(std::move(digit));
  }
}

bool Odometer::advance() {
  for (auto digit = digits_.rbegin(); digit != digits_.rend(); ++digit) {
    const bool carries = ++digit->state == digit->states;
    for (std::size_t table = 0; table < positions_.size(); ++table) {
      if (carries) {
        positions_[table] -= digit->strides[table] * (digit->states - 1);
      } else {
        positions_[table] += digit->strides[table];
      }
    }
    if (!carries) return true;
    digit->state = 0;
  }
  return false;
}

}  // namespace opledger
