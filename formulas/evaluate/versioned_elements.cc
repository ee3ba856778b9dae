#include "formulas/evaluate/versioned_elements.h"

#include <algorithm>

#include "expr/simplify.h"

namespace opledger {
namespace {

void mix(std::uint64_t& hash, std::uint64_t value) { hash = (hash ^ (hash >> 29) ^ value) * 0xBF58476D1CE4E5B9u; }

void mix(std::uint64_t& hash, const std::string& text) { mix(hash, std::hash<std::string>()(text)); }

}  // namespace

/// The columns of a candidate's elements, paired with the columns of all known elements.
struct VersionedElements::Columns {
  Elements& all;
  const Elements& more;
  std::span<const std::uint64_t> identities;
  struct Field {
    const Column* from;
    Column* to;
    Versions* versions;
  };
  std::vector<Field> fields = {};
  std::vector<std::pair<const std::vector<WordId>*, std::vector<WordId>*>> belongs = {};

  /// Pairs the columns. Returns false if the names of fields, or the sets that elements belong to, differ, or if only one
  /// side has kinds.
  bool find(std::map<std::string, Versions, std::less<>>& versions) {
    if (all.names.empty()) {
      for (const auto& [name, _] : more.fields) all.fields[name];
      for (const auto& [set, _] : more.belongs) all.belongs[set];
    }
    const bool as_many = more.fields.size() == all.fields.size() && more.belongs.size() == all.belongs.size();
    for (const auto& [name, from] : more.fields) {
      if (const auto to = all.fields.find(name); to != all.fields.end()) fields.push_back({&from, &to->second, &versions[name]});
    }
    for (const auto& [set, from] : more.belongs) {
      if (const auto to = all.belongs.find(set); to != all.belongs.end()) belongs.emplace_back(&from, &to->second);
    }
    return as_many && fields.size() == all.fields.size() && belongs.size() == all.belongs.size() &&
           (all.names.empty() || all.kinds.empty() == more.kinds.empty());
  }

  std::uint64_t identity_of(std::size_t row) const { return identities.empty() ? 0 : identities[row]; }

  std::uint64_t hash(std::size_t row) const {
    std::uint64_t out = identity_of(row);
    mix(out, more.names[row]);
    if (!more.kinds.empty()) mix(out, more.kinds[row]);
    for (const auto& [from, _] : belongs) mix(out, static_cast<std::uint64_t>((*from)[row]));
    return out;
  }
};

bool VersionedElements::update(Elements& all, const Elements& more, std::span<const std::uint64_t> identities) {
  // Merges the elements `more` of one candidate, one a row, into `all`, the elements of all candidates so far. A hash
  // finds the known element of equal name, kind, words and identity; a row without one becomes a new element. A changed
  // field, or a changed condition of presence (`Elements::sometimes`), increments its version, which invalidates cached
  // values that depend on it. `current_` lists the candidate's elements, and `places_` has the row of each. Returns
  // false if the columns differ from the columns of earlier candidates. The cost is linear in the number of rows and
  // fields, except that rows equal to each other are compared in pairs.
  Columns columns{all, more, identities};
  if (!more.names.empty() && !columns.find(fields_)) return false;
  ++revision_;
  all.known = true;
  current_.clear();
  for (std::size_t row = 0; row < more.names.size(); ++row) {
    const WordId element = find(columns, row);
    const auto e = static_cast<std::size_t>(element);
    last_revision_[e] = revision_;
    places_[e] = static_cast<WordId>(row);
    set_fields(columns, row, e);
    set_presence(columns, row, element);
    current_.push_back(element);
  }
  return true;
}

const VersionedElements::Versions* VersionedElements::versions(std::string_view field) const {
  const auto found = fields_.find(field);
  return found != fields_.end() ? &found->second : nullptr;
}

/// Returns the number of an equal element that this candidate has not used yet, or of a new element. Equal elements are
/// thus matched in order.
WordId VersionedElements::find(const Columns& columns, std::size_t row) {
  std::vector<WordId>& bucket = by_identity_[columns.hash(row)];
  for (const WordId element : bucket) {
    const auto e = static_cast<std::size_t>(element);
    if (last_revision_[e] != revision_ && same(columns, row, e)) return element;
  }
  return bucket.emplace_back(add(columns, row));
}

bool VersionedElements::same(const Columns& columns, std::size_t row, std::size_t known) const {
  const Elements &all = columns.all, &more = columns.more;
  if (more.names[row] != all.names[known] || identities_[known] != columns.identity_of(row)) return false;
  if (!more.kinds.empty() && more.kinds[row] != all.kinds[known]) return false;
  return std::all_of(columns.belongs.begin(), columns.belongs.end(), [&](const auto& column) { return (*column.first)[row] == (*column.second)[known]; });
}

/// Appends a row of the candidate as a new element to all columns and returns its number. Texts are interned, because
/// the candidate's own strings do not live as long as the element. Versions begin at 0; `update` sets revision and
/// position.
WordId VersionedElements::add(const Columns& columns, std::size_t row) {
  Elements& all = columns.all;
  all.names.push_back(columns.more.names[row]);
  if (!columns.more.kinds.empty()) all.kinds.push_back(columns.more.kinds[row]);
  for (const auto& [from, to] : columns.belongs) to->push_back((*from)[row]);
  for (const Columns::Field& field : columns.fields) {
    Value value = (*field.from)[row];
    if (value.text != nullptr) value.text = intern(*value.text);
    field.to->push_back(value);
    field.versions->push_back(0);
  }
  names_.push_back(intern(columns.more.names[row]));
  identities_.push_back(columns.identity_of(row));
  last_revision_.push_back(0);
  places_.push_back(0);
  presence_versions_.push_back(0);
  return static_cast<WordId>(names_.size()) - 1;
}

void VersionedElements::set_fields(const Columns& columns, std::size_t row, std::size_t element) {
  // Updates the fields of a known element to the candidate's row, and increments the version of each field that
  // changed. Values count as equal only if they are equal for all candidates, so two symbols must be one instruction of
  // the tape. Columns whose values differ only in numbers compare and copy numbers alone. Texts are interned, because
  // the candidate's own strings do not live as long as the element.
  for (const Columns::Field& field : columns.fields) {
    if (field.from->differs_in_numbers(*field.to)) {
      const Scalar &now = field.from->number(row), &before = field.to->number(element);
      if (!opledger::same(now, before) || now.exact != before.exact) ++(*field.versions)[element];
      field.to->set_number(element, now);
      continue;
    }
    Value now = (*field.from)[row];
    const Value before = (*field.to)[element];
    if (!equivalent(now, before)) ++(*field.versions)[element];
    if (now.text != nullptr) now.text = same_text(now, before) ? before.text : intern(*now.text);
    field.to->set(element, now);
  }
}

void VersionedElements::set_presence(const Columns& columns, std::size_t row, WordId element) {
  std::map<WordId, Scalar>& all = columns.all.sometimes;
  const auto now = columns.more.sometimes.find(static_cast<WordId>(row));
  const auto before = all.find(element);
  const bool is = now != columns.more.sometimes.end(), was = before != all.end();
  if (is != was || (is && !opledger::same(now->second, before->second))) ++presence_versions_[static_cast<std::size_t>(element)];
  if (is)
    all[element] = now->second;
  else if (was)
    all.erase(before);
}

}  // namespace opledger
