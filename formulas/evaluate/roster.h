#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "formulas/elements.h"

/// The elements that a set has for several candidates, recorded one after the other: one that has the name and belongs to the words of one of an earlier candidate is
/// that one, so that what was evaluated of it may hold; of those alike the first is the first. Elements that a candidate hasn't keep their places.
namespace opledger {

class Roster {
 public:
  using Versions = std::vector<std::uint32_t>;  ///< By element: how often something of it became another.

  /// Elements of one more candidate, which are added to `all` where they aren't there. `apart`: by element, what else tells it from others; empty: nothing
  /// does. False: these have other fields than those before, and nothing was taken.
  bool take(Elements& all, const Elements& more, std::span<const std::uint64_t> apart);

  /// Those of the last candidate, in its order.
  const std::vector<WordId>& here() const { return here_; }
  bool has(WordId element) const { return taken_[static_cast<std::size_t>(element)] == candidate_; }
  /// The place of an element among those.
  WordId place(WordId element) const { return places_[static_cast<std::size_t>(element)]; }
  /// Its name: it stays where it is.
  const std::string& name(WordId element) const { return *names_[static_cast<std::size_t>(element)]; }
  /// Of a field. They stay where they are. Null: there is no such field.
  const Versions* versions(std::string_view field) const;
  /// Of whether it is there.
  std::uint32_t there_version(WordId element) const { return there_[static_cast<std::size_t>(element)]; }

 private:
  struct Columns;
  bool same(const Columns& columns, std::size_t row, std::size_t known) const;
  WordId find(const Columns& columns, std::size_t row);
  WordId add(const Columns& columns, std::size_t row);
  void set_fields(const Columns& columns, std::size_t row, std::size_t element);
  void set_there(const Columns& columns, std::size_t row, WordId element);
  const std::string* kept(const std::string& text) { return &*texts_.insert(text).first; }

  std::vector<std::uint64_t> apart_;
  std::vector<const std::string*> names_;
  std::vector<WordId> here_, places_;
  std::map<std::string, Versions, std::less<>> fields_;
  Versions there_;
  std::vector<std::uint32_t> taken_;  ///< By element, the last candidate that has it.
  std::uint32_t candidate_ = 0;
  std::unordered_map<std::uint64_t, std::vector<WordId>> known_;  ///< By what they are.
  std::set<std::string, std::less<>> texts_;                      ///< Of fields and names, for as long as these are used.
};

}  // namespace opledger
