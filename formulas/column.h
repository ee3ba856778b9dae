#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "formulas/value.h"

/// Storage of the fields of elements.
namespace opledger {

/// Values of a field by element, compressed. Most fields have values that differ only in their numbers, or only in their
/// texts, so one common value and a number or text per element suffice. Other columns store whole values.
class Column {
 public:
  std::size_t size() const { return std::max({numbers_.size(), texts_.size(), values_.size()}); }
  /// Returns a copy of the value of an element.
  Value operator[](std::size_t element) const;
  /// Returns copies of all values in the order of the elements.
  std::vector<Value> all() const;

  /// Returns whether both columns are columns of numbers and their common values are equal, so that numbers can be compared
  /// and copied alone.
  bool differs_in_numbers(const Column& other) const;
  /// Reads or replaces the number of an element; only for columns of numbers.
  const Scalar& number(std::size_t element) const { return numbers_[element]; }
  void set_number(std::size_t element, const Scalar& number) { numbers_[element] = number; }

  /// Appends or replaces a value. The column switches to whole values if the value does not fit.
  void push_back(const Value& value);
  void set(std::size_t element, const Value& value);
  /// Calls `f` with a reference to the number of each value that is not a text; `f` may change it.
  template <class F>
  void each_scalar(F&& f) {
    for (Scalar& number : numbers_) f(number);
    for (Value& value : values_) f(value.scalar);
  }

 private:
  /// Returns whether the column has no whole values or texts, and the value differs from the common value in its number only.
  bool fits(const Value& value) const;
  /// Returns whether the column has no whole values or numbers, and the value is a text like the common value.
  bool fits_text(const Value& value) const;
  /// Switches to whole values.
  void keep_whole();

  Value common_;                           ///< Common value; its own number or text has no meaning.
  std::vector<Scalar> numbers_;            ///< Number of each element, in a column of numbers or truths; else empty.
  std::vector<const std::string*> texts_;  ///< Text of each element, in a column of texts; else empty.
  std::vector<Value> values_;              ///< Value of each element, in any other column; else empty.
};

}  // namespace opledger
