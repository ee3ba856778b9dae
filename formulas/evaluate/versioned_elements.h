#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "formulas/elements.h"

/// The elements of a set over several candidates, recorded one after another, with versions. A new candidate's element
/// gets the number of a known element if name, words and identity are equal. Values cached for it may then stay valid.
/// Among equal elements the first matches the first. Elements that a candidate lacks keep their numbers.
namespace opledger {

class VersionedElements {
 public:
  using Versions = std::vector<std::uint32_t>;  ///< Number of changes, by element.

  /// Merges the elements of one more candidate into `all`. `identities` has a further key of each element; empty if
  /// names and words suffice. Returns false, without changes, if fields or memberships differ from earlier candidates.
  bool update(Elements& all, const Elements& more, std::span<const std::uint64_t> identities);

  /// Returns the elements of the last candidate, in its order.
  const std::vector<WordId>& current() const { return current_; }
  /// Returns whether the last candidate has the element.
  bool has(WordId element) const { return last_revision_[static_cast<std::size_t>(element)] == revision_; }
  /// Returns the position of an element among the last candidate's.
  WordId place(WordId element) const { return places_[static_cast<std::size_t>(element)]; }
  /// Returns the name of an element; the reference stays valid.
  const std::string& name(WordId element) const { return *names_[static_cast<std::size_t>(element)]; }
  /// Returns the versions of a field, whose address stays valid; null if no field has the name.
  const Versions* versions(std::string_view field) const;
  /// Returns the version of an element's presence.
  std::uint32_t presence_version(WordId element) const { return presence_versions_[static_cast<std::size_t>(element)]; }

 private:
  struct Columns;
  bool same(const Columns& columns, std::size_t row, std::size_t known) const;
  WordId find(const Columns& columns, std::size_t row);
  WordId add(const Columns& columns, std::size_t row);
  void set_fields(const Columns& columns, std::size_t row, std::size_t element);
  void set_presence(const Columns& columns, std::size_t row, WordId element);
  const std::string* intern(const std::string& text) { return &*texts_.insert(text).first; }

  std::vector<std::uint64_t> identities_;
  std::vector<const std::string*> names_;
  std::vector<WordId> current_, places_;
  std::map<std::string, Versions, std::less<>> fields_;
  Versions presence_versions_;
  std::vector<std::uint32_t> last_revision_;  ///< Last revision (candidate) that has each element.
  std::uint32_t revision_ = 0;
  std::unordered_map<std::uint64_t, std::vector<WordId>> by_identity_;  ///< Elements by the hash of their identity.
  std::set<std::string, std::less<>> texts_;                            ///< Interned texts of fields and names.
};

}  // namespace opledger
