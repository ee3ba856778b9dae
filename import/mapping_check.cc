#include "import/mapping_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "accounting/graph_engine.h"
#include "base/text.h"
#include "formulas/read/check.h"
#include "formulas/read/reader.h"
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
