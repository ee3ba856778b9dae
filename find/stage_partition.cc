#include "find/stage_partition.h"

#include <algorithm>
#include <limits>

namespace opledger {
namespace {

constexpr double kForbidden = std::numeric_limits<double>::infinity();
constexpr double kEqual = 1e-12;  // Relative difference below which two divisions are equally good.

/// A dynamic program over the parts. The state after `part` parts is the number of layers that they hold; its value is
/// the least cost of those parts. A transition gives the next part a range of layers. The cost is
/// O(parts x layers^2), and the cuts of the best division are read backward from the recorded choices.
class Divider {
 public:
  explicit Divider(const PartitionProblem& problem) : problem_(problem), before_{0} {
    for (const double seconds : problem.seconds) before_.push_back(before_.back() + seconds);
  }

  /// Returns the number of layers of each part with the least value. `combine(value, seconds)` extends a value by a
  /// part; parts that take more than `limit` seconds are forbidden. Empty if no division is permitted.
  template <class Combine>
  std::vector<long long> divide(double limit, Combine&& combine) const {
    const std::size_t layers = problem_.seconds.size(), parts = problem_.extra.size();
    std::vector<double> value(layers + 1, kForbidden);
    value[0] = 0;
    std::vector<std::vector<std::size_t>> cuts;  // The begin of each part, by its end.
    for (std::size_t part = 0; part < parts; ++part) {
      std::vector<double> next(layers + 1, kForbidden);
      std::vector<std::size_t> cut(layers + 1, 0);
      for (std::size_t end = 0; end <= layers; ++end) {
        for (std::size_t begin = 0; begin <= end; ++begin) {
          const double seconds = seconds_of(part, begin, end);
          if (value[begin] == kForbidden || seconds > limit || (problem_.may_hold && !problem_.may_hold(part, begin, end))) continue;
          const double extended = combine(value[begin], seconds);
          // Of equal values the first one stays: it cuts earliest, so earlier parts hold fewer layers.
          if (next[end] == kForbidden || extended < next[end] * (1 - kEqual)) next[end] = extended, cut[end] = begin;
        }
      }
      value = std::move(next);
      cuts.push_back(std::move(cut));
    }
    if (value[layers] == kForbidden) return {};
    std::vector<long long> out;
    for (std::size_t part = parts, end = layers; part-- > 0; end = cuts[part][end]) out.push_back(static_cast<long long>(end - cuts[part][end]));
    std::reverse(out.begin(), out.end());
    return out;
  }

  /// Returns the seconds of the slowest part of a division.
  double slowest(const std::vector<long long>& layers) const {
    double out = 0;
    std::size_t begin = 0;
    for (std::size_t part = 0; part < layers.size(); ++part) {
      const std::size_t end = begin + static_cast<std::size_t>(layers[part]);
      out = std::max(out, seconds_of(part, begin, end));
      begin = end;
    }
    return out;
  }

 private:
  double seconds_of(std::size_t part, std::size_t begin, std::size_t end) const { return before_[end] - before_[begin] + problem_.extra[part]; }

  const PartitionProblem& problem_;
  std::vector<double> before_;  ///< Seconds of the layers before each layer.
};

}  // namespace

/// Two passes of the same program: the first finds the least slowest part, the second the least sum of squares among
/// divisions whose parts are not slower.
std::optional<Partition> partition_layers(const PartitionProblem& problem) {
  if (problem.extra.empty()) return std::nullopt;
  const Divider divider(problem);
  const std::vector<long long> fastest = divider.divide(kForbidden, [](double value, double seconds) { return std::max(value, seconds); });
  if (fastest.empty()) return std::nullopt;
  const double limit = divider.slowest(fastest) * (1 + 1e-9);
  Partition out;
  out.layers = divider.divide(limit, [](double value, double seconds) { return value + seconds * seconds; });
  out.slowest = divider.slowest(out.layers);
  return out;
}

}  // namespace opledger
