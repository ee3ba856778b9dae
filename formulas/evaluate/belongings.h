#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "formulas/elements.h"

/// To which words of other sets the elements of a set belong, and the other way round: the elements of a word are found without going over all.
namespace opledger {

class Belongings {
 public:
  struct Column {
    SetId of;
    const WordId* words = nullptr;  ///< By element.
  };

  Belongings() = default;
  /// Of all elements. They must outlive it.
  explicit Belongings(const Elements& elements);
  /// Of some of them, in this order.
  Belongings(const Elements& elements, std::vector<WordId> some);

  const std::vector<Column>& columns() const { return columns_; }
  /// The elements that belong to every word that the point has chosen, in their order.
  std::vector<WordId> at(const Point& point);

 private:
  /// Those of word w stand from first[w] up to first[w + 1].
  struct ByWord {
    std::vector<std::uint32_t> first;
    std::vector<WordId> elements;
  };

  std::span<const WordId> of(std::size_t column, WordId word);
  void sort_by_word(std::size_t column);

  std::vector<WordId> all_;
  std::vector<Column> columns_;
  std::vector<ByWord> by_word_;  ///< Of each column, once something asks.
};

}  // namespace opledger
