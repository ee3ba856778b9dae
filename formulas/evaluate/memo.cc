#include "formulas/evaluate/memo.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace opledger {
namespace {

/// Number of bits of the first word that become the lowest bits of the hash. The slots of consecutive elements are thus
/// mostly adjacent in memory and share cache lines.
constexpr unsigned kNeighborBits = 3;

std::uint64_t hash_of(const Memo::Key& key) {
  std::uint64_t h = key.of * 0x9E3779B97F4A7C15u;
  const auto mix = [&h](std::uint64_t word) { h = (h ^ (h >> 29) ^ word) * 0xBF58476D1CE4E5B9u; };
  mix(key.words[0] >> kNeighborBits);
  for (std::size_t w = 1; w < key.words.size(); ++w) mix(key.words[w]);
  const std::uint64_t neighbor = key.words[0] & ((1u << kNeighborBits) - 1);
  return ((h ^ (h >> 32)) << kNeighborBits) | neighbor;
}

/// Returns the words of a key after the first.
std::array<std::uint64_t, 4> more_words_of(const Memo::Key& key) { return {key.words[1], key.words[2], key.words[3], key.words[4]}; }

}  // namespace

Memo::Memo() : slots_(1024) {}

/// Returns the slot of the key, or the free slot for it, by linear probing.
Memo::Slot& Memo::place(const Key& key, std::uint64_t hash) {
  const std::size_t mask = slots_.size() - 1;
  const auto part = static_cast<std::uint32_t>(hash >> 32 ^ hash);
  std::size_t i = hash & mask;
  while (slots_[i].entry != 0 && !(slots_[i].hash == part && has_key(entry(slots_[i].entry), key))) i = (i + 1) & mask;
  slots_[i].hash = part;
  return slots_[i];
}

Memo::Entry& Memo::at(const Key& key) {
  const std::uint64_t hash = hash_of(key);
  Slot* slot = &place(key, hash);
  if (slot->entry != 0) return entry(slot->entry);
  if (4 * (entries_ + 1) > 3 * slots_.size()) {
    grow();
    slot = &place(key, hash);
  }
  return entry(slot->entry = add(key));
}

Memo::Entry& Memo::global_entry(std::uint32_t of) {
  if (of >= global_entries_.size()) global_entries_.resize(of + 1);
  if (global_entries_[of] == 0) global_entries_[of] = add({of});
  return entry(global_entries_[of]);
}

std::uint32_t Memo::add(const Key& key) {
  if (entries_ % kChunk == 0) chunks_.push_back(std::make_unique<Entry[]>(kChunk));
  ++entries_;
  Entry& added = entry(entries_);
  added.of = key.of;
  added.first_word = key.words[0];
  added.number = entries_;
  if (const MoreWords more = more_words_of(key); more != MoreWords{}) {
    more_words_.push_back(more);
    added.more_words = static_cast<std::uint32_t>(more_words_.size());
  }
  return entries_;
}

Memo::Key Memo::key(const Entry& entry) const {
  Key out{entry.of, {entry.first_word}};
  if (entry.more_words != 0) std::copy(more_words_[entry.more_words - 1].begin(), more_words_[entry.more_words - 1].end(), out.words.begin() + 1);
  return out;
}

bool Memo::has_key(const Entry& entry, const Key& key) const {
  if (entry.of != key.of || entry.first_word != key.words[0]) return false;
  const MoreWords more = more_words_of(key);
  return more == (entry.more_words != 0 ? more_words_[entry.more_words - 1] : MoreWords{});
}

Value Memo::value(const Entry& entry) const {
  if (entry.whole_) return whole_values_[static_cast<std::size_t>(entry.place_)];
  Value out;
  out.kind = entry.kind_;
  out.any_unit = entry.any_unit_;
  out.absent = entry.absent_;
  out.unit = entry.unit_;
  out.scalar = {entry.number_, entry.place_, entry.exact_};
  return out;
}

void Memo::set_value(Entry& entry, const Value& value) {
  const bool plain = !value.set && value.word == -1 && value.text == nullptr && value.record == nullptr && value.curve == nullptr && value.picks == nullptr &&
                     value.curve_picks == nullptr && value.input == nullptr;
  if (entry.whole_) {
    whole_values_[static_cast<std::size_t>(entry.place_)] = value;
  } else if (!plain) {
    entry.whole_ = true;
    entry.place_ = static_cast<std::int32_t>(whole_values_.size());
    whole_values_.push_back(value);
  } else {
    entry.kind_ = value.kind;
    entry.any_unit_ = value.any_unit;
    entry.absent_ = value.absent;
    entry.unit_ = value.unit;
    entry.exact_ = value.scalar.exact;
    entry.place_ = value.scalar.symbol;
    entry.number_ = value.scalar.value;
  }
}

