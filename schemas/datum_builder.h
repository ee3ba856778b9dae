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

/// Builds one document from events.
class DatumBuilder {
 public:
  /// Thrown to stop parsing, after the reason was reported.
  struct Stop {};
  using Anchor = std::size_t;  ///< Number of a YAML anchor; 0 for none.

  explicit DatumBuilder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void begin_document(const Span& at, bool marked);  ///< `marked`: the document begins with `---`.
  void add_null(const Span& at, Anchor anchor);
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
    std::size_t count = 1;
    std::size_t height = 0;
  };
  /// A list or mapping under construction.
  struct OpenValue {
    Datum::Kind kind = Datum::Kind::list;
    Span at;
    Anchor anchor = 0;
    std::size_t count = 1;
    std::size_t height = 1;
    std::vector<Datum> items;
    std::vector<Datum::Entry> entries;
    std::unordered_set<std::string> keys;
    std::optional<Datum> key;  ///< Key of the next value.
    bool discard = false;      ///< Drop the next value because its key was rejected.
  };

  /// Counts values toward the limit of a document; stops beyond it.
  void count(std::size_t values, const Span& at);
  /// Adds a finished value to the innermost open value, or makes it the document.
  void add(Value value, Anchor anchor);
  /// Adds a key, or the value of the last key.
  void add_to_map(OpenValue& map, Datum datum);
  /// Returns whether the key is valid and new; reports an error otherwise.
  bool accept_key(OpenValue& map, const Datum& key);
  [[noreturn]] void stop(const Span& at, std::string message);

  Diagnostics& diagnostics_;
  std::vector<OpenValue> open_;      ///< Open lists and mappings, outermost first.
  std::map<Anchor, Value> anchors_;  ///< Finished values by anchor.
  std::optional<Datum> root_;
  std::size_t values_ = 0;
  bool begun_ = false;
};

}  // namespace opledger
