#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "formulas/evaluate/evaluator.h"
#include "formulas/evaluate/membership_index.h"
#include "formulas/evaluate/memo.h"
#include "formulas/evaluate/versioned_elements.h"

/// The elements of all sets of a run, and the points that they make. Once several candidates are recorded one after
/// another, a set has the elements of all candidates so far, where equal elements keep their numbers.
namespace opledger {

class ElementTables {
 public:
  /// `program` must outlive the object. In units mode operators replace nodes.
  ElementTables(const Program& program, Evaluator::Mode mode);

  /// Fills a set. Sets to which its elements belong must be filled before. `identities` has a further key of each
  /// element; empty if names and words suffice. Returns false if caches must be cleared, because keys
  /// of points became wider, or the fields or memberships of the set changed.
  bool set(SetId set, Elements elements, const std::vector<std::uint64_t>& identities);
  /// Marks all sets as not filled, for another candidate. The first call reserves bits for element numbers in keys.
  void begin_candidate();

  // Elements of a set. Their numbers are positions in the columns of `operator[]`.
  const Elements& operator[](SetId set) const { return elements_[set]; }
  /// Returns the column of a field by its number (Formula::slot); null if the set has no such field.
  const Column* column(SetId set, const Formula& field);
  const std::string& name(SetId set, WordId element) const;
  /// Returns whether an element is present: a symbol if candidates differ.
  Scalar presence(SetId set, WordId element) const;
  /// Returns the numbers of the current candidate's elements in their order, and how many they are.
  std::vector<WordId> of_candidate(SetId set) const;
  std::size_t count(SetId set) const;
  /// Returns the number of the element at a position of the current candidate, and the position of an element.
  WordId element_at(SetId set, WordId place) const;
  WordId place_of(SetId set, WordId element) const { return several_ ? versioned_[set].place(element) : element; }
  /// Returns a key for each of `of_candidate` by which runs at other case words recognize the element.
  std::vector<std::string> identifying_keys(SetId set) const;

  // Versions of elements over several candidates.
  bool has(SetId set, WordId element) const { return versioned_[set].has(element); }
  std::uint32_t presence_version(SetId set, WordId element) const { return versioned_[set].presence_version(element); }
  std::uint32_t field_version(SetId set, WordId element, const Formula& field);
  /// Returns the version of a field by its number, for which `field_version` was called before.
  std::uint32_t field_version(SetId set, WordId element, std::int32_t slot) const;

  // Points.
  /// Returns the point with a word or element chosen, together with the words that it belongs to.
  Point choose(const Point& point, SetId set, WordId word) const;
  /// Returns the elements that belong to every word that the point has chosen.
  std::vector<WordId> at(SetId set, const Point& point) { return members_[set].at(point); }
  /// Returns the sets that the elements of `set` belong to. The next call overwrites the list.
  const std::vector<SetId>& owners(SetId set);
  /// Returns the element of `set` that another element of the point belongs to; kNoWord: none.
  WordId owner(SetId set, const Point& point) const;
  /// Packs the point's words of `sets` into a key, where each set's word takes `widths_` bits. Returns false if they do
  /// not fit.
  bool pack(const std::vector<SetId>& sets, const Point& point, Memo::Key& key) const;
  /// Returns the point of a key.
  Point unpack(const Memo::Key& key, const std::vector<SetId>& sets) const;

 private:
  /// Calls `visit` with the 64-bit part and the shift of each set's word. Returns false if the words do not fit.
  template <class Visit>
  bool each_place(const std::vector<SetId>& sets, const Visit& visit) const;
  /// Computes `widths_` of a set.
  void measure(SetId set);
  /// Merges a candidate's elements into those of earlier candidates. Returns false if numbers start anew.
  bool merge(SetId set, Elements elements, const std::vector<std::uint64_t>& identities);

  const Program& program_;
  const Evaluator::Mode mode_;
  bool several_ = false;                                                       ///< Several candidates are recorded one after another.
  IdVector<SetId, Elements> elements_;                                         ///< Elements of each set; several candidates: of all candidates.
  IdVector<SetId, unsigned> widths_;                                           ///< Bits of each set's words in a packed key.
  IdVector<SetId, std::vector<const Column*>> columns_;                        ///< Columns by Formula::slot of the field.
  IdVector<SetId, MembershipIndex> members_;                                   ///< Index of each set's elements.
  IdVector<SetId, VersionedElements> versioned_;                               ///< Numbers and versions of the elements.
  IdVector<SetId, std::vector<const VersionedElements::Versions*>> versions_;  ///< Versions of fields by slot.
  std::vector<VersionedElements> former_;                                      ///< Elements that sets had before they started anew; see `merge`.
  std::vector<SetId> owners_;                                                  ///< Last result of `owners`.
};

}  // namespace opledger
