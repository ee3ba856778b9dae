#include "formulas/evaluate/memo.h"

#include <algorithm>
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

}  // namespace

Memo::Memo() : slots_(1024) {}

/// Returns the slot of the key, or the free slot for it, by linear probing.
Memo::Slot& Memo::place(const Key& key, std::uint64_t hash) {
  const std::size_t mask = slots_.size() - 1;
  const auto part = static_cast<std::uint32_t>(hash >> 32 ^ hash);
  std::size_t i = hash & mask;
  while (slots_[i].entry != 0 && !(slots_[i].hash == part && entry(slots_[i].entry).key == key)) i = (i + 1) & mask;
  slots_[i].hash = part;
  return slots_[i];
}

Memo::Entry& Memo::at(const Key& key) {
  const std::uint64_t hash = hash_of(key);
  if (const Slot& slot = place(key, hash); slot.entry != 0) return entry(slot.entry);
  if (2 * (entries_ + 1) > slots_.size()) grow();
  return entry(place(key, hash).entry = add(key));
}

Memo::Entry& Memo::global_entry(std::uint32_t of) {
  if (of >= global_entries_.size()) global_entries_.resize(of + 1);
  if (global_entries_[of] == 0) global_entries_[of] = add({of});
  return entry(global_entries_[of]);
}

std::uint32_t Memo::add(const Key& key) {
  if (entries_ % kChunk == 0) chunks_.push_back(std::make_unique<Entry[]>(kChunk));
  ++entries_;
  entry(entries_).key = key;
  entry(entries_).number = entries_;
  return entries_;
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
  entry.first_dependency = static_cast<std::uint32_t>(dependencies_.size());
  for (const Dependency& dependency : dependencies) {
    if (dependency.kind == Dependency::Kind::entry && !fresh(seen_entries_, dependency.of)) continue;
    if (dependency.kind == Dependency::Kind::folded && !fresh(seen_symbols_, dependency.of)) continue;
    dependencies_.push_back(dependency);
  }
  entry.dependencies = static_cast<std::uint32_t>(dependencies_.size()) - entry.first_dependency;
}

void Memo::grow() {
  slots_.assign(2 * slots_.size(), {});
  for (std::uint32_t number = 1; number <= entries_; ++number) {
    const Key& key = entry(number).key;
    place(key, hash_of(key)).entry = number;
  }
}

}  // namespace opledger
