#include "import/mapping.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "accounting/engine.h"
#include "base/text.h"
#include "formulas/check.h"
#include "formulas/reader.h"
#include "graph/check_arguments.h"
#include "import/made_execution.h"
#include "import/made_model.h"
#include "import/quantised.h"
#include "import/written_value.h"
#include "models/block_reader.h"
#include "models/model.h"
#include "questions/field_catalogue.h"
#include "schemas/schema.h"

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

/// A segment of the model that is written, among the keys of its schema and the dimensions and parameters that it renames.
void check_segment(const Datum& segment, const Block& block, const std::vector<std::string>& names, Diagnostics& diagnostics) {
  static const std::vector<std::string> kOwn = {"name", "block", "doc", "repeat", "when", "in", "weights"};
  for (const auto& [key, _] : segment.entries()) {
    if (contains(kOwn, key.text()) || contains(names, key.text())) continue;
    diagnostics.error(key.span(),
                      fmt::format("block `{}` has no dimension or parameter `{}`{}", block.name, key.text(), known_names(key.text(), "names", names)));
  }
  std::vector<std::pair<std::string, std::string>> weights;
  std::vector<TieSpec> spans;
  if (const Datum* ties = segment.find("weights")) read_ties(*ties, diagnostics, weights, spans);
  const Datum* const in = segment.find("in");
  const std::vector<InputSpec> inputs = in != nullptr ? read_inputs(*in, diagnostics) : std::vector<InputSpec>{};
  check_ports(block, inputs, weights, spans, diagnostics);
  check_renames(inputs, names, diagnostics);
}

void check_blocks(const Mapping& mapping, Library& library, Diagnostics& diagnostics) {
  std::vector<std::string> known, names;
  std::map<std::string, Block> blocks_by_name;
  for (const auto& [parameter, _] : mapping.parameters) names.push_back(parameter.text());
  for (const std::string& name : mapping.uses) {
    const Document* blocks = library.load(name, {"blocks"}, diagnostics, mapping.graph.span(), mapping.document->path);
    const auto model = blocks != nullptr ? load_model(*blocks, library, diagnostics) : std::nullopt;
    if (!model) return;
    for (const auto& [block, declared] : model->blocks) {
      known.push_back(block);
      blocks_by_name.emplace(block, declared);
    }
    for (std::string& mentioned : mentioned_names(*model)) names.push_back(std::move(mentioned));
  }
  const auto check = [&](const Datum& segment) {
    const Datum& block = *segment.find("block");
    const auto found = blocks_by_name.find(block.text());
    if (found != blocks_by_name.end())
      check_segment(segment, found->second, names, diagnostics);
    else
      diagnostics.error(block.span(), fmt::format("there is no block `{}`{}", block.text(), suggestion(block.text(), known)));
  };
  for (const Datum& item : mapping.graph.items()) {
    const Datum* kinds = item.find("kinds");
    if (kinds == nullptr) check(item);
    for (const Datum& kind : kinds != nullptr ? kinds->items() : std::vector<Datum>{}) check(kind);
  }
}

void check_names(const std::vector<Datum::Entry>& entries, const char* what, const std::vector<std::string>& known, Diagnostics& diagnostics) {
  for (const auto& [name, _] : entries) {
    if (!contains(known, name.text()))
      diagnostics.error(name.span(), fmt::format("there is no {} `{}`{}", what, name.text(), known_names(name.text(), "names", known)));
  }
}

/// What an execution may say.
std::vector<std::string> execution_keys(Library& library) {
  std::vector<std::string> out = model_parameters(library);
  for (const auto& [key, schema] : find_schema("execution")->properties) {
    if (!schema->never) out.push_back(key);
  }
  Diagnostics unread;
  if (const auto fields = accepted_fields("", library, unread)) {
    for (const DocumentField& field : fields->execution) out.push_back(field.name);
  }
  return out;
}

void check_rules(const Mapping& mapping, const Datum& listed, Library& library, Diagnostics& diagnostics) {
  const auto check = [&](const Datum& name) { library.load(name.text(), {"rules"}, diagnostics, name.span(), mapping.document->path); };
  for (const Datum& rule : listed.all()) {
    if (rule.is_scalar()) check(rule);
    for (const auto& [name, _] : rule.entries()) check(name);
  }
}

/// Names in a mapping that stand for something elsewhere: keys of executions, fields, marks, what publishers state of a model.
void check_named(const Mapping& mapping, Library& library, Diagnostics& diagnostics) {
  if (!mapping.execution.empty() || !mapping.stretched.empty()) {
    const std::vector<std::string> keys = execution_keys(library);
    check_names(mapping.execution, "key of executions", keys, diagnostics);
    check_names(mapping.stretched, "key of executions", keys, diagnostics);
  }
  std::vector<std::string> written = names_of(mapping.fields);
  written.insert(written.end(), {"let", "refused"});
  check_names(mapping.writes, "field", written, diagnostics);
  if (!mapping.published.empty()) check_names(mapping.published, "published number", declared_names("documents", "published", library), diagnostics);
  for (const char* of : {"node", "held"}) {
    if (const Datum* marks = mapping.rule(of)) check_names(marks->entries(), "mark", declared_names("marks", of, library), diagnostics);
  }
  for (const auto* entries : {&mapping.execution, &mapping.writes}) {
    for (const auto& [key, value] : *entries) {
      if (key.text() == "rules")
        check_rules(mapping, value, library, diagnostics);
      else if (key.text() != "let" && key.text() != "refused")
        check_written(value, diagnostics);
    }
  }
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

void check_mapping(const Document& document, Library& library, Diagnostics& diagnostics) {
  const std::optional<Mapping> mapping = load_mapping(document, library, diagnostics);
  if (!mapping) return;
  ProgramSources sources(graph_engine());
  sources.documents = {&mapping->declarations};
  std::optional<Program> program = link_program(sources, diagnostics);
  if (!program || !check_units(*program, diagnostics)) return;
  link_made_model(*mapping, *program, diagnostics);
  link_made_execution(*mapping, *program, diagnostics);
  link_quantised(*mapping, *program, diagnostics);
  check_blocks(*mapping, library, diagnostics);
  check_named(*mapping, library, diagnostics);
}

}  // namespace opledger
