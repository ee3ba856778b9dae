#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "formulas/value.h"

/// What has been evaluated: values by what was asked and where.
namespace opledger {

class Memo {
 public:
  struct Key {
    std::uint32_t of = 0;                  ///< What was asked.
    std::array<std::uint64_t, 4> words{};  ///< At which words of the sets that it may depend on.
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Entry {
    enum class State : std::uint8_t { unknown, busy, known };
    Key key;
    State state = State::unknown;  ///< Busy: being evaluated, so that who asks again depends on itself.
    Value value;
  };

  Memo();

  /// The entry of a key, a new one if there is none. It stays where it is.
  Entry& at(const Key& key);
  /// That of what depends on no set.
  Entry& alone(std::uint32_t of);

 private:
  /// Part of a key's hash stands beside the number of its entry: another key's entry is hardly ever looked at.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t entry = 0;  ///< Counted from 1; 0: the slot is free.
  };

  Entry& entry(std::uint32_t number) const { return chunks_[(number - 1) / kChunk][(number - 1) % kChunk]; }
  std::uint32_t add(const Key& key);
  Slot& place(const Key& key, std::uint64_t hash);
  void grow();

  static constexpr std::size_t kChunk = 256;
  std::vector<std::unique_ptr<Entry[]>> chunks_;  ///< Each of kChunk entries.
  std::uint32_t entries_ = 0;
  std::vector<Slot> slots_;           ///< Open addressing, a power of two, at most half full.
  std::vector<std::uint32_t> alone_;  ///< Entries by Key::of.
};

}  // namespace opledger
