#include "import/config.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"
#include "import/abbreviations.h"
#include "import/launch_reader.h"
#include "import/places.h"
#include "schemas/yaml_text.h"

namespace opledger {
namespace {

bool matches(const std::string& name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return glob_match(pattern, name); });
}

/// Returns whether a field is declared as an integer, a number or a boolean. The program reads a text of these types as
/// a formula, and a config has no formulas.
bool is_number_or_boolean(const Datum& type) {
  const Datum* described = type.find("type");
  const Datum& plain = described != nullptr ? *described : type;
  return plain.text() == "integer" || plain.text() == "number" || plain.text() == "boolean";
}

/// Returns whether a place leads to a name, or with `is_outer` to a place inside of it. A part `*` of the place stands for
/// any part of the name.
bool leads_to(const std::string& place, const std::string& name, bool is_outer = false) {
  const std::vector<std::string> parts = split(place, '.'), names = split(name, '.');
  if (is_outer ? parts.size() <= names.size() : parts.size() != names.size()) return false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (parts[i] != "*" && parts[i] != names[i]) return false;
  }
  return true;
}

/// Returns whether two names are equal or differ by one missing, added or replaced letter.
bool is_a_letter_off(std::string_view name, std::string_view other) {
  while (!name.empty() && !other.empty() && name.front() == other.front()) name.remove_prefix(1), other.remove_prefix(1);
  while (!name.empty() && !other.empty() && name.back() == other.back()) name.remove_suffix(1), other.remove_suffix(1);
  return name.size() <= 1 && other.size() <= 1;
}

/// Reads each field of a mapping from a config, then looks for keys without a field. Both steps run to the end, so
/// one import reports all mistakes.
class ConfigReader {
 public:
  ConfigReader(const Datum& config, const FieldMapping& mapping, Diagnostics& diagnostics) : config_(config), mapping_(mapping), diagnostics_(diagnostics) {}

  std::optional<ConfigFields> read() {
    const std::size_t errors = diagnostics_.errors();
    for (const MappedField& field : mapping_.fields) read(field);
    check_words();
    check_unknown(config_, "");
    if (diagnostics_.errors() > errors) return std::nullopt;
    return std::move(out_);
  }

 private:
  /// Finds the value of a field and adds it to the result. The field's places are tried in order, and the first value
  /// that is not null wins. A different value at a later place is an error, because the config contradicts itself. A
  /// null counts as absent unless the mapping states a meaning for null.
  void read(const MappedField& field) {
    std::optional<Datum> first_value;
    const std::string* first_place = nullptr;
    for (const std::string& place : field.places) {
      const std::optional<Datum> numbered = list_by_entry(field, place);
      const Datum* original = numbered ? &*numbered : find_at(config_, place);
      if (original == nullptr) continue;
      if (report_placeholder(field, place, *original)) return;
      std::optional<Datum> value = expand_abbreviation(field, *original, mapping_, diagnostics_);
      if (!value) return;
      if (value->is_null() && !original->is_null()) continue;  // The value belongs to another field at the same place.
      if (!first_value || first_value->is_null()) {
        first_value = std::move(value);
        first_place = &place;
      } else if (!value->is_null() && yaml_flow(*value) != yaml_flow(*first_value)) {
        diagnostics_
            .error(value->span(),
                   fmt::format("`{}` is {} and `{}` is {}: both name the same field", place, yaml_flow(*value), *first_place, yaml_flow(*first_value)))
            .note(first_value->span(), fmt::format("`{}` is here", *first_place));
      }
    }
    if (!first_value || (first_value->is_null() && field.null.is_null())) return absent(field, first_value ? &*first_value : nullptr);
    add_value(field, *first_value);
  }

