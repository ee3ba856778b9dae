#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "formulas/elements.h"

/// The elements of a set over several candidates of a search, recorded one after another, with versions. A new
/// candidate's element gets the number of a known element if name, kind, words and identity are equal. Values cached for
/// it may then stay valid. Among equal elements the first matches the first. Elements that a candidate lacks keep their
/// numbers.
namespace opledger {

/// Numbers and versions of one set's elements. The values themselves are in an Elements of the owner, which `update`
/// extends.
class VersionedElements {
 public:
  using Versions = std::vector<std::uint32_t>;  ///< Number of changes, by element.

  /// Merges the elements of one more candidate into `all`. `identities` has a further key of each element; empty if
  /// names and words suffice. Returns false, with the elements unchanged, if the names of fields or the sets of memberships
  /// differ from earlier candidates.
  bool update(Elements& all, const Elements& more, std::span<const std::uint64_t> identities);

  /// Returns the elements of the last candidate, in its order.
  const std::vector<WordId>& current() const { return current_; }
  /// Returns whether the last candidate has the element.
  bool has(WordId element) const { return last_revision_[static_cast<std::size_t>(element)] == revision_; }
  /// Returns the position of an element among the last candidate's, which must have the element.
  WordId place(WordId element) const { return places_[static_cast<std::size_t>(element)]; }
  /// Returns the name of an element; the reference stays valid.
  const std::string& name(WordId element) const { return *names_[static_cast<std::size_t>(element)]; }
  /// Returns the versions of a field, whose address stays valid; null if no field has the name.
  const Versions* versions(std::string_view field) const;
  /// Returns the version of an element's presence.
  std::uint32_t presence_version(WordId element) const { return presence_versions_[static_cast<std::size_t>(element)]; }

 private:
  // A row is an element of the candidate that `update` merges.
  /// The columns of these elements, paired with the columns of all known elements.
  struct Columns;
  /// Returns whether a row equals a known element.
  bool same(const Columns& columns, std::size_t row, std::size_t known) const;
  /// Returns the number of the known element that equals a row, or adds the row.
  WordId find(const Columns& columns, std::size_t row);
  /// Adds a row as a new element and returns its number.
  WordId add(const Columns& columns, std::size_t row);
  /// Copies the fields, or the presence, of a row to an element; changes increment versions.
  void set_fields(const Columns& columns, std::size_t row, std::size_t element);
  void set_presence(const Columns& columns, std::size_t row, WordId element);
  /// Returns the stored copy of a text; equal texts share one.
  const std::string* intern(const std::string& text) { return &*texts_.insert(text).first; }

  std::vector<std::uint64_t> identities_;                               ///< Further key of each element.
  std::vector<const std::string*> names_;                               ///< Name of each element.
  std::vector<WordId> current_;                                         ///< Elements of the last candidate, in its order.
  std::vector<WordId> places_;                                          ///< Position of each element in the last candidate that has the element.
  std::map<std::string, Versions, std::less<>> fields_;                 ///< Versions by field.
  Versions presence_versions_;                                          ///< Versions of the elements' presence.
  std::vector<std::uint32_t> last_revision_;                            ///< Last revision (candidate) that has each element.
  std::uint32_t revision_ = 0;                                          ///< Number of candidates so far.
  std::unordered_map<std::uint64_t, std::vector<WordId>> by_identity_;  ///< Elements by a hash of name, kind, words and identity.
  std::set<std::string, std::less<>> texts_;                            ///< Interned texts of fields and names.
};

}  // namespace opledger
