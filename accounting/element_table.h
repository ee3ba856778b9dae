#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "formulas/evaluate/evaluator.h"

/// Building of the elements of sets, for the functions that fill sets (fill_*.cc). The fields become columns, which the
/// evaluator reads.
namespace opledger {

/// A builder of the elements of one set, row by row: `row`, then for that row `kind`, `field`, `belongs` and `exists`,
/// and at the end `take`. Every row must give the same fields and memberships; fields in equal order are found faster.
class ElementTable {
 public:
  ElementTable() = default;
  ElementTable(const ElementTable&) = delete;
  ElementTable& operator=(const ElementTable&) = delete;

  /// Starts a row with the element's name; the calls below refer to the last row.
  void row(std::string name) {
    elements_.names.push_back(std::move(name));
    next_ = 0;
  }
  /// Sets the kind of the last row, which distinguishes rows of equal names; see Elements::kinds.
  void kind(std::string text) { elements_.kinds.push_back(std::move(text)); }
  /// Adds a value to the column `name`. `name` must outlive the table. Columns are found by position if the rows give
  /// their fields in one order, else by name.
  void field(const char* name, const Value& value) {
    if (next_ == columns_.size()) columns_.emplace_back(name, &elements_.fields[name]);
    const auto& [expected, column] = columns_[next_++];
    (expected == name ? *column : elements_.fields[name]).push_back(value);
  }
  /// Makes the last row a member of an element of `set`. `word` is the position of the element, an enumerator of a set
  /// of words, or kNoWord.
  template <typename Word>
  void belongs(SetId set, Word word) {
    elements_.belongs[set].push_back(static_cast<WordId>(word));
  }
  /// The same for a typed position.
  template <typename Row>
  void belongs(SetId set, Id<Row> element) {
    belongs(set, element.number());
  }
  /// Sets the condition under which the element of the last row exists; a constant true is not stored.
  void exists(const Scalar& exists) {
    if (!exists.constant() || exists.value == 0) elements_.sometimes.emplace(static_cast<WordId>(elements_.names.size()) - 1, exists);
  }
  /// Returns the finished elements; the table is then used up.
  Elements take() { return std::move(elements_); }

 private:
  Elements elements_;
  std::vector<std::pair<const char*, Column*>> columns_;  ///< Fields in the order of their first use.
  std::size_t next_ = 0;                                  ///< Position in `columns_` of the next field of the last row.
};

}  // namespace opledger