  /// Returns the list of values at a place `OUTER.*.INNER`, where `*` stands for an entry of `OUTER`, a list, or for the
  /// number of an entry, such as a layer. Entries that lack the value have the mapping's `otherwise`. Nothing for another
  /// place, or without `OUTER`; reports keys that are no numbers of layers.
  std::optional<Datum> list_by_entry(const MappedField& field, const std::string& place) {
    const std::size_t star = place.find(".*.");
    const Datum* const outer = star == std::string::npos ? nullptr : find_at(config_, place.substr(0, star));
    if (outer == nullptr || outer->is_scalar() || outer->is_null()) return std::nullopt;
    std::vector<Datum> out;
    for (const Datum& entry : outer->items()) {
      const Datum* const value = find_at(entry, place.substr(star + 3));
      out.push_back(value != nullptr && !value->is_null() ? *value : field.otherwise);
    }
    for (const auto& [key, entry] : outer->entries()) {
      const bool is_number = !key.text().empty() && key.text().size() <= 5 && key.text().find_first_not_of("0123456789") == std::string::npos;
      const std::size_t number = is_number ? std::stoul(key.text()) : kMostLayers;
      if (number >= kMostLayers) {
        diagnostics_.error(key.span(),
                           fmt::format("`{}.{}`: expected the number of a layer below {}", place.substr(0, star), visible(key.text()), kMostLayers));
        continue;
      }
      if (out.size() <= number) out.resize(number + 1, field.otherwise);
      const Datum* const value = find_at(entry, place.substr(star + 3));
      if (value != nullptr && !value->is_null()) out[number] = *value;
    }
    return Datum::list(std::move(out), outer->span());
  }

  /// Reports a placeholder whose value another program fills in. Returns whether the value is a placeholder.
  bool report_placeholder(const MappedField& field, const std::string& place, const Datum& value) {
    if (!value.is_scalar() || !contains(mapping_.placeholders, value.text()) || field.words.find(value.text()) != nullptr) return false;
    const bool is_new = placeholders_.insert(place).second;  // Several fields may read one place.
    if (!is_new) return true;
    diagnostics_.error(value.span(),
                       fmt::format("`{}` is `{}`, which another program fills in: set the value with `--set {}=…`", place, value.text(), field.name));
    return true;
  }

  void absent(const MappedField& field, const Datum* null) {
    out_.absent.insert(field.name);
    if (!field.required) return;
    if (null != nullptr) {
      diagnostics_.error(null->span(), fmt::format("`{}` is null, and the mapping `{}` needs it", field.places[0], mapping_.name()));
    } else {
      const std::string advice = mapping_.kind != ConfigKind::launch ? "" : fmt::format("; set it with `--set {}=…`", field.name);
      diagnostics_.error(config_.span(),
                         fmt::format("`{}` is missing, and the mapping `{}` needs it{}", join(field.places, "` or `"), mapping_.name(), advice));
    }
  }

  /// Adds the value of a field to the values present. A counted list or mapping becomes the number of its entries. If
  /// the mapping states the meaning of null or of a text, the meaning replaces the value. A field of integers, numbers
  /// or booleans takes only unquoted numbers and booleans, because the program would read a text as a formula. The
  /// program checks types further. A list longer than the limit of layers is an error, because formulas may visit every
  /// entry for each layer.
  void add_value(const MappedField& field, const Datum& value) {
    if (field.counted && (value.is_list() || value.is_map())) {
      const std::size_t count = value.items().size() + value.entries().size();
      out_.present.push_back({field.name, Datum::scalar(std::to_string(count), false, value.span()), value.span()});
      return;
    }
    const Datum* meaning = value.is_null() ? &field.null : value.is_scalar() ? meaning_of(field, value) : nullptr;
    const bool is_literal = value.is_scalar() && !value.quoted() && (value.number() || value.boolean());
    if (meaning == nullptr && is_number_or_boolean(field.type) && !is_literal) {
      return report_wrong_type(field, value);
    }
    if (meaning == nullptr && value.is_scalar() && !field.words.entries().empty() && is_no_member(field, value.text())) {
      return report_wrong_type(field, value);
    }
    if (value.items().size() > kMostLayers) {
      diagnostics_.error(value.span(), fmt::format("`{}` has {} entries, and at most {} are possible", field.name, value.items().size(), kMostLayers));
      return;
    }
    out_.present.push_back({field.name, meaning != nullptr ? *meaning : value.is_list() ? with_meanings(field, value) : value, value.span()});
  }

