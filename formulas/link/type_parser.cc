// Parser of declared types.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "expr/parser.h"
#include "formulas/link/types.h"

namespace opledger {
namespace {

/// Properties that a declaration with `type` may have.
constexpr std::array<std::string_view, 6> kProperties = {"default", "min", "max", "doc", "neutral", "mean"};

/// Keys that determine a form of type by themselves; no field of a record has such a name.
constexpr std::string_view kForms[] = {"list", "steps", "points", "tuple"};

std::optional<Type> parse_plain(Program& program, const Datum& datum, Diagnostics& diagnostics) {
  // Parses a type of one word. The word is looked up among the built-in types, then among sets of words, then among
  // units: `byte/s` is a number in this unit. Reports any other word and returns nothing.
  Type type;
  type.span = datum.span();
  const std::string& text = datum.text();
  if (text == "integer")
    type.kind = Type::Kind::integer;
  else if (text == "number")
    type.kind = Type::Kind::number;
  else if (text == "boolean")
    type.kind = Type::Kind::boolean;
  else if (text == "text")
    type.kind = Type::Kind::text;
  else if (const SetId set = program.find_set(text); set && !program.set(set).elements) {
    type.kind = Type::Kind::words;
    type.set = set;
  } else if (const auto unit = parse_unit(text)) {
    type.unit = *unit;
    type.unit_text = text;
  } else {
    diagnostics.error(datum.span(), fmt::format("unknown type `{}`{}", text, suggestion(text, {"integer", "number", "boolean", "text"})));
    return std::nullopt;
  }
  return type;
}

std::optional<Type> parse_words(Program& program, const std::string& name, const Datum& datum, Diagnostics& diagnostics) {
  // Parses a list of words as a type. The list declares a set of words with the name of the field, so that formulas can
  // compare the value with words and have cases by word. Reports words that are no scalars or occur twice, and a field
  // with the name of a set, and returns nothing then.
  if (program.find_set(name)) {
    diagnostics.error(datum.span(), fmt::format("`{}` is a set already", name));
    return std::nullopt;
  }
  auto set = std::make_unique<Set>();
  set->name = name;
  set->span = datum.span();
  for (const Datum& word : datum.items()) {
    if (!word.is_scalar() || !set->index.emplace(word.text(), static_cast<WordId>(set->index.size())).second) {
      diagnostics.error(word.span(), "expected distinct words");
      return std::nullopt;
    }
    set->words.push_back(word.text());
  }
  set->texts = set->words;
  Type type;
  type.kind = Type::Kind::words;
  type.span = datum.span();
  type.set = program.add(std::move(set)).id;
  return type;
}

/// Reports a key that is probably a misspelled `type`. Without `type` a mapping is a record, and each of its keys is a
/// field. Next to `default` such a key is an error, and the result is false. The only key of a mapping gets a warning.
bool check_fields(const Datum& datum, Diagnostics& diagnostics) {
  const bool has_default = datum.find("default") != nullptr;
  for (const auto& [key, _] : datum.entries()) {
    const std::string meant = suggestion(key.text(), {"type"});
    if (meant.empty()) continue;
    if (has_default)
      diagnostics.error(key.span(), fmt::format("unknown key `{}` next to `default`{}", key.text(), meant));
    else if (datum.entries().size() == 1)
      diagnostics.warning(key.span(), fmt::format("`{}` is the one field of a record{}", key.text(), meant));
    return !has_default;
  }
  return true;
}

std::optional<Type> parse_fields(Program& program, Linker& linker, const std::string& name, const Datum& datum, Diagnostics& diagnostics) {
  if (!check_fields(datum, diagnostics)) return std::nullopt;
  Type type;
  type.kind = Type::Kind::record;
  type.span = datum.span();
  for (const auto& [key, value] : datum.entries()) {
    std::optional<Type> field = parse_type(program, linker, name.empty() ? key.text() : name + "_" + key.text(), value, diagnostics);
    if (!field) return std::nullopt;
    type.fields.emplace_back(key.text(), std::move(*field));
  }
  return type;
}

bool check_keys(const Datum& datum, const std::vector<std::string>& known, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  for (const auto& [key, _] : datum.entries()) {
    if (!contains(known, key.text())) diagnostics.error(key.span(), fmt::format("unknown key `{}`{}", key.text(), known_names(key.text(), "keys", known)));
  }
  return diagnostics.errors() == errors;
}

/// Checks that a property other than the default is a scalar, and true or false where required. Reports an error
/// otherwise.
bool check_property(const Datum& key, const Datum& value, Diagnostics& diagnostics) {
  const bool truth = key.text() == "mean" || key.text() == "neutral";
  if (value.is_scalar() && (!truth || value.boolean())) return true;
  diagnostics.error(value.span(), fmt::format("expected {} for `{}`, found {}", truth ? "true or false" : "text", key.text(), value.describe()));
  return false;
}

/// Parses `{type: T, default: …, min: …, max: …, doc: …, neutral: …, mean: …}`: the type T with further properties.
/// Reports malformed properties and unknown keys, and returns nothing if T is invalid or a key is unknown.
std::optional<Type> parse_described(Program& program, Linker& linker, const std::string& name, const Datum& datum, Diagnostics& diagnostics) {
  std::optional<Type> type = parse_type(program, linker, name, *datum.find("type"), diagnostics);
  if (!type) return std::nullopt;
  for (const auto& [key, value] : datum.entries()) {
    const std::string& k = key.text();
    if (k != "default" && contains(kProperties, k) && !check_property(key, value, diagnostics)) continue;
    if (k == "default") {
      type->optional = true;
      type->fallback = value;
    } else if (k == "min") {
      type->minimum = parse_expression(value.text(), value.span(), diagnostics);
    } else if (k == "max") {
      type->maximum = parse_expression(value.text(), value.span(), diagnostics);
    } else if (k == "doc") {
      type->doc = value.text();
    } else if (k == "mean") {
      type->mean = value.text() == "true";
    } else if (k == "neutral") {
      type->neutral = value.text() == "true";
    }
  }
  return check_type_keys(datum, diagnostics) ? type : std::nullopt;
}

}  // namespace

bool check_type_keys(const Datum& datum, Diagnostics& diagnostics) {
  std::vector<std::string> known = {"type"};
  known.insert(known.end(), kProperties.begin(), kProperties.end());
  return check_keys(datum, known, diagnostics);
}

std::optional<Type> parse_type(Program& program, Linker& linker, const std::string& name, const Datum& datum, Diagnostics& diagnostics) {
  // Parses a declared type by recursive descent over the document. A scalar is a plain type, and a list has words. A
  // mapping is identified by its key. `type` adds properties to a type; `list`, `per`, `steps`, `points` and `tuple`
  // are forms of their own. Any other keys are fields of a record. `name` is the name of the field, after which a list
  // of words names its set. Returns nothing after an error.
  if (datum.is_scalar()) return parse_plain(program, datum, diagnostics);
  if (datum.is_list()) return parse_words(program, name, datum, diagnostics);
  if (!datum.is_map()) {
    diagnostics.error(datum.span(), "expected a type");
    return std::nullopt;
  }
  if (datum.find("type") != nullptr) return parse_described(program, linker, name, datum, diagnostics);
  for (const std::string_view form : kForms) {
    if (datum.find(form) != nullptr && !check_keys(datum, {std::string(form)}, diagnostics)) return std::nullopt;
  }
  Type type;
  type.span = datum.span();
  if (const Datum* item = datum.find("list")) {
    type.kind = Type::Kind::list;
    std::optional<Type> of = parse_type(program, linker, name, *item, diagnostics);
    if (!of) return std::nullopt;
    type.of = std::make_shared<Type>(std::move(*of));
    return type;
  }
  if (const Datum* set = datum.find("per"); set != nullptr && datum.find("of") != nullptr) {
    if (!check_keys(datum, {"per", "of"}, diagnostics)) return std::nullopt;
    type.kind = Type::Kind::per;
    type.set = program.find_set(set->text(), set->span(), diagnostics);
    if (!type.set) {
      diagnostics.error(set->span(), fmt::format("unknown set `{}`", set->text()));
      return std::nullopt;
    }
    std::optional<Type> of = parse_type(program, linker, name, *datum.find("of"), diagnostics);
    if (!of) return std::nullopt;
    type.of = std::make_shared<Type>(std::move(*of));
    return type;
  }
  if (const Datum* x = datum.find("steps")) {
    type.kind = Type::Kind::steps;
    const auto unit = parse_unit(x->text());
    if (!unit) {
      diagnostics.error(x->span(), fmt::format("unknown unit `{}`", x->text()));
      return std::nullopt;
    }
    type.unit = *unit;
    type.unit_text = x->text();
    return type;
  }
  if (const Datum* count = datum.find("points")) {
    const double coordinates = count->number().value_or(0);
    if (!(coordinates >= 1 && coordinates <= Curve::kMaxCoordinates) || coordinates != std::floor(coordinates)) {
      diagnostics.error(count->span(), fmt::format("points have 1 to {} coordinates", Curve::kMaxCoordinates));
      return std::nullopt;
    }
    type.kind = Type::Kind::points;
    type.coordinates = static_cast<std::size_t>(coordinates);
    return type;
  }
  if (const Datum* fields = datum.find("tuple")) {
    if (!fields->is_map()) {
      diagnostics.error(fields->span(), fmt::format("`tuple` is a mapping from names to types, found {}", fields->describe()));
      return std::nullopt;
    }
    std::optional<Type> tuple = parse_fields(program, linker, name, *fields, diagnostics);
    if (tuple) tuple->kind = Type::Kind::tuple;
    return tuple;
  }
  return parse_fields(program, linker, name, datum, diagnostics);
}

}  // namespace opledger
