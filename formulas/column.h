#pragma once
#include <cstddef>
#include <vector>

#include "formulas/value.h"

/// Storage of the fields of elements.
namespace opledger {

/// Values of a field by element, compressed. Most fields have values that differ only in their numbers, so one common
/// value and a number per element suffice. Other columns store whole values.
class Column {
 public:
  std::size_t size() const { return values_.empty() ? numbers_.size() : values_.size(); }
  /// Returns a copy of the value of an element.
  Value operator[](std::size_t element) const;
  /// Returns copies of all values in the order of the elements.
  std::vector<Value> all() const;

  /// Returns whether both columns are compressed and their common values are equal, so that numbers can be compared and
  /// copied alone.
  bool differs_in_numbers(const Column& other) const;
  /// Reads or replaces the number of an element; only for compressed columns.
  const Scalar& number(std::size_t element) const { return numbers_[element]; }
  void set_number(std::size_t element, const Scalar& number) { numbers_[element] = number; }

  /// Appends or replaces a value. The column switches to whole values if the value does not fit.
  void push_back(const Value& value);
  void set(std::size_t element, const Value& value);
  /// Calls `f` with a reference to the number of each value; `f` may change it.
  template <class F>
  void each_scalar(F&& f) {
    for (Scalar& number : numbers_) f(number);
    for (Value& value : values_) f(value.scalar);
  }

 private:
  /// Returns whether the column is compressed and the value differs from the common value in its number only.
  bool fits(const Value& value) const;
  /// Switches to whole values.
  void keep_whole();

  Value common_;                 ///< Common value; its own number has no meaning.
  std::vector<Scalar> numbers_;  ///< Numbers of a compressed column, by element.
  std::vector<Value> values_;    ///< Whole values if they differ in more than numbers; empty otherwise.
};

}  // namespace opledger
