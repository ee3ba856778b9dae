#include "schemas/checker.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/lists.h"
#include "base/text.h"
#include "base/units.h"
#include "schemas/kinds.h"
#include "schemas/schema.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxListed = 12;          // words that a message lists
constexpr std::size_t kMaxMatchedBytes = 1024;  // std::regex recurses, so longer text counts as no match.

// The path of a value in its document, as a linked list through the callers' stack frames.
struct Place {
  const Place* parent = nullptr;
  std::string_view key;
  std::size_t index = 0;  // index in a list, if `key` is empty
};

std::string path_of(const Place& place) {
  if (!place.parent) return {};
  const std::string above = path_of(*place.parent);
  if (place.key.empty()) return fmt::format("{}[{}]", above, place.index);
  return above.empty() ? std::string(place.key) : fmt::format("{}.{}", above, place.key);
}

std::string in(const Place& place) {
  const std::string path = path_of(place);
  return path.empty() ? path : " in `" + path + "`";
}

std::string quoted(const std::string& word) { return "`" + word + "`"; }

std::string listed(std::vector<std::string> words, std::string_view last_separator) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) result += i + 1 == words.size() ? last_separator : ", ";
    result += words[i];
  }
  return result;
}

std::string listed_words(const std::vector<std::string>& words) {
  std::vector<std::string> shown;
  for (const std::string& word : words) shown.push_back(quoted(word));
  return listed(std::move(shown), " or ");
}

// Returns the types of a mask as words for a message: `a number or a list`. Text accepts any scalar, so numbers and
// truths are not named in addition. The type of null is never named, since an empty value is no advice.
std::string type_names(TypeMask types) {
  std::vector<std::string> names;
  if (types & kStringType) {
    names.emplace_back("text");  // Any scalar is accepted.
  } else {
    if (types & kNumberType)
      names.emplace_back("a number");
    else if (types & kIntegerType)
      names.emplace_back("a whole number");
    if (types & kBooleanType) names.emplace_back("true or false");
  }
  if (types & kArrayType) names.emplace_back("a list");
  if (types & kObjectType) names.emplace_back("a mapping");
  if (names.empty()) names.emplace_back("nothing");
  return listed(std::move(names), " or ");
}

// Returns whether a value is of one of the types in a mask. Every scalar is text; unquoted, `12` is also a number and
// `true` also a truth. A whole number such as `1e3` counts as an integer.
bool has_type(const Datum& datum, TypeMask types) {
  switch (datum.kind()) {
    case Datum::Kind::null:
      return types & kNullType;
    case Datum::Kind::list:
      return types & kArrayType;
    case Datum::Kind::map:
      return types & kObjectType;
    case Datum::Kind::scalar:
      break;
  }
  if (types & kStringType) return true;
  if ((types & kBooleanType) && datum.boolean()) return true;
  const std::optional<double> number = datum.number();
  if (!number) return false;
  return (types & kNumberType) || ((types & kIntegerType) && *number == std::floor(*number));
}

bool matches(const std::regex& pattern, const std::string& text) { return text.size() <= kMaxMatchedBytes && std::regex_search(text, pattern); }

// Returns the types that a schema allows, ignoring its other keywords.
TypeMask types_of(const Schema& schema) {
  if (schema.reference) return types_of(*schema.reference);
  TypeMask types = schema.types;
  for (const std::vector<Schema::Child>* alternatives : {&schema.any_of, &schema.one_of}) {
    TypeMask together = 0;
    for (const Schema::Child& alternative : *alternatives) together |= types_of(*alternative);
    if (!alternatives->empty()) types &= together;
  }
  return types;
}

// Former keys of a document with their present names. A key is identified by its address in the tree.
using Renames = std::unordered_map<const Datum*, const std::string*>;

/// Checks values recursively. `sink_` receives a message for every mistake. Without a sink the checker only decides: it
/// stops at the first mistake and builds no message. Alternatives are tested in this mode. A former key of
/// a schema counts as the present key and is collected in `renames()`.
class Checker {
 public:
  explicit Checker(Diagnostics* sink) : sink_(sink) {}

