#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.h"

/// The immutable tree that a YAML or JSON document becomes: scalars as they were written, lists, and mappings in their order,
/// each with its place in the text. It knows nothing of what the document means. Copies share their contents: an alias costs nothing.
namespace opledger {

class Datum {
 public:
  enum class Kind { null, scalar, list, map };
  using Entry = std::pair<Datum, Datum>;  ///< Key (always a scalar) and value.

  Datum() = default;
  static Datum null(Span span);
  static Datum scalar(std::string text, bool quoted, Span span);
  static Datum list(std::vector<Datum> items, Span span);
  static Datum map(std::vector<Entry> entries, Span span);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::null; }
  bool is_scalar() const { return kind_ == Kind::scalar; }
  bool is_list() const { return kind_ == Kind::list; }
  bool is_map() const { return kind_ == Kind::map; }

  const Span& span() const { return span_; }
  const std::string& text() const { return text_; }  ///< Of a scalar; empty otherwise.
  bool quoted() const { return quoted_; }            ///< `"12"` is text, `12` a number.
  const std::vector<Datum>& items() const;           ///< Of a list; empty otherwise.
  const std::vector<Entry>& entries() const;         ///< Of a mapping; empty otherwise.

  /// The value of a key, or nullptr. Keys of a mapping are unique.
  const Datum* find(std::string_view key) const;

  /// What may stand alone or in a list: the items of a list, else this itself.
  std::vector<Datum> all() const { return is_list() ? items() : std::vector<Datum>{*this}; }
  std::vector<std::string> texts(std::string_view key) const;  ///< Of a mapping: all texts below a key; none without it.

  std::optional<double> number() const;  ///< Of a plain scalar that reads as a finite number: `12`, `-0.5`, `1e9`.
  std::optional<bool> boolean() const;   ///< Of a plain `true` or `false`; `yes` and `on` are text.

  /// `a mapping`, `a list`, `text`, `a number`, `true or false`, `nothing`: for messages.
  std::string describe() const;

 private:
  struct Parts;
  Kind kind_ = Kind::null;
  bool quoted_ = false;
  Span span_;
  std::string text_;
  std::shared_ptr<const Parts> parts_;  ///< Of a list or a mapping.
};

}  // namespace opledger