  /// Returns a list with the meanings of its items. An item without a meaning stays, and one whose meaning is a list: this
  /// is the meaning of a scalar in place of the list.
  static Datum with_meanings(const MappedField& field, const Datum& list) {
    std::vector<Datum> out;
    for (const Datum& item : list.items()) {
      const Datum* const meaning = item.is_scalar() ? meaning_of(field, item) : nullptr;
      out.push_back(meaning != nullptr && meaning->is_scalar() ? *meaning : item);
    }
    return Datum::list(std::move(out), list.span());
  }

  /// Returns whether a field has one of several words as its value, by a list or the name of a set, and a text is none.
  bool is_no_member(const MappedField& field, const std::string& text) const {
    const Datum* const described = field.type.find("type");
    const Datum& type = described != nullptr ? *described : field.type;
    const Datum* const sets = mapping_.declarations.root.find("sets");
    const Datum* const members = type.is_list() ? &type : type.is_scalar() && sets != nullptr ? sets->find(type.text()) : nullptr;
    if (members == nullptr || !members->is_list()) return false;
    return std::none_of(members->items().begin(), members->items().end(), [&](const Datum& member) { return member.text() == text; });
  }

  void report_wrong_type(const MappedField& field, const Datum& value) {
    const Datum* described = field.type.find("type");
    const std::string type = (described != nullptr ? *described : field.type).text();
    std::vector<std::string> words;
    for (const auto& [word, _] : field.words.entries()) {
      if (word.text() != "*" && !word.text().empty()) words.push_back(word.text());
    }
    const std::string expected = type == "boolean" ? "true or false" : type == "integer" ? "a whole number" : "a number";
    diagnostics_.error(
        value.span(), fmt::format("`{}`: expected {}, found {}{}", field.places[0], words.empty() ? expected : "one of " + join(words, ", "),
                                  words.empty() || !value.is_scalar() ? value.describe() : "`" + visible(value.text()) + "`", suggestion(value.text(), words)));
  }

  /// Returns the meaning of a scalar by the field's `words`; null if the field has no entry for it. Entries may be
  /// patterns, such as `*-bnb-4bit`; the first match counts, after an equal text. Patterns do not cover numbers.
  static const Datum* meaning_of(const MappedField& field, const Datum& value) {
    const Datum* meaning = field.words.find(value.text());
    if (meaning != nullptr || value.number()) return meaning;
    for (const auto& [pattern, meant] : field.words.entries()) {
      if (pattern.text().find('*') != std::string::npos && glob_match(pattern.text(), value.text())) return &meant;
    }
    return nullptr;
  }

  /// Warns of words that only the pattern `*` of a field covers, and that resemble another word of a field at the same
  /// place: such a word is probably a typing error.
  void check_words() {
    for (const MappedField& field : mapping_.fields) {
      const std::string& place = field.places[0];
      const Datum* const value = find_at(config_, place);
      if (value == nullptr || !value->is_scalar() || value->number() || place == kProgramPlace || !is_covered_by_star(field, value->text())) continue;
      std::vector<std::string> words;
      for (const MappedField& other : mapping_.fields) {
        if (other.places[0] != place) continue;
        for (std::string& word : names_of(other.words.entries())) words.push_back(std::move(word));
      }
      const bool is_word = contains(words, value->text());
      std::erase_if(words, [](const std::string& word) { return word.find('*') != std::string::npos; });
      const std::string meant = is_word ? "" : suggestion(value->text(), words);
      if (!meant.empty())
        diagnostics_.warning(value->span(), fmt::format("`{}`: the mapping `{}` doesn't know `{}`{}", place, mapping_.name(), visible(value->text()), meant));
    }
  }