void Memo::set_elements(Entry& entry, std::vector<WordId> elements) {
  if (!entry.whole_) {
    entry.whole_ = true;
    entry.place_ = static_cast<std::int32_t>(lists_.size());
    lists_.emplace_back();
  }
  lists_[static_cast<std::size_t>(entry.place_)] = std::move(elements);
}

void Memo::set_name(const Entry& entry, const Name& name) {
  if (names_.size() <= entry.of) names_.resize(entry.of + 1);
  names_[entry.of] = &name;
}

void Memo::set_node_value(const Entry& entry, const Formula& formula) {
  const std::size_t field = entry.of & ~kNodeValue;
  if (node_values_.size() <= field) node_values_.resize(field + 1);
  node_values_[field] = &formula;
}

void Memo::trim(std::size_t most, bool keep_reused, std::uint8_t query) {
  // Counts the entries of each name, then copies the entries to keep into an empty table. A name is kept whole if an
  // eighth of its entries was reused: a column of a table visits the nodes one by one, so its other entries follow. The
  // cost is linear.
  struct Count {
    std::size_t all = 0, reused = 0;
  };
  std::unordered_map<std::uint32_t, Count> counts;
  for (std::uint32_t number = 1; number <= entries_; ++number) {
    Count& count = counts[entry(number).of];
    ++count.all;
    if (entry(number).query == kReused) ++count.reused;
  }
  const auto keeps = [&](const Count& count) { return count.all <= most || (keep_reused && 8 * count.reused >= count.all); };
  Memo kept;
  kept.names_ = names_;
  kept.node_values_ = node_values_;
  for (std::uint32_t number = 1; number <= entries_; ++number) {
    const Entry& old = entry(number);
    if (!keeps(counts[old.of])) continue;
    const bool global = old.of < global_entries_.size() && global_entries_[old.of] == number;
    Entry& copy = global ? kept.global_entry(old.of) : kept.at(key(old));
    copy.state = old.state;
    copy.revision = old.revision;
    copy.version = old.version;
    copy.query = query;
    if (const std::vector<WordId>* list = visited(old) ? elements(old) : nullptr) {
      kept.set_elements(copy, *list);
    } else if (!visited(old)) {
      kept.set_value(copy, value(old));
    }
  }
  *this = std::move(kept);
}

void Memo::store_dependencies(Entry& entry, std::span<const Dependency> dependencies) {
  // Appends an entry's dependencies to `dependencies_`, a common array of all entries; the entry stores its part.
  // Entries and folded symbols that occur again are left out. Instead of a set, each entry and symbol has a stamp
  // (`seen_entries_`, `seen_symbols_`), the number of the last call that met it. Nothing is thus cleared between calls.
  // The cost is linear in `dependencies`.
  ++stores_;
  const auto fresh = [this](std::vector<std::uint32_t>& met, std::uint32_t of) {
    if (met.size() <= of) met.resize(std::max<std::size_t>(of + 1, 2 * met.size()));
    return std::exchange(met[of], stores_) != stores_;
  };
  const std::size_t first = dependencies_.size();
  for (const Dependency& dependency : dependencies) {
    if (dependency.kind == Dependency::Kind::entry && !fresh(seen_entries_, dependency.of)) continue;
    if (dependency.kind == Dependency::Kind::folded && !fresh(seen_symbols_, dependency.of)) continue;
    dependencies_.push_back(dependency);
  }
  if (stored_.size() < entry.number) stored_.resize(std::max<std::size_t>(entries_, 2 * stored_.size()));
  Stored& stored = stored_[entry.number - 1];
  used_dependencies_ -= stored.count;
  stored = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(dependencies_.size() - first)};
  used_dependencies_ += stored.count;
}

void Memo::compact_dependencies() {
  if (dependencies_.size() <= 2 * used_dependencies_) return;
  std::vector<Dependency> used;
  used.reserve(used_dependencies_ + used_dependencies_ / 2);
  for (Stored& stored : stored_) {
    const auto from = dependencies_.begin() + stored.first;
    stored.first = static_cast<std::uint32_t>(used.size());
    used.insert(used.end(), from, from + stored.count);
  }
  dependencies_ = std::move(used);
}

void Memo::grow() {
  slots_.assign(2 * slots_.size(), {});
  for (std::uint32_t number = 1; number <= entries_; ++number) {
    const Key key = this->key(entry(number));
    place(key, hash_of(key)).entry = number;
  }
}

}  // namespace opledger
