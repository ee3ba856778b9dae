#include "import/places.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace opledger {
namespace {

using Entries = std::vector<Datum::Entry>;

Entries::iterator find_entry(Entries& entries, std::string_view key) {
  return std::find_if(entries.begin(), entries.end(), [&](const Datum::Entry& entry) { return entry.first.text() == key; });
}

/// Splits a place into its first key and the rest.
std::pair<std::string, std::string> first_part(const std::string& place) {
  const std::size_t dot = place.find('.');
  return {place.substr(0, dot), dot == std::string::npos ? "" : place.substr(dot + 1)};
}

}  // namespace

const Datum* find_at(const Datum& config, const std::string& place) {
  const Datum* value = &config;
  for (const std::string& key : split(place, '.')) {
    value = value->find(key);
    if (value == nullptr) return nullptr;
  }
  return value;
}

Datum with_value(const Datum& config, const std::string& place, const Datum& value) {
  const auto [key, rest] = first_part(place);
  Entries entries = config.entries();
  const auto existing = find_entry(entries, key);
  const Datum inner = rest.empty() ? value : with_value(existing != entries.end() ? existing->second : Datum(), rest, value);
  if (existing != entries.end()) {
    existing->second = inner;
  } else {
    entries.emplace_back(Datum::scalar(key, false, value.span()), inner);
  }
  return Datum::map(std::move(entries), config.span());
}

Datum without_value(const Datum& config, const std::string& place) {
  const auto [key, rest] = first_part(place);
  Entries entries = config.entries();
  const auto existing = find_entry(entries, key);
  if (existing == entries.end()) return config;
  if (rest.empty()) {
    entries.erase(existing);
  } else {
    existing->second = without_value(existing->second, rest);
  }
  return Datum::map(std::move(entries), config.span());
}

}  // namespace opledger
