#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "formulas/formula.h"

/// What has been evaluated: values by what was asked and where. Where several candidates are recorded one after the other, each entry knows what it was made of, so
/// that the next candidate takes it over if it finds the same.
namespace opledger {

class Memo {
 public:
  /// In what was asked: a node's value, or the elements of a set that agree with a point, not a name's value.
  static constexpr std::uint32_t kNodeValue = std::uint32_t{1} << 31, kVisited = std::uint32_t{1} << 30;

  struct Key {
    std::uint32_t of = 0;                  ///< What was asked.
    std::array<std::uint64_t, 5> words{};  ///< At which words of the sets that it may depend on.
    friend bool operator==(const Key&, const Key&) = default;
  };
  /// What an entry was made of.
  struct Use {
    enum class Kind : std::uint8_t {
      entry,    ///< Another entry, when it had this version;
      field,    ///< a field of an element of a set, likewise;
      there,    ///< whether an element is there, likewise.
      folded,   ///< A symbol whose value guards had decided.
      guarded,  ///< A symbol whose value decided on.
      passing,  ///< What no other candidate finds again.
    };
    Kind kind = Kind::passing;
    SetId set = {};
    std::int32_t slot = 0;  ///< Of a field.
    std::uint32_t of = 0;   ///< Entry, element or symbol.
    double value = 0;       ///< Of the symbol; the version.
  };
  struct Entry {
    enum class State : std::uint8_t { unknown, busy, known };
    Key key;
    State state = State::unknown;  ///< Busy: being evaluated, so that who asks again depends on itself.
    std::uint32_t number = 0;      ///< Counted from 1.
    std::uint32_t candidate = 0;   ///< The last for which it is known.
    std::uint32_t version = 0;     ///< How often it came to something else.
    std::uint32_t first_use = 0, uses = 0;
    const Name* name = nullptr;           ///< What it is the value of;
    const Formula* node_value = nullptr;  ///< or this;
    SetId visited;                        ///< or the elements of this set, `elements` instead of `value`.
    Value value;
    std::unique_ptr<const std::vector<WordId>> elements;
  };

  Memo();

  /// The entry of a key, a new one if there is none. It stays where it is.
  Entry& at(const Key& key);
  /// That of what depends on no set.
  Entry& alone(std::uint32_t of);
  Entry& entry(std::uint32_t number) const { return chunks_[(number - 1) / kChunk][(number - 1) % kChunk]; }

  /// Says what an entry was made of: each of these once, in their order.
  void keep(Entry& entry, std::span<const Use> uses);
  std::size_t uses() const { return uses_.size(); }
  const Use& use(const Entry& entry, std::uint32_t i) const { return uses_[entry.first_use + i]; }

 private:
  /// Part of a key's hash stands beside the number of its entry: another key's entry is hardly ever looked at.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t entry = 0;  ///< Counted from 1; 0: the slot is free.
  };

  std::uint32_t add(const Key& key);
  Slot& place(const Key& key, std::uint64_t hash);
  void grow();

  static constexpr std::size_t kChunk = 256;
  std::vector<std::unique_ptr<Entry[]>> chunks_;  ///< Each of kChunk entries.
  std::uint32_t entries_ = 0;
  std::vector<Slot> slots_;           ///< Open addressing, a power of two, at most half full.
  std::vector<std::uint32_t> alone_;  ///< Entries by Key::of.
  std::vector<Use> uses_;
  /// When an entry, or a symbol that was folded, was last met by `keep`.
  std::vector<std::uint32_t> met_entries_, met_symbols_;
  std::uint32_t kept_ = 0;
};

}  // namespace opledger
