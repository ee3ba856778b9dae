#pragma once
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "search/space/domains.h"

/// Which values two axes take together in some candidate of a space, without going over all candidates: what follows a choice is looked at once for all
/// choices that the later axes don't read.
namespace opledger {

class Cells {
 public:
  Cells(Space& space, Diagnostics& diagnostics);

  /// By two axes, the outer one first. Empty if they are too many to be found.
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::pair<double, double>>> take() { return std::move(cells_); }

 private:
  /// The values that axes from some one on take, given what they read.
  using Suffix = std::vector<std::set<double>>;

  const Suffix* visit(std::size_t axis);
  void join(std::size_t axis, const Suffix& suffix);

  Space& space_;
  Diagnostics& diagnostics_;
  Domains domains_;
  std::vector<double> values_;
  std::vector<AxisSet> read_;
  std::vector<std::map<std::vector<double>, Suffix>> known_;
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::pair<double, double>>> cells_;
  std::size_t steps_ = 0;
};

}  // namespace opledger
