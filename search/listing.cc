#include "search/listing.h"

#include <algorithm>

namespace opledger {
namespace {

constexpr std::size_t kMostKept = 1 << 19;  // columns

}  // namespace

const Listing* Listings::find(const Listing::Key& key) const {
  const auto found = std::find_if(last_.begin(), last_.end(), [&](const Listing& listing) { return listing.key == key; });
  return found != last_.end() ? &*found : nullptr;
}

const Listing& Listings::keep(Listing listing) {
  last_.push_front(std::move(listing));
  std::size_t columns = last_.front().all, kept = 1;
  while (kept < last_.size() && columns + last_[kept].all <= kMostKept) columns += last_[kept++].all;
  last_.resize(kept);
  return last_.front();
}

}  // namespace opledger
