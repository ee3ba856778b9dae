#include "import/mapping.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "schemas/document.h"

namespace opledger {
namespace {

using Entries = std::vector<Datum::Entry>;

std::vector<std::string> texts(const Datum* names) {
  std::vector<std::string> out;
  if (names == nullptr) return out;
  if (names->is_scalar()) out.push_back(names->text());
  for (const Datum& name : names->items()) out.push_back(name.text());
  return out;
}

void add(std::vector<std::string>& list, const Datum* names) {
  for (std::string& name : texts(names)) list.push_back(std::move(name));
}

void take(std::string& word, const Datum* said) {
  if (said != nullptr) word = said->text();
}

/// Entries of a section, each in the place of an earlier one of its name.
void merge(Entries& all, const Datum* section) {
  if (section == nullptr) return;
  for (const Datum::Entry& entry : section->entries()) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Datum::Entry& other) { return other.first.text() == entry.first.text(); });
    if (same == all.end()) {
      all.push_back(entry);
    } else {
      *same = entry;
    }
  }
}

/// `--num-layers` of `num_layers`.
std::string flag(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

/// Keys of a field that are no part of its type.
constexpr std::string_view kReadingKeys[] = {"at", "also", "null", "words", "letters", "count", "unrolled", "between", "form", "assumed", "overrules"};

Datum key(const char* name, const Span& span) { return Datum::scalar(name, false, span); }

/// `model.` where the mapping says that the field stands in that section; empty: it says nothing.
std::string section_of(const std::string& field, const Entries& sections) {
  std::string usual;
  for (const auto& [section, fields] : sections) {
    if (fields.is_null()) usual = section.text() + ".";
    for (const Datum& name : fields.all()) {
      if (name.text() == field) return section.text() + ".";
    }
  }
  return usual;
}

MappedField read_field(const Datum& name, const Datum& value, bool flags, const Entries& sections) {
  MappedField field;
  field.name = name.text();
  field.span = name.span();
  const Datum* at = value.find("at");
  field.places = {at != nullptr ? at->text() : flags ? flag(field.name) : section_of(field.name, sections) + field.name};
  add(field.places, value.find("also"));
  if (const Datum* null = value.find("null")) field.null = *null;
  if (const Datum* words = value.find("words")) field.words = *words;
  if (const Datum* letters = value.find("letters")) field.letters = *letters;
  if (const Datum* fallback = value.find("default")) field.fallback = *fallback;
  if (const Datum* unrolled = value.find("unrolled")) field.unrolled = unrolled->text() == "true";
  if (const Datum* form = value.find("form")) field.form = form->text();
  if (const Datum* between = value.find("between")) field.between = between->text();
  if (const Datum* count = value.find("count")) {
    field.counted = count->text() == "true";
    field.counted_item = count->text();
  }
  if (const Datum* assumed = value.find("assumed")) field.assumed = assumed->text();
  add(field.overrules, value.find("overrules"));
  field.required = value.find("default") == nullptr;
  field.type = value;
  if (value.find("type") == nullptr) return field;
  Entries described;
  for (const Datum::Entry& entry : value.entries()) {
    if (std::find(std::begin(kReadingKeys), std::end(kReadingKeys), entry.first.text()) == std::end(kReadingKeys)) described.push_back(entry);
  }
  field.type = Datum::map(std::move(described), value.span());
  return field;
}

/// `{when: CONDITION, message: TEXT}`: what is said, but wrong in nothing, as a constraint that does not hold.
Datum remark(const Datum& written) {
  Entries entries;
  for (const auto& [name, value] : written.entries()) {
    if (name.text() == "when") {
      entries.emplace_back(key("require", name.span()), Datum::scalar("not (" + value.text() + ")", value.quoted(), value.span()));
    } else {
      entries.emplace_back(name, value);
    }
  }
  entries.emplace_back(key("reason", written.span()), key(kRemark, written.span()));
  return Datum::map(std::move(entries), written.span());
}

/// What link_program reads of an accounting.
Datum declare(const Mapping& mapping, const std::vector<std::pair<const char*, Entries>>& sections) {
  const Span span = mapping.document->root.span();
  Entries inputs;
  for (const MappedField& field : mapping.fields) inputs.emplace_back(Datum::scalar(field.name, false, field.span), field.type);
  Entries root = {{key("inputs", span), Datum::map(std::move(inputs), span)}, {key("constraints", span), Datum::list(mapping.constraints, span)}};
  for (const auto& [name, entries] : sections) root.emplace_back(key(name, span), Datum::map(entries, span));
  return Datum::map(std::move(root), span);
}

}  // namespace

