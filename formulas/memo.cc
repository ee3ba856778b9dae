#include "formulas/memo.h"

namespace opledger {
namespace {

std::uint64_t hash(const Memo::Key& key) {
  std::uint64_t h = key.of * 0x9E3779B97F4A7C15u;
  for (const std::uint64_t word : key.words) h = (h ^ (h >> 29) ^ word) * 0xBF58476D1CE4E5B9u;
  return h ^ (h >> 32);
}

}  // namespace

Memo::Memo() : slots_(1024) {}

/// Where the key's entry is, or the free slot where it belongs.
std::size_t Memo::place(const Key& key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash(key) & mask;
  while (slots_[i] != nullptr && !(slots_[i]->key == key)) i = (i + 1) & mask;
  return i;
}

Memo::Entry& Memo::at(const Key& key) {
  std::size_t i = place(key);
  if (slots_[i] != nullptr) return *slots_[i];
  if (2 * (entries_ + 1) > slots_.size()) {
    grow();
    i = place(key);
  }
  if (entries_ % kChunk == 0) chunks_.push_back(std::make_unique<Entry[]>(kChunk));
  Entry& entry = chunks_.back()[entries_++ % kChunk];
  entry.key = key;
  slots_[i] = &entry;
  return entry;
}

void Memo::grow() {
  slots_.assign(2 * slots_.size(), nullptr);
  for (std::size_t i = 0; i < entries_; ++i) {
    Entry& entry = chunks_[i / kChunk][i % kChunk];
    slots_[place(entry.key)] = &entry;
  }
}

}  // namespace opledger
