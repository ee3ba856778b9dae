#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "search/assignment.h"
#include "search/part.h"

/// The columns that rows are computed on: candidates of a part that differ in its column axes alone.
namespace opledger {

/// The columns that belong to some rows: those that no early check refuses.
struct Tile {
  std::vector<std::vector<double>> inputs;        ///< By input of the tape; those of columns only.
  std::vector<std::vector<std::uint32_t>> ranks;  ///< The same, where the values stand in their domains.
  std::size_t count = 0, all = 0;                 ///< Columns that are left, and with those that were refused.
  std::vector<std::uint64_t> refused;             ///< By check.
  std::optional<StagedKernel::Columns> columns;   ///< Of tiles of one piece, once computed.
  std::vector<Stops::Key> keys;                   ///< By column, where an axis that stops is looked at.
};

/// All tiles of one part.
class Tiles {
 public:
  Tiles(const Space& space, const FreeAxes& free, const Part& part, const Stops& stops, bool ranked, Assignment& assignment, Listings& listings);

  /// The columns of a row depend on those of its values that their domains read. Null, with errors, if one can't be evaluated.
  Tile* of(AxisSet known, Diagnostics& diagnostics);

 private:
  const Listing* list(AxisSet known, Diagnostics& diagnostics);
  void sieve(const Listing& listing, Tile& tile);

  const Space& space_;
  const FreeAxes& free_;
  const Plan& plan_;
  Assignment& assignment_;
  Listings& listings_;
  AxisSet read_ = 0;  ///< By the domains of columns, or admitted together with them.
  bool ranked_;       ///< Whether ranks are wanted.
  Listing::Key key_;  ///< Of all their listings, but for values.
  std::map<std::vector<double>, std::unique_ptr<Tile>> tiles_;
  std::vector<std::vector<double>> holds_, spread_;  ///< Of the tile that is sieved; kept, since there are many.
  std::vector<std::uint32_t> left_;                  ///< Likewise: its columns that are not refused.
};

}  // namespace opledger
