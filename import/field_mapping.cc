#include "import/field_mapping.h"

#include <algorithm>
#include <iterator>

namespace opledger {
namespace {

/// Returns the flag of a field: `--num-layers` for `num_layers`.
std::string flag(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

/// Keys that describe the reading of a field, not its type.
constexpr std::string_view kReadingKeys[] = {"at",      "also", "null",      "words",   "letters",   "count",     "unrolled",
                                             "between", "form", "otherwise", "assumed", "overrules", "in_comment"};

Datum key(const char* name, const Span& span) { return Datum::scalar(name, false, span); }

/// Returns `model.` if the mapping puts the field into the section `model`. A section without a list of fields takes
/// all other fields; without such a section, the result is empty for them.
std::string section_of(const std::string& field, const Datum& sections) {
  std::string usual;
  for (const auto& [section, fields] : sections.entries()) {
    if (fields.is_null()) usual = section.text() + ".";
    for (const Datum& name : fields.all()) {
      if (name.text() == field) return section.text() + ".";
    }
  }
  return usual;
}

/// Returns a field of a mapping from its entry `name: value`. The value is a type (`integer`), or a mapping with a
/// type and keys about reading. The first place is the key `at`; without it, a flag (`--num-layers`) if `flags`,
/// otherwise the name in its section. The type goes to a program as the declaration of an input, so keys that
/// describe only the reading are removed from it.
MappedField read_field(const Datum& name, const Datum& value, bool flags, const Datum& sections) {
  const auto value_at = [&](const char* key) { return value.find(key) != nullptr ? *value.find(key) : Datum(); };
  MappedField field;
  field.name = name.text();
  field.span = name.span();
  field.places = {value.find("at") != nullptr ? value_at("at").text() : flags ? flag(field.name) : section_of(field.name, sections) + field.name};
  for (std::string& place : value.texts("also")) field.places.push_back(std::move(place));
  field.null = value_at("null");
  field.words = value_at("words");
  field.letters = value_at("letters");
  field.fallback = value_at("default");
  field.unrolled = value_at("unrolled").text() == "true";
  field.form = value_at("form").text();
  field.otherwise = value_at("otherwise");
  field.between = value_at("between").text();
  field.counted_item = value_at("count").text();
  field.counted = field.counted_item == "true";
  field.assumed = value_at("assumed").text();
  field.overrules = value.texts("overrules");
  field.in_comment = value_at("in_comment").text() == "true";
  field.required = value.find("default") == nullptr;
  field.type = value;
  if (value.find("type") == nullptr) return field;
  std::vector<Datum::Entry> described;
  for (const Datum::Entry& entry : value.entries()) {
    if (std::find(std::begin(kReadingKeys), std::end(kReadingKeys), entry.first.text()) == std::end(kReadingKeys)) described.push_back(entry);
  }
  field.type = Datum::map(std::move(described), value.span());
  return field;
}

/// Converts `{when: CONDITION, message: TEXT}`, a warning, to a constraint that does not hold where the condition holds.
Datum remark(const Datum& entry) {
  std::vector<Datum::Entry> entries;
  for (const auto& [name, value] : entry.entries()) {
    if (name.text() == "when") {
      entries.emplace_back(key("require", name.span()), Datum::scalar("not (" + value.text() + ")", value.quoted(), value.span()));
    } else {
      entries.emplace_back(name, value);
    }
  }
  entries.emplace_back(key("reason", entry.span()), key(kRemark, entry.span()));
  return Datum::map(std::move(entries), entry.span());
}

/// Returns the fields and formulas of a mapping in the form of an accounting, from which `link_program` makes a
/// program. Fields become inputs; remarks of all merged documents become constraints that only warn. Sets,
/// definitions and functions are copied.
Datum declare(const Mapping& mapping, const std::vector<MappedField>& fields) {
  const Span span = mapping.document->root.span();
  std::vector<Datum::Entry> inputs;
  for (const MappedField& field : fields) inputs.emplace_back(Datum::scalar(field.name, false, field.span), field.type);
  std::vector<Datum> constraints;
  for (const Datum* part : mapping.parts) {
    if (const Datum* remarks = part->find("remarks")) {
      for (const Datum& entry : remarks->items()) constraints.push_back(remark(entry));
    }
    if (const Datum* conditions = part->find("constraints")) constraints.insert(constraints.end(), conditions->items().begin(), conditions->items().end());
  }
  std::vector<Datum::Entry> root = {{key("inputs", span), Datum::map(std::move(inputs), span)},
                                    {key("constraints", span), Datum::list(std::move(constraints), span)}};
  for (const char* name : {"sets", "let", "functions"}) root.emplace_back(key(name, span), mapping.merged_section(name));
  return Datum::map(std::move(root), span);
}

}  // namespace

/// Reads the keys about fields and makes the source of a program from the fields and formulas. The requested document
/// alone decides the kind of config, because documents that it uses may serve several kinds. All other keys are
/// merged: mappings by key, lists by concatenation, and for single values the last document counts.
FieldMapping read_field_mapping(const Mapping& mapping) {
  const Document& document = *mapping.document;
  FieldMapping out;
  out.document = &document;
  out.kind = !document.root.texts("formats").empty()         ? ConfigKind::launch
             : !document.root.texts("quant_methods").empty() ? ConfigKind::quantization
                                                             : ConfigKind::model;
  out.flags = mapping.last_value("spelling").text() == "flags";
  out.makes_model = !mapping.subsection("model").last_value("graph").is_null();
  const Datum fields = mapping.merged_section("fields"), sections = mapping.merged_section("sections");
  for (const auto& [name, value] : fields.entries()) out.fields.push_back(read_field(name, value, out.flags, sections));
  out.declarations = {"accounting", document.name, document.path, declare(mapping, out.fields)};
  out.ignored = mapping.all_texts("ignored");
  out.suspected = mapping.all_texts("suspected");
  out.placeholders = mapping.all_texts("placeholders");
  out.refused = mapping.merged_section("refused");
  out.noted = mapping.merged_section("noted");
  return out;
}

}  // namespace opledger
