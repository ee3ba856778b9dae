#include "schemas/datum.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace opledger {

struct Datum::Parts {
  std::vector<Datum> items;
  std::vector<Entry> entries;
};

Datum Datum::null(Span span) {
  Datum result;
  result.span_ = std::move(span);
  return result;
}

Datum Datum::scalar(std::string text, bool quoted, Span span) {
  Datum result = null(std::move(span));
  result.kind_ = Kind::scalar;
  result.text_ = std::move(text);
  result.quoted_ = quoted;
  return result;
}

Datum Datum::list(std::vector<Datum> items, Span span) {
  Datum result = null(std::move(span));
  result.kind_ = Kind::list;
  result.parts_ = std::make_shared<const Parts>(Parts{std::move(items), {}});
  return result;
}

Datum Datum::map(std::vector<Entry> entries, Span span) {
  Datum result = null(std::move(span));
  result.kind_ = Kind::map;
  result.parts_ = std::make_shared<const Parts>(Parts{{}, std::move(entries)});
  return result;
}

const std::vector<Datum>& Datum::items() const {
  static const std::vector<Datum> kNone;
  return parts_ ? parts_->items : kNone;
}

std::vector<std::string> Datum::texts(std::string_view key) const {
  std::vector<std::string> out;
  const Datum* const value = find(key);
  if (value == nullptr || value->is_null() || value->is_map()) return out;
  for (const Datum& item : value->all()) out.push_back(item.text());
  return out;
}

const std::vector<Datum::Entry>& Datum::entries() const {
  static const std::vector<Entry> kNone;
  return parts_ ? parts_->entries : kNone;
}

const Datum* Datum::find(std::string_view key) const {
  for (const Entry& entry : entries()) {
    if (entry.first.text() == key) return &entry.second;
  }
  return nullptr;
}

std::optional<double> Datum::number() const {
  if (!is_scalar() || quoted_ || text_.empty()) return std::nullopt;
  const char* first = text_.data();
  const char* const last = first + text_.size();
  const char* const digit = *first == '+' || *first == '-' ? first + 1 : first;
  if (digit == last || (*digit != '.' && (*digit < '0' || *digit > '9'))) return std::nullopt;  // `inf` and `nan` are text.
  if (*first == '+') ++first;                                                                   // std::from_chars rejects a plus sign.
  double value = 0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error != std::errc() || end != last || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<bool> Datum::boolean() const {
  if (!is_scalar() || quoted_) return std::nullopt;
  if (text_ == "true") return true;
  if (text_ == "false") return false;
  return std::nullopt;
}

std::string Datum::describe() const {
  switch (kind_) {
    case Kind::null:
      return "nothing";
    case Kind::list:
      return "a list";
    case Kind::map:
      return "a mapping";
    case Kind::scalar:
      break;
  }
  if (boolean()) return "true or false";
  return number() ? "a number" : "text";
}

Datum merged(const Datum& under, const Datum& over) {
  if (!under.is_map() || !over.is_map()) return over;
  std::vector<Datum::Entry> entries = under.entries();
  for (const Datum::Entry& entry : over.entries()) {
    const auto same = std::find_if(entries.begin(), entries.end(), [&](const Datum::Entry& old) { return old.first.text() == entry.first.text(); });
    if (same == entries.end()) {
      entries.push_back(entry);
    } else {
      same->second = merged(same->second, entry.second);
    }
  }
  return Datum::map(std::move(entries), over.span());
}

}  // namespace opledger
