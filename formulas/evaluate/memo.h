#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "formulas/formula.h"

/// The cache of evaluated values, keyed by name and point. While several candidates are recorded one after another,
/// each entry also lists its dependencies. The next candidate reuses an entry if the dependencies are unchanged, as in
/// incremental computation systems such as Salsa and Adapton.
namespace opledger {

/// A hash table from keys to entries. A run of a model with thousands of segments has millions of entries, so entries are
/// small: most values are plain numbers, and few keys need more than one word. The interpreter looks an entry up,
/// evaluates and fills it, and stores its dependencies. A look-up costs constant time on average.
class Memo {
 public:
  /// Flags of Key::of for values of nodes, and for elements that agree with a point. Without a flag the key is a name.
  static constexpr std::uint32_t kNodeValue = std::uint32_t{1} << 31, kVisited = std::uint32_t{1} << 30;

  /// A name and the current words that its value depends on.
  struct Key {
    std::uint32_t of = 0;                  ///< Name::id, or a flag with the number of a field or set.
    std::array<std::uint64_t, 5> words{};  ///< Packed words of the sets that the value may depend on.
    friend bool operator==(const Key&, const Key&) = default;
  };
  /// A dependency of an entry.
  struct Dependency {
    enum class Kind : std::uint8_t {
      entry,      ///< another entry, at this version
      field,      ///< a field of an element, at this version
      presence,   ///< the presence of an element, at this version
      folded,     ///< a symbol that was folded because guards determine its value
      guarded,    ///< a symbol whose value decided the control flow
      transient,  ///< a value that is valid for one candidate only
    };
    Kind kind = Kind::transient;
    SetId set = {};         ///< Set of the element.
    std::int32_t slot = 0;  ///< Number of the field (Formula::slot).
    std::uint32_t of = 0;   ///< Entry, element or symbol.
    double value = 0;       ///< Value of the symbol, or version of the entry, field or presence.
  };
  /// Entry::query of a value that several queries used.
  static constexpr std::uint8_t kReused = 0;
  /// A cached value: of a name, a value of a node, or the elements that agree with a point.
  struct Entry {
    enum class State : std::uint8_t {
      unknown,  ///< not evaluated, or failed
      busy,     ///< being evaluated; a second request is a cycle
      known,    ///< evaluated for the candidate `revision`
    };
    std::uint32_t of = 0;          ///< Key::of.
    std::uint32_t more_words = 0;  ///< Position in `more_words_`, from 1, of the key's words after the first; 0: they are 0.
    std::uint64_t first_word = 0;  ///< First of Key::words.
    std::uint32_t number = 0;      ///< Number of the entry, from 1.
    std::uint32_t revision = 0;    ///< Last revision (candidate) for which the entry is valid.
    std::uint32_t version = 0;     ///< Number of changes of the value.
    State state = State::unknown;
    std::uint8_t query = kReused;  ///< Query that computed the value (QueryCache); kReused once another query used it.

   private:
    friend class Memo;
    Value::Kind kind_ = Value::Kind::nothing;  ///< The fields of a plain value: Value and Scalar.
    bool any_unit_ : 1 = false, absent_ : 1 = false, exact_ : 1 = false;
    bool whole_ : 1 = false;  ///< The value is in `whole_values_`, or the elements in `lists_`, at `place_`.
    Dimension unit_;
    std::int32_t place_ = -1;  ///< Scalar::symbol of a plain value; otherwise the position of the whole value or list.
    double number_ = 0;        ///< Scalar::value.
  };

  Memo();

  /// Returns the entry of a key, creating it if necessary. References stay valid.
  Entry& at(const Key& key);
  /// Returns the entry of a name that depends on no set.
  Entry& global_entry(std::uint32_t of);
  /// Returns the entry of a number (Entry::number, from 1).
  Entry& entry(std::uint32_t number) const { return chunks_[(number - 1) / kChunk][(number - 1) % kChunk]; }

