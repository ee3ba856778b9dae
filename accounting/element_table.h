#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "formulas/evaluate/evaluator.h"

namespace opledger {

/// Builds an element set row by row; every row must give the same fields.
class ElementTable {
 public:
  ElementTable() = default;
  ElementTable(const ElementTable&) = delete;
  ElementTable& operator=(const ElementTable&) = delete;

  void row(std::string name) {
    elements_.names.push_back(std::move(name));
    next_ = 0;
  }
  /// What the last row is, where its name does not say all: see Elements::kinds.
  void kind(std::string text) { elements_.kinds.push_back(std::move(text)); }
  void field(const char* name, const Value& value) {
    if (next_ == columns_.size()) columns_.emplace_back(name, &elements_.fields[name]);
    const auto& [expected, column] = columns_[next_++];
    (expected == name ? *column : elements_.fields[name]).push_back(value);
  }
  /// `word`: a position, or what enumerates the words.
  template <typename Word>
  void belongs(SetId set, Word word) {
    elements_.belongs[set].push_back(static_cast<WordId>(word));
  }
  template <typename Row>
  void belongs(SetId set, Id<Row> element) {
    belongs(set, element.number());
  }
  /// Whether the last row is there.
  void there(const Scalar& there) {
    if (!there.constant() || there.value == 0) elements_.sometimes.emplace(static_cast<WordId>(elements_.names.size()) - 1, there);
  }
  Elements take() { return std::move(elements_); }

 private:
  Elements elements_;
  std::vector<std::pair<const char*, Column*>> columns_;  ///< In the order in which rows give them.
  std::size_t next_ = 0;                                  ///< That the last row gives next.
};

}  // namespace opledger
