#include "formulas/evaluate/memo.h"

#include <algorithm>
#include <utility>

namespace opledger {
namespace {

/// What is asked of one element after the other stands side by side: neighbours are fetched from memory together.
constexpr unsigned kNeighbours = 3;  // as bits

std::uint64_t hash_of(const Memo::Key& key) {
  std::uint64_t h = key.of * 0x9E3779B97F4A7C15u;
  const auto mix = [&h](std::uint64_t word) { h = (h ^ (h >> 29) ^ word) * 0xBF58476D1CE4E5B9u; };
  mix(key.words[0] >> kNeighbours);
  for (std::size_t w = 1; w < key.words.size(); ++w) mix(key.words[w]);
  const std::uint64_t neighbour = key.words[0] & ((1u << kNeighbours) - 1);
  return ((h ^ (h >> 32)) << kNeighbours) | neighbour;
}

}  // namespace

Memo::Memo() : slots_(1024) {}

/// Where the key's entry is, or the free slot where it belongs.
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

Memo::Entry& Memo::alone(std::uint32_t of) {
  if (of >= alone_.size()) alone_.resize(of + 1);
  if (alone_[of] == 0) alone_[of] = add({of});
  return entry(alone_[of]);
}

std::uint32_t Memo::add(const Key& key) {
  if (entries_ % kChunk == 0) chunks_.push_back(std::make_unique<Entry[]>(kChunk));
  ++entries_;
  entry(entries_).key = key;
  entry(entries_).number = entries_;
  return entries_;
}

void Memo::keep(Entry& entry, std::span<const Use> uses) {
  ++kept_;
  const auto fresh = [this](std::vector<std::uint32_t>& met, std::uint32_t of) {
    if (met.size() <= of) met.resize(std::max<std::size_t>(of + 1, 2 * met.size()));
    return std::exchange(met[of], kept_) != kept_;
  };
  entry.first_use = static_cast<std::uint32_t>(uses_.size());
  for (const Use& use : uses) {
    if (use.kind == Use::Kind::entry && !fresh(met_entries_, use.of)) continue;
    if (use.kind == Use::Kind::folded && !fresh(met_symbols_, use.of)) continue;
    uses_.push_back(use);
  }
  entry.uses = static_cast<std::uint32_t>(uses_.size()) - entry.first_use;
}

void Memo::grow() {
  slots_.assign(2 * slots_.size(), {});
  for (std::uint32_t number = 1; number <= entries_; ++number) {
    const Key& key = entry(number).key;
    place(key, hash_of(key)).entry = number;
  }
}

}  // namespace opledger