  const Renames& renames() const { return renames_; }

  /// Returns whether a value satisfies a schema; `place` is the path of the value, for messages. A reference replaces
  /// the whole schema. A wrong type is reported alone, as further messages would only repeat it. Otherwise the keywords
  /// are checked in order: those of the value's kind, then alternatives (anyOf, oneOf), then if/then/else. `add`
  /// decides after each keyword whether to continue: with a sink always, without one until the first mistake.
  bool check(const Schema& schema, const Datum& datum, const Place& place) {
    if (schema.reference) return check(*schema.reference, datum, place);
    if (schema.never) return report(datum.span(), [&] { return fmt::format("nothing is allowed here{}", in(place)); });
    if (!has_type(datum, schema.types)) {
      return report(datum.span(), [&] { return fmt::format("expected {}{}, found {}", type_names(schema.types), for_value(place), datum.describe()); });
    }
    bool good = true;
    const auto add = [&](bool part) {
      good = good && part;
      return good || sink_;  // True: continue.
    };
    if (datum.is_scalar() && !add(check_scalar(schema, datum, place))) return false;
    if (datum.is_list() && !add(check_list(schema, datum, place))) return false;
    if (datum.is_map() && !add(check_map(schema, datum, place))) return false;
    if (!schema.any_of.empty() && !add(check_alternatives(schema.any_of, datum, place))) return false;
    if (!schema.one_of.empty() && !add(check_one_of(schema.one_of, datum, place))) return false;
    if (schema.condition) {
      const Schema::Child& next = Checker(nullptr).check(*schema.condition, datum, place) ? schema.consequence : schema.alternative;
      if (next && !add(check(*next, datum, place))) return false;
    }
    return good;
  }

 private:
  template <class Message>
  /// Reports a message if there is a sink, and returns false. `message` is a function, so that texts are built on
  /// demand.
  bool report(const Span& span, Message&& message) {
    if (sink_) sink_->error(span, message());
    return false;
  }

  static std::string for_value(const Place& place) {
    const std::string path = path_of(place);
    return path.empty() ? path : " for `" + path + "`";
  }

  /// Checks a scalar against `enum` (by its text), `pattern`, `minimum` and `maximum`. The first violation is reported,
  /// since one message for a value is enough; the nearest known word is suggested. Bounds apply to numbers only.
  bool check_scalar(const Schema& schema, const Datum& datum, const Place& place) {
    const std::vector<std::string>& words = schema.words;
    if (!words.empty() && !contains(words, datum.text())) {
      return report(datum.span(), [&] {
        const std::string known = words.size() <= kMaxListed ? ": expected " + listed_words(words) : std::string();
        return fmt::format("unknown word `{}`{}{}{}", datum.text(), for_value(place), suggestion(datum.text(), words), known);
      });
    }
    if (schema.pattern && !matches(*schema.pattern, datum.text())) {
      return report(datum.span(), [&] { return fmt::format("`{}`{} is not of the form `{}`", datum.text(), for_value(place), schema.pattern_text); });
    }
    const std::optional<double> number = datum.number();
    if (number && schema.minimum && *number < *schema.minimum) {
      return report(datum.span(), [&] { return fmt::format("expected at least {}{}, found {}", exact(*schema.minimum), for_value(place), datum.text()); });
    }
    if (number && schema.maximum && *number > *schema.maximum) {
      return report(datum.span(), [&] { return fmt::format("expected at most {}{}, found {}", exact(*schema.maximum), for_value(place), datum.text()); });
    }
    return true;
  }

  /// Checks the size of a list and each of its items.
  bool check_list(const Schema& schema, const Datum& datum, const Place& place) {
    bool good = true;
    if (datum.items().size() < schema.min_items) {
      good = report(datum.span(), [&] {
        return fmt::format("expected at least {} in the list{}", schema.min_items == 1 ? "one value" : fmt::format("{} values", schema.min_items),
                           for_value(place));
      });
    }
    if (!schema.items) return good;
    for (std::size_t i = 0; i < datum.items().size() && (good || sink_); ++i) {
      good = check(*schema.items, datum.items()[i], Place{&place, {}, i}) && good;
    }
    return good;
  }

