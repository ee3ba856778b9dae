#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/space/counter.h"
#include "search/space/stretch.h"

/// Cuts a space into stretches, runs of consecutive candidates of limited length. Results are merged by stretch, processes share a search by stretch, and a
/// stored search continues after its last complete stretch. The cuts depend on the space alone.
namespace opledger {

class Stretches {
 public:
  explicit Stretches(Space& space);

  /// Limits the candidates of a stretch. Must be called before `next`; without it the whole space is one stretch.
  void cut_at(std::uint64_t most) { most_ = most; }

  /// Keeps candidates that agree on all axes before `axis` in one stretch, whatever their number.
  void cut_before(std::size_t axis) { whole_ = axis; }

  /// Returns the next stretch. Returns nothing at the end, or with errors if a domain can't be computed.
  std::optional<Stretch> next(Diagnostics& diagnostics);

  std::uint64_t made() const { return made_; }  ///< Number of stretches so far.

  /// Returns the number of candidates, or 0 if counting takes too long. Returns nothing, with errors, above kMostCandidates or if a domain can't be computed.
  std::optional<std::uint64_t> total(Diagnostics& diagnostics);

  /// Reports an error about a space without candidates: the first axis without a value.
  void tell_why_none(Diagnostics& diagnostics) const;

 private:
  std::string why_refused(const SpaceAxis& axis, const std::vector<double>& values) const;

  /// The values of an axis, and the position in them.
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
  std::vector<Level> levels_;  ///< One level for each axis that has a value, and the next one.
  bool begun_ = false;
};

}  // namespace opledger
