#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "formulas/elements.h"

/// An inverted index of an element set: from the words of other sets to the elements that belong to them. In a large set,
/// a look-up scans only the elements of the chosen word that has the fewest.
namespace opledger {

class MembershipIndex {
 public:
  /// Membership in one other set.
  struct Column {
    SetId of;                       ///< The other set.
    const WordId* words = nullptr;  ///< Its word to which each element belongs, by element; kNoWord: none.
  };

  MembershipIndex() = default;
  /// Indexes all elements. `elements` must outlive the index, which refers to its columns.
  explicit MembershipIndex(const Elements& elements);
  /// Indexes some of the elements, in the order of `some`.
  MembershipIndex(const Elements& elements, std::vector<WordId> some);

  /// Returns the memberships, one for each set to which the elements belong.
  const std::vector<Column>& columns() const { return columns_; }
  /// Returns the indexed elements that belong to every word that the point has chosen, in their order. Sets of more
  /// than a few elements are sorted by the words of a column on first use.
  std::vector<WordId> at(const Point& point);

 private:
  /// Elements sorted by word: word w has positions first[w] up to first[w + 1].
  struct ByWord {
    std::vector<std::uint32_t> first;
    std::vector<WordId> elements;
  };

  /// Returns the elements with this word in a column, sorting the column on first use.
  std::span<const WordId> of(std::size_t column, WordId word);
  /// Fills `by_word_` of a column by a counting sort.
  void sort_by_word(std::size_t column);

  std::vector<WordId> all_;  ///< Indexed elements in their order.
  std::vector<Column> columns_;
  std::vector<ByWord> by_word_;  ///< Sorted elements of each column; empty until first used.
};

}  // namespace opledger
