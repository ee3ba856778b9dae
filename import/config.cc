#include "import/config.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"
#include "import/places.h"
#include "import/spelled.h"
#include "import/yaml_text.h"

namespace opledger {
namespace {

bool matches(const std::string& name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return glob_match(pattern, name); });
}

/// Whether text is taken as it is, rather than as a formula: the types that are chosen from words.
bool takes_text(const Datum& type) {
  const Datum* described = type.find("type");
  const Datum& plain = described != nullptr ? *described : type;
  return plain.text() != "integer" && plain.text() != "number" && plain.text() != "boolean";
}

class ConfigReader {
 public:
  ConfigReader(const Datum& config, const Mapping& mapping, Diagnostics& diagnostics) : config_(config), mapping_(mapping), diagnostics_(diagnostics) {}

  std::optional<ConfigFields> read() {
    const std::size_t errors = diagnostics_.errors();
    for (const MappedField& field : mapping_.fields) read(field);
    check_unknown(config_, "");
    if (diagnostics_.errors() > errors) return std::nullopt;
    return std::move(out_);
  }

 private:
  void read(const MappedField& field) {
    std::optional<Datum> found;
    const std::string* place = nullptr;
    for (const std::string& other : field.places) {
      const Datum* there = find_at(config_, other);
      if (there == nullptr) continue;
      std::optional<Datum> value = spelled(field, *there, mapping_, diagnostics_);
      if (!value) return;
      if (value->is_null() && !there->is_null()) continue;  // another field's
      if (!found || found->is_null()) {
        found = std::move(value);
        place = &other;
      } else if (!value->is_null() && yaml_flow(*value) != yaml_flow(*found)) {
        diagnostics_
            .error(value->span(),
                   fmt::format("`{}` says {} and `{}` says {}: they are two names of one thing", other, yaml_flow(*value), *place, yaml_flow(*found)))
            .note(found->span(), fmt::format("`{}` is here", *place));
      }
    }
    if (!found || (found->is_null() && field.null.is_null())) return absent(field, found ? &*found : nullptr);
    give(field, *found);
  }

  void absent(const MappedField& field, const Datum* null) {
    out_.absent.insert(field.name);
    if (!field.required) return;
    if (null != nullptr) {
      diagnostics_.error(null->span(), fmt::format("`{}` is null, and the mapping `{}` needs it", field.places[0], mapping_.name()));
    } else {
      const std::string advice = mapping_.formats.empty() ? "" : fmt::format("; `--set {}=…` gives it", field.name);
      diagnostics_.error(config_.span(),
                         fmt::format("`{}` is missing, and the mapping `{}` needs it{}", join(field.places, "` or `"), mapping_.name(), advice));
    }
  }

  void give(const MappedField& field, const Datum& value) {
    if (field.counted && (value.is_list() || value.is_map())) {
      const std::size_t count = value.items().size() + value.entries().size();
      out_.given.push_back({field.name, Datum::scalar(std::to_string(count), false, value.span()), value.span()});
      return;
    }
    const Datum* meant = value.is_null() ? &field.null : value.is_scalar() ? word(field, value) : nullptr;
    if (meant == nullptr && !takes_text(field.type) && (!value.is_scalar() || value.quoted() || (!value.number() && !value.boolean()))) {
      return mistyped(field, value);
    }
    if (value.items().size() > kMostLayers) {
      diagnostics_.error(value.span(), fmt::format("`{}` has {} entries, and at most {} are possible", field.name, value.items().size(), kMostLayers));
      return;
    }
    out_.given.push_back({field.name, meant != nullptr ? *meant : value, value.span()});
  }

  void mistyped(const MappedField& field, const Datum& value) {
    const Datum* described = field.type.find("type");
    const std::string type = (described != nullptr ? *described : field.type).text();
    std::vector<std::string> words;
    for (const auto& [word, _] : field.words.entries()) words.push_back(word.text());
    const std::string expected = type == "boolean" ? "true or false" : type == "integer" ? "a whole number" : "a number";
    diagnostics_.error(
        value.span(), fmt::format("`{}`: expected {}, found {}{}", field.places[0], words.empty() ? expected : "one of " + join(words, ", "),
                                  words.empty() || !value.is_scalar() ? value.describe() : "`" + visible(value.text()) + "`", suggestion(value.text(), words)));
  }

  /// What a text stands for; null: for itself.
  static const Datum* word(const MappedField& field, const Datum& value) {
    const Datum* meant = field.words.find(value.text());
    return meant != nullptr || value.number() ? meant : field.words.find("*");
  }

  /// Keys that no field has. A mapping that holds fields is looked into, any other is one thing.
  void check_unknown(const Datum& config, const std::string& outer) {
    for (const auto& [key, value] : config.entries()) {
      const std::string name = outer + key.text();
      const bool read = is_field(name) && !(value.is_map() && holds_fields(name));  // of a section that is counted each field is looked at, too
      if (told(key, name, value) || read || matches(name, mapping_.ignored) || value.is_null()) continue;
      if (holds_fields(name)) {
        if (value.is_map()) {
          check_unknown(value, name + ".");
        } else {
          diagnostics_.error(value.span(), fmt::format("`{}` must be a mapping, found {}", name, value.describe()));
        }
      } else {
        unknown(key, name);
      }
    }
  }

  /// Whether the mapping has a message for such a field, which then stands under its line.
  bool told(const Datum& key, const std::string& name, const Datum& value) {
    for (const auto* messages : {&mapping_.refused, &mapping_.noted}) {
      for (const auto& [patterns, message] : *messages) {
        if (value.is_null() || is_field(name) || !matches(name, split(patterns.text(), ' '))) continue;
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

  bool is_field(const std::string& name) const {
    return std::any_of(mapping_.fields.begin(), mapping_.fields.end(), [&](const MappedField& field) { return contains(field.places, name); });
  }

  bool holds_fields(const std::string& name) const {
    return std::any_of(mapping_.fields.begin(), mapping_.fields.end(), [&](const MappedField& field) {
      return std::any_of(field.places.begin(), field.places.end(), [&](const std::string& place) { return place.rfind(name + ".", 0) == 0; });
    });
  }

  void unknown(const Datum& key, const std::string& name) {
    std::vector<std::string> known;
    for (const MappedField& field : mapping_.fields) known.insert(known.end(), field.places.begin(), field.places.end());
    const std::string meant = suggestion(name, known);
    if (matches(name, mapping_.suspected) || !meant.empty()) {
      diagnostics_.error(key.span(), fmt::format("the mapping `{}` doesn't know `{}`, which may change {}{}", mapping_.name(), name, at_stake(), meant));
    } else {
      diagnostics_.warning(key.span(), fmt::format("the mapping `{}` doesn't know `{}`: taken to change no {}", mapping_.name(), name,
                                                   at_stake().substr(0, at_stake().size() - 1)));
    }
  }

  std::string at_stake() const { return mapping_.quant_methods.empty() && mapping_.formats.empty() ? "shapes" : "costs"; }

  const Datum& config_;
  const Mapping& mapping_;
  Diagnostics& diagnostics_;
  ConfigFields out_;
};

}  // namespace

std::optional<ConfigFields> read_config(const Datum& config, const Mapping& mapping, Diagnostics& diagnostics) {
  return ConfigReader(config, mapping, diagnostics).read();
}

}  // namespace opledger