  /// Returns whether `*` is the first pattern among a field's words that covers a text.
  static bool is_covered_by_star(const MappedField& field, const std::string& text) {
    for (const auto& [word, _] : field.words.entries()) {
      if (word.text() == text) return false;
      if (word.text().find('*') != std::string::npos && glob_match(word.text(), text)) return word.text() == "*";
    }
    return false;
  }

  /// Reports the keys of a mapping inside the config that no field reads; `outer` is the place of the mapping with a
  /// final dot, empty for the whole config. A key with a message of its own gets the message. An ignored key is
  /// skipped, with a warning if it describes another model. A section with known places inside is searched recursively,
  /// even if a field counts its entries. Any other unknown key is one error or warning. Keys with the value null are
  /// skipped.
  void check_unknown(const Datum& config, const std::string& outer) {
    for (const auto& [key, value] : config.entries()) {
      const std::string name = outer + key.text();
      const bool read = is_field(name) && !(value.is_map() && holds_fields(name));
      if (report_message(key, name, value) || read || value.is_null()) continue;
      if (ignored(name)) {
        if (describes_model(value)) diagnostics_.warning(key.span(), fmt::format("`{}` describes another model, which is not imported and not counted", name));
        continue;
      }
      if (holds_fields(name)) {
        const bool has_places_in_entries = value.is_list() && holds_fields(name + ".0");
        if (value.is_map()) {
          check_unknown(value, name + ".");
        } else if (!has_places_in_entries) {
          diagnostics_.error(value.span(), fmt::format("`{}` must be a mapping, found {}", name, value.describe()));
        }
        for (std::size_t i = 0; has_places_in_entries && i < value.items().size(); ++i) check_unknown(value.items()[i], fmt::format("{}.{}.", name, i));
      } else {
        unknown(key, name);
      }
    }
  }

  /// Returns whether a mapping inside a config describes another model: it has a required field of the model, such as
  /// a width.
  bool describes_model(const Datum& value) const {
    if (!value.is_map() || !mapping_.makes_model) return false;
    return std::any_of(mapping_.fields.begin(), mapping_.fields.end(), [&](const MappedField& field) {
      return field.required && std::any_of(field.places.begin(), field.places.end(), [&](const std::string& place) { return value.find(place) != nullptr; });
    });
  }

  /// Reports a key for which the mapping has a message: an error for a refused name, a warning for a noted one.
  /// Returns whether the mapping has a message for the key. Fields and null values get no message. In a launch config, a
  /// refused key that is false or empty turns the feature off and needs no message.
  bool report_message(const Datum& key, const std::string& name, const Datum& value) {
    for (const auto* messages : {&mapping_.refused, &mapping_.noted}) {
      for (const auto& [patterns, message] : messages->entries()) {
        if (value.is_null() || is_field(name) || !matches(name, split(patterns.text(), ' '))) continue;
        if (mapping_.kind == ConfigKind::launch && messages == &mapping_.refused && is_off(value)) return true;
        const std::string text = fmt::format("`{}`: {}", name, message.text());
        if (messages == &mapping_.refused) {
          diagnostics_.error(key.span(), text);
        } else {
          diagnostics_.warning(key.span(), text);
        }
        return true;
      }
    }
    return false;
  }

  static bool is_off(const Datum& value) {
    if (value.is_scalar()) return value.boolean() == false || (!value.quoted() && value.text() == "False");
    return value.items().empty() && value.entries().empty();
  }

  /// Returns whether a key is ignored. In a launch script a pattern does not cover a key one letter away from a known
  /// place: such a key is probably a typing error.
  bool ignored(const std::string& name) const {
    if (contains(mapping_.ignored, name) || mapping_.kind != ConfigKind::launch || !matches(name, mapping_.ignored)) return matches(name, mapping_.ignored);
    const std::vector<std::string> others = known();
    return std::none_of(others.begin(), others.end(), [&](const std::string& other) { return is_a_letter_off(name, other); });
  }

