#include "formulas/evaluate/belongings.h"

#include <algorithm>
#include <numeric>

namespace opledger {
namespace {

/// So few are gone over sooner than they are sorted.
constexpr std::size_t kFew = 16;

std::vector<WordId> all_of(const Elements& elements) {
  std::vector<WordId> out(elements.names.size());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

}  // namespace

Belongings::Belongings(const Elements& elements) : Belongings(elements, all_of(elements)) {}

Belongings::Belongings(const Elements& elements, std::vector<WordId> some) : all_(std::move(some)) {
  for (const auto& [set, words] : elements.belongs) columns_.push_back({set, words.data()});
  by_word_.resize(columns_.size());
}

std::vector<WordId> Belongings::at(const Point& point) {
  std::array<std::pair<WordId, const WordId*>, kMaxSets> wanted;  // words that are chosen, and the elements' own
  std::size_t n = 0;
  bool sorted = false;
  std::span<const WordId> fewest;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const WordId chosen = point[columns_[c].of];
    if (chosen < 0) continue;
    wanted[n++] = {chosen, columns_[c].words};
    if (all_.size() <= kFew) continue;
    const std::span<const WordId> own = of(c, chosen);
    if (!sorted || own.size() < fewest.size()) fewest = own;
    sorted = true;
  }
  const auto agrees = [&](WordId e) {
    return std::all_of(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(n), [e](const auto& w) { return w.second[e] == w.first; });
  };
  if (!sorted) fewest = all_;
  std::vector<WordId> out;
  out.reserve(fewest.size());
  std::copy_if(fewest.begin(), fewest.end(), std::back_inserter(out), agrees);
  return out;
}

std::span<const WordId> Belongings::of(std::size_t column, WordId word) {
  ByWord& sorted = by_word_[column];
  if (sorted.first.empty()) sort_by_word(column);
  const auto w = static_cast<std::size_t>(word);
  if (w + 1 >= sorted.first.size()) return {};
  return std::span(sorted.elements).subspan(sorted.first[w], sorted.first[w + 1] - sorted.first[w]);
}

void Belongings::sort_by_word(std::size_t column) {
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
