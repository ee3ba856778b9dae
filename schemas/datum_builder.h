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

/// Puts a `Datum` together from the events of a parser, innermost values first, within the limits of base/limits.h. It knows no parser: only
/// schemas/document.cc does. Depth is counted as containers open, and an alias is charged with all that it stands for, so that a
/// hostile document is refused before it costs anything.
namespace opledger {

class DatumBuilder {
 public:
  /// Thrown when there is no use in reading on; the reason has been reported.
  struct Stop {};
  using Anchor = std::size_t;  ///< 0: none.

  explicit DatumBuilder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void begin_document(const Span& at, bool marked);  ///< `marked`: by `---`.
  void add_null(const Span& at, Anchor anchor);
  void add_scalar(std::string text, bool quoted, const Span& at, Anchor anchor);
  void add_alias(const Span& at, Anchor anchor);
  void open(Datum::Kind kind, const Span& at, Anchor anchor);  ///< A list or a mapping.
  void close();

  std::optional<Datum> take() { return std::move(root_); }

 private:
  /// A finished value, and how much it is with its aliases expanded.
  struct Value {
    Datum datum;
    std::size_t count = 1;
    std::size_t height = 0;
  };
  struct Open {
    Datum::Kind kind = Datum::Kind::list;
    Span at;
    Anchor anchor = 0;
    std::size_t count = 1;
    std::size_t height = 1;
    std::vector<Datum> items;
    std::vector<Datum::Entry> entries;
    std::unordered_set<std::string> keys;
    std::optional<Datum> key;  ///< Of the value that comes next.
    bool discard = false;      ///< That value: its key was refused.
  };

  void count(std::size_t values, const Span& at);
  void add(Value value, Anchor anchor);
  void add_to_map(Open& map, Datum datum);
  bool accept_key(Open& map, const Datum& key);
  [[noreturn]] void stop(const Span& at, std::string message);

  Diagnostics& diagnostics_;
  std::vector<Open> open_;
  std::map<Anchor, Value> anchors_;
  std::optional<Datum> root_;
  std::size_t values_ = 0;
  bool begun_ = false;
};

}  // namespace opledger