  /// Checks that a mapping has all required keys, and each of its entries.
  bool check_map(const Schema& schema, const Datum& datum, const Place& place) {
    bool good = true;
    for (const auto& [former, present] : schema.former_keys) {
      const Datum* const value = datum.find(former);
      if (value != nullptr && datum.find(present) != nullptr)
        good = report(value->span(), [&] { return fmt::format("`{}` is the former name of `{}`, which is here too{}", former, present, in(place)); });
    }
    for (const std::string& key : schema.required) {
      if (!has_key(schema, datum, key)) good = report(datum.span(), [&] { return fmt::format("missing key `{}`{}", key, in(place)); });
    }
    for (const Datum::Entry& entry : datum.entries()) {
      if (!good && !sink_) return false;
      good = check_entry(schema, entry, place) && good;
    }
    return good;
  }

  // Returns whether a mapping has a key under its present name or a former one.
  static bool has_key(const Schema& schema, const Datum& datum, const std::string& key) {
    if (datum.find(key) != nullptr) return true;
    const auto names_it = [&](const auto& former) { return former.second == key && datum.find(former.first) != nullptr; };
    return std::any_of(schema.former_keys.begin(), schema.former_keys.end(), names_it);
  }

  /// Checks one entry of a mapping. The key must satisfy `propertyNames`. The value must satisfy the property of this
  /// name and every pattern that matches the key; `known` is true if the schema has such a property or pattern. Only
  /// other entries are checked against `additionalProperties`. A property or further properties with the schema `false`
  /// mean that the key is unknown: it is reported with the nearest known key. Linear in the patterns.
  bool check_entry(const Schema& schema, const Datum::Entry& entry, const Place& place) {
    const Datum& key = entry.first;
    const Place inside{&place, key.text(), 0};
    bool good = true;
    if (schema.property_names) good = check(*schema.property_names, key, inside);
    bool known = false;
    const auto former = schema.former_keys.find(key.text());
    if (former != schema.former_keys.end()) renames_.emplace(&key, &former->second);
    const auto property = schema.properties.find(former == schema.former_keys.end() ? key.text() : former->second);
    if (property != schema.properties.end()) {
      if (property->second->never) return report_unknown(schema, key, place);
      known = true;
      good = check(*property->second, entry.second, inside) && good;
    }
    for (const auto& [pattern, child] : schema.pattern_properties) {
      if (!matches(pattern, key.text())) continue;
      known = true;
      good = check(*child, entry.second, inside) && good;
    }
    if (known || !schema.additional) return good;
    if (schema.additional->never) return report_unknown(schema, key, place);
    return check(*schema.additional, entry.second, inside) && good;
  }

  bool report_unknown(const Schema& schema, const Datum& key, const Place& place) {
    return report(key.span(), [&] {
      std::vector<std::string> names;
      for (const auto& [name, child] : schema.properties) {
        if (!child->never) names.push_back(name);
      }
      return fmt::format("unknown key `{}`{}{}", key.text(), in(place), known_names(key.text(), "keys", std::move(names)));
    });
  }

  /// Returns whether exactly one alternative fits. Several are reported as ambiguous, none as by `check_alternatives`.
  bool check_one_of(const std::vector<Schema::Child>& alternatives, const Datum& datum, const Place& place) {
    const auto count = std::count_if(alternatives.begin(), alternatives.end(), [&](const Schema::Child& child) { return fits(*child, datum, place); });
    if (count == 1) return true;
    if (count == 0) return check_alternatives(alternatives, datum, place);
    return report(datum.span(), [&] { return fmt::format("this is ambiguous{}: it could mean several things", in(place)); });
  }

