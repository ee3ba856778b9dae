#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/diagnostics.h"
#include "schemas/datum.h"

/// Construction of a `Datum` from parser events, bottom up, within the limits of base/limits.h. Depth is counted when a
/// container opens, and an alias counts with its expanded size, so a hostile document is rejected before it costs
/// memory. The parser itself is known only to schemas/document.cc.
namespace opledger {

/// Builds one document from events, which the parser sends in document order: `begin_document`, then values, where
/// lists and mappings are opened and closed around their contents. Mistakes are reported to `diagnostics`; those that
/// make the rest meaningless throw Stop.
class DatumBuilder {
 public:
  /// Thrown to stop parsing, after the reason was reported.
  struct Stop {};
  using Anchor = std::size_t;  ///< Number of a YAML anchor; 0 for none.

  explicit DatumBuilder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void begin_document(const Span& at, bool marked);  ///< `marked`: the document begins with `---`.
  void add_null(const Span& at, Anchor anchor);      ///< Adds an empty value.
  /// Adds a text, as a key or value of the innermost mapping or an item of the innermost list.
  void add_scalar(std::string text, bool quoted, const Span& at, Anchor anchor);
  void add_alias(const Span& at, Anchor anchor);               ///< Adds a copy of the value under the anchor.
  void open(Datum::Kind kind, const Span& at, Anchor anchor);  ///< Opens a list or mapping.
  void close();                                                ///< Closes the innermost open list or mapping.

  /// Returns the finished document; nothing if there was no value.
  std::optional<Datum> take() { return std::move(root_); }

 private:
  /// A finished value with its expanded number of values and its height.
  struct Value {
    Datum datum;
    std::size_t count = 1;   ///< Number of values in it, aliases expanded.
    std::size_t height = 0;  ///< Nesting of lists and mappings in it; 0 for a scalar.
  };
  /// A list or mapping under construction.
  struct OpenValue {
    Datum::Kind kind = Datum::Kind::list;
    Span at;                               ///< Position of its beginning.
    Anchor anchor = 0;                     ///< Number of its anchor; 0: no anchor.
    std::size_t count = 1;                 ///< Number of values so far, itself included.
    std::size_t height = 1;                ///< Nesting so far, itself included.
    std::vector<Datum> items;              ///< Finished items of a list.
    std::vector<Datum::Entry> entries;     ///< Finished entries of a mapping.
    std::unordered_set<std::string> keys;  ///< Keys of the mapping so far.
    std::optional<Datum> key;              ///< Key of the next value.
    bool discard = false;                  ///< Drop the next value because its key was rejected.
  };

  /// Counts values toward the limit of a document; stops beyond it.
  void count(std::size_t values, const Span& at);
  /// Adds a finished value to the innermost open value, or makes it the document.
  void add(Value value, Anchor anchor);
  /// Adds a key, or the value of the last key.
  void add_to_map(OpenValue& map, Datum datum);
  /// Returns whether the key is valid and new; reports an error otherwise.
  bool accept_key(OpenValue& map, const Datum& key);
  /// Reports an error and throws Stop.
  [[noreturn]] void stop(const Span& at, std::string message);

  Diagnostics& diagnostics_;
  std::vector<OpenValue> open_;      ///< Open lists and mappings, outermost first.
  std::map<Anchor, Value> anchors_;  ///< Finished values by anchor.
  std::optional<Datum> root_;        ///< The finished document.
  std::size_t values_ = 0;           ///< Number of values so far, aliases expanded.
  bool begun_ = false;               ///< A document has begun.
};

}  // namespace opledger