const Datum* Mapping::rule(std::string_view key) const {
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const Datum::Entry& entry) { return entry.first.text() == key; });
  return found != rules.end() ? &found->second : nullptr;
}

std::optional<Mapping> load_mapping(const Document& document, Library& library, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  const auto documents = library.closure(document, {"uses"}, {"import"}, diagnostics);
  if (diagnostics.errors() > errors || documents.empty()) return std::nullopt;
  Mapping mapping;
  mapping.document = &document;
  mapping.model_types = texts(document.root.find("model_types"));
  mapping.quant_methods = texts(document.root.find("quant_methods"));
  mapping.formats = texts(document.root.find("formats"));
  Entries fields, sections, sets, lets, functions;
  for (const Document* part : documents) {
    merge(fields, part->root.find("fields"));
    merge(sections, part->root.find("sections"));
    merge(sets, part->root.find("sets"));
    merge(lets, part->root.find("let"));
    merge(functions, part->root.find("functions"));
    merge(mapping.tensors, part->root.find("tensors"));
    merge(mapping.packed, part->root.find("packed"));
    add(mapping.buffers, part->root.find("buffers"));
    add(mapping.beside, part->root.find("beside"));
    if (const Datum* further = part->root.find("further_layers")) mapping.further_layers = further->text() == "true";
    merge(mapping.rules, part->root.find("rules"));
    merge(mapping.stretched, part->root.find("stretched"));
    merge(mapping.refused, part->root.find("refused"));
    merge(mapping.noted, part->root.find("noted"));
    merge(mapping.execution, part->root.find("execution"));
    merge(mapping.writes, part->root.find("writes"));
    if (const Datum* spelling = part->root.find("spelling")) mapping.flags = spelling->text() == "flags";
    add(mapping.of_model, part->root.find("of_model"));
    add(mapping.assumed, part->root.find("assumed"));
    take(mapping.written_as, part->root.find("written_as"));
    take(mapping.command, part->root.find("command"));
    take(mapping.judged_on, part->root.find("judged_on"));
    take(mapping.arguments_at, part->root.find("arguments_at"));
    if (const Datum* remarks = part->root.find("remarks")) {
      for (const Datum& written : remarks->items()) mapping.constraints.push_back(remark(written));
    }
    add(mapping.ignored, part->root.find("ignored"));
    add(mapping.suspected, part->root.find("suspected"));
    add(mapping.unsaid, part->root.find("unsaid"));
    if (const Datum* constraints = part->root.find("constraints"))
      mapping.constraints.insert(mapping.constraints.end(), constraints->items().begin(), constraints->items().end());
    const Datum* model = part->root.find("model");
    if (model == nullptr) continue;
    if (const Datum* uses = model->find("uses")) mapping.uses = texts(uses);
    merge(mapping.published, model->find("published"));
    merge(mapping.parameters, model->find("parameters"));
    if (const Datum* graph = model->find("graph")) mapping.graph = *graph;
  }
  for (const auto& [name, value] : fields) mapping.fields.push_back(read_field(name, value, mapping.flags, sections));
  for (const auto& [name, value] : mapping.rules) {  // fields that rules are read from
    const std::string& key = name.text();
    if (key == "groups" || key == "targets_at" || key == "kept_at") add(mapping.ignored, &value);
  }
  mapping.declarations = {"accounting", document.name, document.path, declare(mapping, {{"sets", sets}, {"let", lets}, {"functions", functions}})};
  return mapping;
}

}  // namespace opledger