  bool is_field(const std::string& name) const {
    return std::any_of(mapping_.fields.begin(), mapping_.fields.end(), [&](const MappedField& field) {
      return std::any_of(field.places.begin(), field.places.end(), [&](const std::string& place) { return leads_to(place, name); });
    });
  }

  /// Returns whether the mapping knows a place inside the section `name`.
  bool holds_fields(const std::string& name) const {
    const auto inside = [&](const std::string& place) { return place.starts_with(name + "."); };
    const auto any_inside = [&](const std::vector<std::string>& places) { return std::any_of(places.begin(), places.end(), inside); };
    const auto has_message_inside = [&](const Datum::Entry& entry) { return any_inside(split(entry.first.text(), ' ')); };
    const auto any_message_inside = [&](const Datum& messages) {
      return std::any_of(messages.entries().begin(), messages.entries().end(), has_message_inside);
    };
    return any_inside(mapping_.ignored) || any_message_inside(mapping_.refused) || any_message_inside(mapping_.noted) ||
           std::any_of(mapping_.fields.begin(), mapping_.fields.end(), [&](const MappedField& field) {
             return std::any_of(field.places.begin(), field.places.end(), [&](const std::string& place) { return leads_to(place, name, true); });
           });
  }

  void unknown(const Datum& key, const std::string& name) {
    const std::string similar = suggestion(name, known());
    const std::string nearest = mapping_.kind == ConfigKind::launch ? suggestion(name, known_and_ignored()) : similar;
    if (is_suspected(name) || (!similar.empty() && similar == nearest)) {
      diagnostics_.error(key.span(), fmt::format("the mapping `{}` doesn't know `{}`, which may change {}{}", mapping_.name(), name, affected(), similar));
    } else {
      diagnostics_.warning(key.span(), fmt::format("the mapping `{}` doesn't know `{}`, which is assumed to change no {}{}", mapping_.name(), name,
                                                   affected().substr(0, affected().size() - 1), nearest));
    }
  }

  /// Returns whether a pattern of suspected names matches, and no pattern that begins with `!`.
  bool is_suspected(const std::string& name) const {
    const auto exempts = [&](const std::string& pattern) { return pattern.starts_with('!') && glob_match(pattern.substr(1), name); };
    return matches(name, mapping_.suspected) && std::none_of(mapping_.suspected.begin(), mapping_.suspected.end(), exempts);
  }

  /// Returns the known places, and the ignored names that are no patterns.
  std::vector<std::string> known_and_ignored() const {
    std::vector<std::string> out = known();
    std::copy_if(mapping_.ignored.begin(), mapping_.ignored.end(), std::back_inserter(out),
                 [](const std::string& name) { return name.find('*') == name.npos; });
    return out;
  }

  /// Returns the places of all fields and the sections that contain them.
  std::vector<std::string> known() const {
    std::vector<std::string> out;
    for (const MappedField& field : mapping_.fields) {
      for (const std::string& place : field.places) {
        out.push_back(place);
        for (std::size_t dot = place.find('.'); dot != std::string::npos; dot = place.find('.', dot + 1)) out.push_back(place.substr(0, dot));
      }
    }
    return out;
  }

  std::string affected() const { return mapping_.kind == ConfigKind::model ? "shapes" : "costs"; }

  const Datum& config_;
  const FieldMapping& mapping_;
  Diagnostics& diagnostics_;
  ConfigFields out_;
  std::set<std::string> placeholders_;  ///< Places with a reported placeholder.
};

}  // namespace

std::optional<ConfigFields> read_config(const Datum& config, const FieldMapping& mapping, Diagnostics& diagnostics) {
  return ConfigReader(config, mapping, diagnostics).read();
}

}  // namespace opledger
