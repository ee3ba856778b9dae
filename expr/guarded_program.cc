#include "expr/guarded_program.h"

#include <algorithm>
#include <cmath>

namespace opledger {
namespace {

std::vector<Scalar> conditions(std::span<const Tape::Guard> guards) {
  std::vector<Scalar> out;
  for (const Tape::Guard& guard : guards) out.push_back(guard.condition);
  return out;
}

/// Returns whether two values are equal, NaN included: a candidate must agree with itself.
bool agree(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

Guards::Guards(const Tape& tape, std::span<const Tape::Guard> guards) : kernel_(tape, conditions(guards)) {
  for (const Tape::Guard& guard : guards) values_.push_back(guard.value);
}

bool Guards::hold(const std::vector<double>& inputs) const {
  const std::vector<double> results = kernel_.run(inputs);
  return std::equal(results.begin(), results.end(), values_.begin(), agree);
}

std::vector<bool> Guards::hold(std::span<const double* const> inputs, std::size_t count) const {
  // Evaluates all guards for all candidates as blocks, then compares each result with the value recorded for the
  // sample.
  std::vector<std::vector<double>> results(values_.size(), std::vector<double>(count));
  std::vector<double*> out;
  for (auto& result : results) out.push_back(result.data());
  kernel_.run(inputs, out, count);
  std::vector<bool> all(count, true);
  for (std::size_t g = 0; g < values_.size(); ++g) {
    for (std::size_t c = 0; c < count; ++c) all[c] = all[c] && agree(results[g][c], values_[g]);
  }
  return all;
}

}  // namespace opledger