  /// Returns whether an alternative fits; explains the mistake otherwise.
  bool check_alternatives(const std::vector<Schema::Child>& alternatives, const Datum& datum, const Place& place) {
    for (const Schema::Child& alternative : alternatives) {
      if (fits(*alternative, datum, place)) return true;
    }
    if (sink_) explain(alternatives, datum, place);
    return false;
  }

  // Returns whether a value is valid under one alternative. Only then its former keys count.
  bool fits(const Schema& alternative, const Datum& datum, const Place& place) {
    Checker trial(nullptr);
    if (!trial.check(alternative, datum, place)) return false;
    renames_.merge(trial.renames_);
    return true;
  }

  // Explains a value without a matching alternative. The user most probably meant the alternative of the right type
  // with the fewest errors, the first of equals; its messages are reported. If each alternative requires exactly one
  // key, these keys are named as missing instead. If no alternative has the right type, the types of all are named.
  // Each alternative is checked once more with a sink of its own to count errors.
  void explain(const std::vector<Schema::Child>& alternatives, const Datum& datum, const Place& place) {
    std::vector<std::string> missing;
    TypeMask types = 0;
    std::optional<Diagnostics> best;
    for (const Schema::Child& alternative : alternatives) {
      types |= types_of(*alternative);
      if (alternative->required.size() == 1) missing.push_back(alternative->required[0]);
      if (!has_type(datum, types_of(*alternative))) continue;
      Diagnostics own;
      Checker(&own).check(*alternative, datum, place);
      if (!best || own.errors() < best->errors()) best = std::move(own);
    }
    if (best && missing.size() == alternatives.size()) {
      report(datum.span(), [&] { return fmt::format("missing key {}{}", listed_words(missing), in(place)); });
    } else if (best) {
      sink_->append(std::move(*best));
    } else {
      report(datum.span(), [&] { return fmt::format("expected {}{}, found {}", type_names(types), for_value(place), datum.describe()); });
    }
  }

  Diagnostics* sink_;
  Renames renames_;
};

// Returns the tree with present keys. Parts without former keys are copied as they are; the copies are equal.
Datum with_present_keys(const Datum& datum, const Renames& renames) {
  if (datum.is_list()) {
    std::vector<Datum> items;
    for (const Datum& item : datum.items()) items.push_back(with_present_keys(item, renames));
    return Datum::list(std::move(items), datum.span());
  }
  if (!datum.is_map()) return datum;
  std::vector<Datum::Entry> entries;
  for (const auto& [key, value] : datum.entries()) {
    const auto former = renames.find(&key);
    Datum present = former == renames.end() ? key : Datum::scalar(*former->second, key.quoted(), key.span());
    entries.emplace_back(std::move(present), with_present_keys(value, renames));
  }
  return Datum::map(std::move(entries), datum.span());
}

// Warns of each former key, in the order of the document.
void warn_of_former_keys(const Datum& datum, const Renames& renames, Diagnostics& diagnostics) {
  for (const Datum& item : datum.items()) warn_of_former_keys(item, renames, diagnostics);
  for (const auto& [key, value] : datum.entries()) {
    const auto former = renames.find(&key);
    if (former != renames.end())
      diagnostics.warning(key.span(), fmt::format("key `{}` is now called `{}`: rename it, the old name will be removed", key.text(), *former->second));
    warn_of_former_keys(value, renames, diagnostics);
  }
}

}  // namespace

bool check_schema(const Schema& schema, const Datum& datum, Diagnostics& diagnostics) { return Checker(&diagnostics).check(schema, datum, Place{}); }

bool check_schema(std::string_view kind, Datum& datum, Diagnostics& diagnostics) {
  const Schema* const schema = find_schema(kind);
  if (schema == nullptr) {
    diagnostics.error(datum.span(), fmt::format("`{}` is no kind of document{}", kind, suggestion(kind, kind_names())));
    return false;
  }
  Checker checker(&diagnostics);
  const bool good = checker.check(*schema, datum, Place{});
  if (checker.renames().empty()) return good;
  warn_of_former_keys(datum, checker.renames(), diagnostics);
  datum = with_present_keys(datum, checker.renames());
  return good;
}

}  // namespace opledger
