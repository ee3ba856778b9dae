#include "formulas/evaluate/element_tables.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

#include "base/limits.h"

namespace opledger {
namespace {

constexpr unsigned kElementBits = 10;  // Bits of an element's number in keys, until a set has more elements.

}  // namespace

ElementTables::ElementTables(const Program& program, Evaluator::Mode mode) : program_(program), mode_(mode), elements_(program.sets.size()) {
  widths_.resize(program.sets.size());
  columns_.resize(program.sets.size());
  members_.resize(program.sets.size());
  for (const SetId s : program.sets.ids()) measure(s);
}

bool ElementTables::set(SetId set, Elements elements, const std::vector<std::uint64_t>& identities) {
  if (several_) return merge(set, std::move(elements), identities);
  elements.known = true;
  elements_[set] = std::move(elements);
  columns_[set].clear();
  members_[set] = MembershipIndex(elements_[set]);
  measure(set);
  return true;
}

void ElementTables::begin_candidate() {
  if (!std::exchange(several_, true)) {
    versioned_.resize(program_.sets.size());
    versions_.resize(program_.sets.size());
    for (const SetId s : program_.sets.ids()) {
      if (program_.set(s).elements) widths_[s] = kElementBits;
    }
  }
  for (const SetId s : program_.sets.ids()) elements_[s].known = false;
}

const std::string& ElementTables::name(SetId set, WordId element) const {
  return several_ ? versioned_[set].name(element) : elements_[set].names[static_cast<std::size_t>(element)];
}

WordId ElementTables::element_at(SetId set, WordId place) const { return several_ ? versioned_[set].current()[static_cast<std::size_t>(place)] : place; }

std::uint32_t ElementTables::field_version(SetId set, WordId element, const Formula& field) {
  auto& all = versions_[set];
  const auto slot = static_cast<std::size_t>(field.slot);
  if (all.size() <= slot) all.resize(slot + 1);
  if (all[slot] == nullptr) all[slot] = versioned_[set].versions(field.text);
  return field_version(set, element, field.slot);
}

std::uint32_t ElementTables::field_version(SetId set, WordId element, std::int32_t slot) const {
  return (*versions_[set][static_cast<std::size_t>(slot)])[static_cast<std::size_t>(element)];
}

bool ElementTables::pack(const std::vector<SetId>& sets, const Point& point, Memo::Key& key) const {
  return each_place(sets, [&](SetId s, std::size_t part, unsigned shift) { key.words[part] |= static_cast<std::uint64_t>(point[s] + 2) << shift; });
}

/// Computes the bits of a set's words in keys, including the codes for no word and any word.
void ElementTables::measure(SetId set) {
  std::size_t words = std::max(program_.sets[set]->words.size(), elements_[set].names.size());
  if (mode_ == Evaluator::Mode::units && set == program_.engine->nodes && program_.operators != nullptr)
    words = program_.operators->all().size();                                // operators replace nodes in units mode
  if (program_.sets[set]->positions != nullptr) words = kMaxDocumentValues;  // lists may have any length
  widths_[set] = static_cast<unsigned>(std::bit_width(words + 2));
}

/// Visits the position of each set's word in a packed key. Returns false if the words do not fit.
template <class Visit>
bool ElementTables::each_place(const std::vector<SetId>& sets, const Visit& visit) const {
  std::size_t part = 0;
  unsigned used = 0;
  for (const SetId s : sets) {
    if (used + widths_[s] > 64) {
      used = 0;
      if (++part == std::tuple_size_v<decltype(Memo::Key::words)>) return false;
    }
    visit(s, part, used);
    used += widths_[s];
  }
  return true;
}

Point ElementTables::choose(const Point& point, SetId set, WordId word) const {
  // Returns the point with a word or element of a set chosen. An element also chooses the words and elements to which
  // it belongs, as a message chooses its phase. If it belongs to a node, the node's own memberships follow where
  // nothing else has chosen a word. `members_` has these memberships as columns. Units mode, the check before a run,
  // has no elements: all these sets get kAnyWord, an unknown word.
  Point p = point;
  p[set] = word;
  const Set& s = program_.set(set);
  if (!s.elements) return p;
  if (mode_ == Evaluator::Mode::units) {
    for (const SetId other : s.belongs_to) p[other] = kAnyWord;
    return p;
  }
  for (const auto& [other, words] : members_[set].columns()) {
    const WordId w = words[word];
    if (w == kNoWord) continue;
    p[other] = w;
    if (other != program_.engine->nodes || set == other) continue;
    for (const auto& [indirect, node_words] : members_[other].columns()) {
      if (p[indirect] == kNoWord) p[indirect] = node_words[w];
    }
  }
  return p;
}

/// Returns the column of a field by its number. Formulas linked after the set was filled may add fields.
const Column* ElementTables::column(SetId set, const Formula& f) {
  auto& columns = columns_[set];
  const auto slot = static_cast<std::size_t>(f.slot);
  if (columns.size() <= slot) columns.resize(slot + 1);
  if (columns[slot] == nullptr) {
    const auto& fields = elements_[set].fields;
    if (const auto found = fields.find(f.text); found != fields.end()) columns[slot] = &found->second;
  }
  return columns[slot];
}

/// Returns the element of `set` that an element of the point belongs to.
WordId ElementTables::owner(SetId set, const Point& point) const {
  for (const SetId s : program_.sets.ids()) {
    if (s == set || point[s] < 0 || !program_.set(s).elements) continue;
    for (const auto& [other, words] : elements_[s].belongs) {
      if (other == set) return words[point[s]];
    }
  }
  return kNoWord;
}

std::size_t ElementTables::count(SetId set) const {
  if (!several_) return elements_[set].names.size();
  return elements_[set].known ? versioned_[set].current().size() : 0;
}

std::vector<WordId> ElementTables::of_candidate(SetId set) const {
  if (several_) return elements_[set].known ? versioned_[set].current() : std::vector<WordId>{};
  std::vector<WordId> out(elements_[set].names.size());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

/// Returns a key for each element of a set that identifies the element in runs at other case words. It consists of the
/// name, the second key (`kinds`), the segment, and the words of word sets. Elements with equal parts are numbered in
/// order. Other elements to which it belongs are left out, because they may differ between runs. The cost is one look-up
/// in a sorted map per element.
std::vector<std::string> ElementTables::identifying_keys(SetId set) const {
  std::vector<std::string> out;
  std::map<std::string, int> occurrences;
  const Elements& all = elements_[set];
  for (const WordId element : of_candidate(set)) {
    const auto e = static_cast<std::size_t>(element);
    std::string key = all.names[e] + (all.kinds.empty() ? "" : '\n' + all.kinds[e]);
    for (const auto& [other, words] : all.belongs) {
      const Set& to = program_.set(other);
      const WordId word = words[e];
      if (word < 0 || (to.elements && !to.restarts)) continue;
      key += '\n' + (to.elements ? elements_[other].names[word] : to.words[word]);
    }
    out.push_back(key + '\n' + std::to_string(occurrences[key]++));
  }
  return out;
}

Scalar ElementTables::presence(SetId set, WordId element) const {
  const auto& sometimes = elements_[set].sometimes;
  const auto found = sometimes.find(element);
  return found == sometimes.end() ? truth(true) : found->second;
}

Point ElementTables::unpack(const Memo::Key& key, const std::vector<SetId>& sets) const {
  Point out = nowhere();
  each_place(sets, [&](SetId s, std::size_t part, unsigned shift) {
    out[s] = static_cast<WordId>(key.words[part] >> shift & ((std::uint64_t{1} << widths_[s]) - 1)) - 2;
  });
  return out;
}

const std::vector<SetId>& ElementTables::owners(SetId set) {
  owners_.clear();
  for (const MembershipIndex::Column& column : members_[set].columns()) owners_.push_back(column.of);
  return owners_;
}

/// Merges a candidate's elements of a set into `elements_`, the elements of all candidates so far, where equal elements
/// keep their numbers. Memberships are translated to these numbers first. If the fields or memberships are others than in
/// earlier candidates, the set starts anew. Cached values of other runs may refer to texts of the earlier elements, which
/// therefore stay.
bool ElementTables::merge(SetId set, Elements elements, const std::vector<std::uint64_t>& identities) {
  for (auto& [other, words] : elements.belongs) {
    if (!program_.set(other).elements) continue;
    for (WordId& word : words) word = word < 0 ? word : element_at(other, word);
  }
  const bool same = versioned_[set].update(elements_[set], elements, identities);
  if (!same) {
    former_.push_back(std::exchange(versioned_[set], {}));
    versions_[set].clear();
    elements_[set] = {};
    versioned_[set].update(elements_[set], elements, identities);
  }
  columns_[set].clear();
  members_[set] = MembershipIndex(elements_[set], versioned_[set].current());
  const auto width = static_cast<unsigned>(std::bit_width(elements_[set].names.size() + 2));
  if (width <= widths_[set]) return same;
  widths_[set] = width + 1;  // one bit more than needed, so that not every further element changes the keys
  return false;
}

}  // namespace opledger
