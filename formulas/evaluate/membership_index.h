#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "formulas/elements.h"

/// An inverted index of an element set: from the words of other sets to the elements that belong to them. A lookup
/// visits only the elements of its rarest word.
namespace opledger {

class MembershipIndex {
 public:
  struct Column {
    SetId of;
    const WordId* words = nullptr;  ///< Word of each element.
  };

  MembershipIndex() = default;
  /// Indexes all elements. They must outlive the index.
  explicit MembershipIndex(const Elements& elements);
  /// Indexes some of the elements, in the order of `some`.
  MembershipIndex(const Elements& elements, std::vector<WordId> some);

  const std::vector<Column>& columns() const { return columns_; }
  /// Returns the elements that belong to every word that the point has chosen, in their order. The index of a word set
  /// is built on first use.
  std::vector<WordId> at(const Point& point);

 private:
  /// Elements sorted by word: word w has positions first[w] up to first[w + 1].
  struct ByWord {
    std::vector<std::uint32_t> first;
    std::vector<WordId> elements;
  };

  std::span<const WordId> of(std::size_t column, WordId word);
  void sort_by_word(std::size_t column);

  std::vector<WordId> all_;
  std::vector<Column> columns_;
  std::vector<ByWord> by_word_;  ///< Sorted elements of each column; empty until first used.
};

}  // namespace opledger
