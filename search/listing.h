#pragma once
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "search/region.h"

/// Columns as they are listed, before any is refused. Parts of different structures often have the same, so the last ones are kept.
namespace opledger {

struct Listing {
  /// What decides it.
  struct Key {
    std::uint64_t stretch = 0;
    AxisSet late = 0;                                    ///< The axes of columns,
    AxisSet settled = 0;                                 ///< those that stop and have,
    std::vector<std::pair<std::size_t, double>> values;  ///< known axes that are read,
    std::vector<Filter> filters;                         ///< and what the region leaves of columns: last, since to compare them takes longest.
    bool operator==(const Key&) const = default;
  };

  Key key;
  std::vector<std::vector<double>> inputs;        ///< By input of the tape; those of columns only.
  std::vector<std::vector<std::uint32_t>> ranks;  ///< The same, where the values stand in their domains.
  std::size_t all = 0;                            ///< Columns.
};

/// Every thread has its own.
class Listings {
 public:
  /// Null: it isn't here.
  const Listing* find(const Listing::Key& key) const;
  /// Holds it until the next ones need the room.
  const Listing& keep(Listing listing);

 private:
  std::deque<Listing> last_;  ///< The newest in front.
};

}  // namespace opledger
