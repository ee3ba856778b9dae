#include "formulas/evaluate/membership_index.h"

#include <algorithm>
#include <numeric>

namespace opledger {
namespace {

/// Up to this number of elements, a scan is faster than an index.
constexpr std::size_t kFew = 16;

std::vector<WordId> all_of(const Elements& elements) {
  std::vector<WordId> out(elements.names.size());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

}  // namespace

MembershipIndex::MembershipIndex(const Elements& elements) : MembershipIndex(elements, all_of(elements)) {}

MembershipIndex::MembershipIndex(const Elements& elements, std::vector<WordId> some) : all_(std::move(some)) {
  for (const auto& [set, words] : elements.belongs) columns_.push_back({set, words.data()});
  by_word_.resize(columns_.size());
}

std::vector<WordId> MembershipIndex::at(const Point& point) {
  // Returns the elements that belong to every chosen word of the point. The intersection scans the shortest list, of
  // the chosen word with the fewest elements, and tests each element against all chosen words. A set of at most kFew
  // elements is scanned without an index. Elements keep their order, because each list has the order of `all_`, the
  // indexed elements.
  std::array<std::pair<WordId, const WordId*>, kMaxSets> required;  // chosen words, and the words of the elements
  std::size_t n = 0;
  bool sorted = false;
  std::span<const WordId> fewest;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const WordId chosen = point[columns_[c].of];
    if (chosen < 0) continue;
    required[n++] = {chosen, columns_[c].words};
    if (all_.size() <= kFew) continue;
    const std::span<const WordId> own = of(c, chosen);
    if (!sorted || own.size() < fewest.size()) fewest = own;
    sorted = true;
  }
  const auto agrees = [&](WordId e) {
    return std::all_of(required.begin(), required.begin() + static_cast<std::ptrdiff_t>(n), [e](const auto& w) { return w.second[e] == w.first; });
  };
  if (!sorted) fewest = all_;
  std::vector<WordId> out;
  out.reserve(fewest.size());
  std::copy_if(fewest.begin(), fewest.end(), std::back_inserter(out), agrees);
  return out;
}

std::span<const WordId> MembershipIndex::of(std::size_t column, WordId word) {
  ByWord& sorted = by_word_[column];
  if (sorted.first.empty()) sort_by_word(column);
  const auto w = static_cast<std::size_t>(word);
  if (w + 1 >= sorted.first.size()) return {};
  return std::span(sorted.elements).subspan(sorted.first[w], sorted.first[w + 1] - sorted.first[w]);
}

void MembershipIndex::sort_by_word(std::size_t column) {
  // Sorts the elements by their word in a column, by a counting sort: stable, and linear in the number of elements and
  // words. Elements without a word are left out. Afterwards word w has the elements at positions from `first[w]` to
  // before `first[w + 1]`.
  const WordId* const words = columns_[column].words;
  WordId last = -1;
  for (const WordId e : all_) last = std::max(last, words[e]);
  ByWord& sorted = by_word_[column];
  sorted.first.assign(static_cast<std::size_t>(last + 1) + 1, 0);
  for (const WordId e : all_) {
    if (words[e] >= 0) ++sorted.first[static_cast<std::size_t>(words[e]) + 1];
  }
  std::partial_sum(sorted.first.begin(), sorted.first.end(), sorted.first.begin());
  sorted.elements.resize(sorted.first.back());
  std::vector<std::uint32_t> next(sorted.first.begin(), sorted.first.end() - 1);
  for (const WordId e : all_) {
    if (words[e] >= 0) sorted.elements[next[static_cast<std::size_t>(words[e])]++] = e;
  }
}

}  // namespace opledger