  /// Returns or replaces the cached value of an entry, for a name or a node.
  Value value(const Entry& entry) const;
  void set_value(Entry& entry, const Value& value);
  /// Returns the cached elements of an entry with kVisited, and replaces them. The reference stays valid until then.
  const std::vector<WordId>* elements(const Entry& entry) const { return entry.whole_ ? &lists_[static_cast<std::size_t>(entry.place_)] : nullptr; }
  void set_elements(Entry& entry, std::vector<WordId> elements);
  /// Returns the key of an entry.
  Key key(const Entry& entry) const;
  /// Returns the name of an entry; null for values of nodes and elements.
  const Name* name(const Entry& entry) const { return (entry.of & (kNodeValue | kVisited)) == 0 ? names_[entry.of] : nullptr; }
  void set_name(const Entry& entry, const Name& name);
  /// Returns the formula of a value of a node.
  const Formula& node_value(const Entry& entry) const { return *node_values_[entry.of & ~kNodeValue]; }
  void set_node_value(const Entry& entry, const Formula& formula);
  /// Returns the set of the cached elements; no set for other entries.
  static SetId visited(const Entry& entry) { return (entry.of & kVisited) != 0 ? SetId(entry.of & ~kVisited) : SetId(); }

  /// Returns the number of entries.
  std::size_t size() const { return entries_; }
  /// Drops the entries of each name, node value and set that has more than `most` of them, such as values of single nodes.
  /// Values of the whole model and of its stages stay, and with `keep_reused` names with values that several queries used.
  /// Kept values then belong to the query `query`. References to entries become invalid.
  void trim(std::size_t most, bool keep_reused, std::uint8_t query);

  /// Stores the dependencies of an entry in their order, each entry and folded symbol once.
  void store_dependencies(Entry& entry, std::span<const Dependency> dependencies);
  /// Removes replaced dependencies if they are more than half of all. Invalidates `dependencies(entry)`.
  void compact_dependencies();
  /// Returns the number of stored dependencies of all entries, including replaced ones.
  std::size_t dependencies() const { return dependencies_.size(); }
  /// Returns the stored dependencies of an entry. They are valid until the next `store_dependencies`.
  std::span<const Dependency> dependencies(const Entry& entry) const {
    if (entry.number > stored_.size()) return {};
    const Stored& stored = stored_[entry.number - 1];
    return {dependencies_.data() + stored.first, stored.count};
  }

 private:
  /// A slot of the hash table. Part of the hash is stored next to the number of the entry, so that other entries are
  /// rarely compared.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t entry = 0;  ///< Number of the entry; 0: the slot is free.
  };

  /// Creates an entry and returns its number.
  std::uint32_t add(const Key& key);
  /// Returns whether an entry has the key.
  bool has_key(const Entry& entry, const Key& key) const;
  /// Returns the slot of a key, or the free slot for it.
  Slot& place(const Key& key, std::uint64_t hash);
  /// Doubles the hash table.
  void grow();

  static constexpr std::size_t kChunk = 256;
  std::vector<std::unique_ptr<Entry[]>> chunks_;  ///< Entries in chunks of kChunk, which never move.
  std::uint32_t entries_ = 0;                     ///< Number of entries.
  std::vector<Slot> slots_;                       ///< Hash table with open addressing; its size is a power of two, and at most three quarters are used.
  std::vector<std::uint32_t> global_entries_;     ///< Entries that depend on no set, by Key::of.
  using MoreWords = std::array<std::uint64_t, 4>;
  std::vector<MoreWords> more_words_;        ///< Words of keys after the first, of entries that have some.
  std::deque<Value> whole_values_;           ///< Values that are more than a number, a truth or nothing.
  std::deque<std::vector<WordId>> lists_;    ///< Cached elements.
  std::vector<const Name*> names_;           ///< Names by their ids, of entries of names.
  std::vector<const Formula*> node_values_;  ///< Formulas by the numbers of their fields, of entries of values of nodes.
  std::vector<Dependency> dependencies_;     ///< Dependencies of all entries; each entry has a consecutive part.
  std::size_t used_dependencies_ = 0;        ///< Number of stored dependencies without replaced ones.
  struct Stored {
    std::uint32_t first = 0;  ///< Position of the first dependency in `dependencies_`.
    std::uint32_t count = 0;  ///< Number of dependencies.
  };
  std::vector<Stored> stored_;  ///< Part of `dependencies_` of each entry, by the number of the entry minus one; empty unless candidates are recorded.
  /// Last call of `store_dependencies` that met an entry, or a folded symbol; these are left out when they occur again.
  std::vector<std::uint32_t> seen_entries_, seen_symbols_;
  std::uint32_t stores_ = 0;  ///< Number of calls of `store_dependencies`.
};

}  // namespace opledger
