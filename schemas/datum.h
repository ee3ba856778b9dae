#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.h"

/// The immutable tree of a YAML or JSON document: scalars as written, lists, and mappings in document order, each with
/// its position. The tree is independent of the meaning of a document. Copies share their contents, so an alias costs
/// nothing. document.h parses texts to trees.
namespace opledger {

/// A value of a document. A default value is null, without a position.
class Datum {
 public:
  enum class Kind { null, scalar, list, map };  ///< `null` is an empty value; numbers and truths are scalars.
  using Entry = std::pair<Datum, Datum>;        ///< Key (always a scalar) and value.

  Datum() = default;
  /// Make values of each kind. `quoted`: the text was written in quotation marks. Keys of `entries` must be unique
  /// scalars.
  static Datum null(Span span);
  static Datum scalar(std::string text, bool quoted, Span span);
  static Datum list(std::vector<Datum> items, Span span);
  static Datum map(std::vector<Entry> entries, Span span);

  Kind kind() const { return kind_; }  ///< The kind of the value; the next functions test for one kind.
  bool is_null() const { return kind_ == Kind::null; }
  bool is_scalar() const { return kind_ == Kind::scalar; }
  bool is_list() const { return kind_ == Kind::list; }
  bool is_map() const { return kind_ == Kind::map; }

  const Span& span() const { return span_; }         ///< Position of the first character.
  const std::string& text() const { return text_; }  ///< Text of a scalar; empty for other kinds.
  bool quoted() const { return quoted_; }            ///< True for a text in quotation marks: `"12"` is text, `12` a number.
  const std::vector<Datum>& items() const;           ///< Items of a list; empty for other kinds.
  const std::vector<Entry>& entries() const;         ///< Entries of a mapping; empty for other kinds.

  /// Returns the value of a key of a mapping; null without the key, or for other kinds. Searches linearly.
  const Datum* find(std::string_view key) const;

  /// Returns the items of a list, or a list with this value, where documents allow one value or several.
  std::vector<Datum> all() const { return is_list() ? items() : std::vector<Datum>{*this}; }
  std::vector<std::string> texts(std::string_view key) const;  ///< Texts below a key of a mapping, one or a list; empty without the key.

  std::optional<double> number() const;  ///< Value of an unquoted finite number: `12`, `-0.5`, `1e9`.
  std::optional<bool> boolean() const;   ///< Value of an unquoted `true` or `false`; `yes` and `on` are text.

  /// Returns the kind for messages: `a mapping`, `a list`, `text`, `a number`, `true or false`, `nothing`.
  std::string describe() const;

 private:
  struct Parts;
  Kind kind_ = Kind::null;
  bool quoted_ = false;
  Span span_;
  std::string text_;
  std::shared_ptr<const Parts> parts_;  ///< Contents of a list or mapping.
};

/// Returns `over`, or, if both values are mappings, their entries merged: recursively, with the values of `over` for keys
/// of both.
Datum merged(const Datum& under, const Datum& over);

}  // namespace opledger
