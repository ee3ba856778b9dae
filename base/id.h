#pragma once
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// Typed indices of tables: an index of tensors does not convert to an index of nodes. Tables are IdVectors; other
/// structures refer to their rows by Id.
namespace opledger {

/// Index of a `Row` in its table. The default is no row and converts to false.
template <typename Row>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::integral auto number) : number_(static_cast<std::int32_t>(number)) {}

  constexpr explicit operator bool() const { return number_ >= 0; }                  ///< True for a row.
  constexpr std::int32_t number() const { return number_; }                          ///< The index; -1: no row.
  constexpr std::size_t index() const { return static_cast<std::size_t>(number_); }  ///< The index of a row; not for no row.

  constexpr Id& operator++() {
    ++number_;
    return *this;
  }
  constexpr Id operator--(int) { return Id(number_--); }
  friend constexpr Id operator+(Id id, std::integral auto steps) { return Id(id.number_ + static_cast<std::int32_t>(steps)); }
  friend constexpr Id operator-(Id id, std::integral auto steps) { return Id(id.number_ - static_cast<std::int32_t>(steps)); }
  friend constexpr std::int32_t operator-(Id a, Id b) { return a.number_ - b.number_; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  std::int32_t number_ = -1;
};

/// A half-open range of ids, [first, last), for iteration.
template <typename Id>
struct Ids {
  struct Iterator {
    Id id;
    constexpr Id operator*() const { return id; }
    constexpr Iterator& operator++() {
      ++id;
      return *this;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;
  };

  Id first, last;
  constexpr Iterator begin() const { return {first}; }
  constexpr Iterator end() const { return {last}; }
};

/// A vector indexed by these ids only: a table, or a column with one value per row of a table.
template <typename Id, typename T>
class IdVector : std::vector<T> {
  using Rows = std::vector<T>;

 public:
  using Rows::assign, Rows::back, Rows::begin, Rows::clear, Rows::emplace_back, Rows::empty, Rows::end, Rows::push_back, Rows::rbegin, Rows::rend, Rows::Rows,
      Rows::resize, Rows::size;

  typename Rows::reference operator[](Id id) { return Rows::operator[](id.index()); }
  typename Rows::const_reference operator[](Id id) const { return Rows::operator[](id.index()); }

  /// Returns the id that the next added row will have.
  Id next() const { return Id(size()); }
  /// Appends a row and returns its id.
  Id add(T row) {
    push_back(std::move(row));
    return Id(size() - 1);
  }
  /// Returns whether a row has this id; false for no row.
  bool has(Id id) const { return id.index() < size(); }
  /// Returns the ids of all rows, for iteration.
  Ids<Id> ids() const { return {Id(0), next()}; }
  /// Returns the id of a row, which must be an element of this vector.
  Id id_of(const T& row) const { return Id(&row - Rows::data()); }
  /// Returns the first row that satisfies the predicate; no row if none does.
  template <typename Predicate>
  Id find(const Predicate& holds) const {
    for (const Id id : ids()) {
      if (holds((*this)[id])) return id;
    }
    return {};
  }

  friend bool operator==(const IdVector&, const IdVector&) = default;
};

}  // namespace opledger
