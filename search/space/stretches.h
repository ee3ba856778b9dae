#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/space/counter.h"
#include "search/space/stretch.h"

/// A space cut into stretches: candidates that follow each other in its order, at most so many of them. What is found is put together stretch by stretch,
/// a search is shared among machines by stretches, and continued behind the last one that is done. How they are cut depends on the space alone.
namespace opledger {

class Stretches {
 public:
  explicit Stretches(Space& space);

  /// So many candidates at most, before the first one is taken. They are all one stretch otherwise.
  void cut_at(std::uint64_t most) { most_ = most; }

  /// Those that agree on the axes before this one stay together, however many they are.
  void cut_before(std::size_t axis) { whole_ = axis; }

  /// The next one; empty at the end, or with errors if a domain can't be made.
  std::optional<Stretch> next(Diagnostics& diagnostics);

  std::uint64_t made() const { return made_; }  ///< Stretches so far.

  /// All candidates of the space; 0 if that takes too long to count; more than kMostCandidates: an error. Empty then, or if a domain can't be made.
  std::optional<std::uint64_t> total(Diagnostics& diagnostics);

  /// Of a space that turned out to have no candidate: an error.
  void tell_why_none(Diagnostics& diagnostics) const;

 private:
  std::string why_refused(const SpaceAxis& axis, const std::vector<double>& values) const;

  /// An axis whose values are gone through one by one or a few at a time.
  struct Level {
    std::vector<double> domain;
    std::size_t at = 0;
  };

  bool descend(Diagnostics& diagnostics);
  std::optional<std::uint64_t> below(double value, std::uint64_t most, Diagnostics& diagnostics);
  Stretch cut(std::size_t from, std::size_t to, std::uint64_t candidates);

  Space& space_;
  std::uint64_t most_ = kMostCandidates, made_ = 0;
  std::size_t whole_ = kMaxSpaceAxes;
  std::vector<double> values_;
  Domains domains_;
  Counter counter_;
  std::vector<Level> levels_;  ///< By axis: those before the last one have a value.
  bool begun_ = false;
};

}  // namespace opledger
