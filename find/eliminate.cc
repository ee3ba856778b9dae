#include "find/eliminate.h"

#include <algorithm>
#include <limits>

namespace opledger {
namespace {

constexpr double kForbiddenCost = std::numeric_limits<double>::infinity();

/// Bucket elimination (Dechter 1999), also called variable elimination. One variable after another is removed: the
/// tables with the variable are added, and the minimum over its states is a new table over their other variables. The
/// last table is a number, the least cost. The joint table of a bucket is enumerated row by row and never stored, so
/// memory holds only the minima. A second pass, from the last bucket to the first, passes to each bucket the least cost
/// of everything outside it; with this the min-marginal of every variable is a minimum over its own bucket.
class BucketElimination {
 public:
  BucketElimination(const FactorProblem& problem, const EliminationOptions& options) : variables_(problem.variables) {
    std::vector<const Factor*> factors;
    for (const Factor& factor : problem.cost) factors.push_back(&factor), parts_.push_back({&factor, 1});
    for (const Factor& factor : problem.size) {
      if (options.multiplier != 0) factors.push_back(&factor), parts_.push_back({&factor, options.multiplier});
    }
    plan_ = plan_elimination(variables_, factors, options.most_entries);
    if (!plan_.error.empty()) return;
    messages_.reserve(plan_.buckets.size());  // `parts_` has the addresses of messages.
    for (const Bucket& bucket : plan_.buckets) {
      messages_.push_back({{}, bucket.scope, project(bucket, parts_of(bucket.tables), bucket.scope)});
      parts_.push_back({&messages_.back(), 1});
    }
  }

  const std::string& error() const { return plan_.error; }

  double cost() const { return rest_without(parts_.size()); }

  /// Returns an assignment with the least cost. From the last bucket to the first, each variable takes the first state
  /// that minimizes its bucket, whose other variables are already assigned.
  StateChoice states() const {
    StateChoice out(variables_.size(), 0);
    for (auto bucket = plan_.buckets.rbegin(); bucket != plan_.buckets.rend(); ++bucket) {
      double least = kForbiddenCost;
      std::size_t best = 0;
      for (std::size_t state = 0; state < variables_[bucket->variable].states; ++state) {
        out[bucket->variable] = state;
        double sum = 0;
        for (const Part& part : parts_of(bucket->tables)) sum += part.weight * part.table->entries[position_of(variables_, part.table->variables, out)];
        if (sum < least) least = sum, best = state;
      }
      out[bucket->variable] = best;
    }
    return out;
  }

  std::vector<std::vector<double>> marginals() const {
    std::vector<std::vector<double>> out(variables_.size(), {cost()});  // For variables of one state.
    const std::size_t count = plan_.buckets.size(), first_message = parts_.size() - count;
    std::vector<Factor> outside(count);  // Of each bucket over its scope: the least cost of all tables outside the bucket and those below it.
    for (const std::size_t table : plan_.rest) {
      if (table >= first_message) outside[table - first_message].entries = {rest_without(table)};
    }
    for (std::size_t b = count; b-- > 0;) {
      const Bucket& bucket = plan_.buckets[b];
      std::vector<Part> parts = parts_of(bucket.tables);
      parts.push_back({&outside[b], 1});
      out[bucket.variable] = project(bucket, parts, {bucket.variable});
      for (std::size_t k = 0; k < bucket.tables.size(); ++k) {
        if (bucket.tables[k] < first_message) continue;
        const std::size_t inner = bucket.tables[k] - first_message;
        std::vector<Part> others = parts;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
        outside[inner] = {{}, plan_.buckets[inner].scope, project(bucket, others, plan_.buckets[inner].scope)};
      }
    }
    return out;
  }

 private:
  /// A table whose entries count with a weight.
  struct Part {
    const Factor* table = nullptr;
    double weight = 1;
  };

  std::vector<Part> parts_of(const std::vector<std::size_t>& tables) const {
    std::vector<Part> out;
    for (const std::size_t table : tables) out.push_back(parts_[table]);
    return out;
  }

  /// Returns the sum of the tables without a variable, except the table `excluded`.
  double rest_without(std::size_t excluded) const {
    double out = 0;
    for (const std::size_t table : plan_.rest) {
      if (table != excluded) out += parts_[table].weight * parts_[table].table->entries.front();
    }
    return out;
  }

  /// Returns the minimum of the sum of tables over all variables of the bucket but `target`, as a table over `target`.
  std::vector<double> project(const Bucket& bucket, const std::vector<Part>& parts, const std::vector<std::size_t>& target) const {
    std::vector<const std::vector<std::size_t>*> scopes = {&target};
    std::vector<std::size_t> strides = {stride_of(variables_, target, bucket.variable)};
    for (const Part& part : parts) {
      scopes.push_back(&part.table->variables);
      strides.push_back(stride_of(variables_, part.table->variables, bucket.variable));
    }
    std::vector<double> out(static_cast<std::size_t>(combinations(variables_, target)), kForbiddenCost);
    std::vector<double> row(variables_[bucket.variable].states);
    Odometer odometer(variables_, bucket.scope, scopes);
    do {
      std::fill(row.begin(), row.end(), 0.0);
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const double* const entries = parts[k].table->entries.data() + odometer.positions()[k + 1];
        for (std::size_t state = 0; state < row.size(); ++state) row[state] += parts[k].weight * entries[state * strides[k + 1]];
      }
      double* const least = out.data() + odometer.positions()[0];
      for (std::size_t state = 0; state < row.size(); ++state) least[state * strides[0]] = std::min(least[state * strides[0]], row[state]);
    } while (odometer.advance());
    return out;
  }

  const std::vector<Variable>& variables_;
  EliminationPlan plan_;
  std::vector<Factor> messages_;  ///< The result of each bucket.
  std::vector<Part> parts_;       ///< All tables: costs, sizes, messages.
};

}  // namespace

Elimination eliminate(const FactorProblem& problem, const EliminationOptions& options) {
  const BucketElimination run(problem, options);
  if (!run.error().empty()) return {kForbiddenCost, {}, run.error()};
  Elimination out{run.cost(), {}, {}};
  if (out.cost < kForbiddenCost) out.states = run.states();
  return out;
}

MinMarginals min_marginals(const FactorProblem& problem, const EliminationOptions& options) {
  const BucketElimination run(problem, options);
  if (!run.error().empty()) return {{}, run.error()};
  return {run.marginals(), {}};
}

}  // namespace opledger
