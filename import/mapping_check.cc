#include "import/mapping_check.h"

#include <fmt/core.h>

#include <algorithm>

#include "accounting/graph_engine.h"
#include "base/text.h"
#include "formulas/read/check.h"
#include "formulas/read/reader.h"
#include "graph/check_arguments.h"
#include "import/export_mapping.h"
#include "import/imported_execution.h"
#include "import/imported_model.h"
#include "import/quantized.h"
#include "import/value_writer.h"
#include "models/block_reader.h"
#include "models/model.h"
#include "questions/field_catalogue.h"
#include "schemas/schema.h"

namespace opledger {
namespace {

/// Checks a segment that a mapping writes into models. A key must be one of the schema's keys or in `names`, the
/// dimensions and parameters that blocks read. The names of connected inputs and tied weights must be those of the
/// block. Reports each violation as an error.
void check_segment(const Datum& segment, const Block& block, const std::vector<std::string>& names, Diagnostics& diagnostics) {
  static const std::vector<std::string> kOwn = {"name", "block", "doc", "repeat", "when", "in", "weights", "sizes"};
  const auto check_name = [&](const Datum& key) {
    if (contains(names, key.text())) return;
    diagnostics.error(key.span(),
                      fmt::format("block `{}` has no dimension or parameter `{}`{}", block.name, key.text(), known_names(key.text(), "names", names)));
  };
  for (const auto& [key, _] : segment.entries()) {
    if (!contains(kOwn, key.text())) check_name(key);
  }
  const Datum* const sizes = segment.find("sizes");
  for (const auto& [key, _] : sizes != nullptr ? sizes->entries() : std::vector<Datum::Entry>{}) check_name(key);
  std::vector<std::pair<std::string, std::string>> weights;
  std::vector<TieSpec> spans;
  if (const Datum* ties = segment.find("weights")) read_ties(*ties, diagnostics, weights, spans);
  const Datum* const in = segment.find("in");
  const std::vector<InputSpec> inputs = in != nullptr ? read_inputs(*in, diagnostics) : std::vector<InputSpec>{};
  check_ports(block, inputs, weights, spans, diagnostics);
  check_renames(inputs, names, diagnostics);
}

/// Checks the graph of a mapping. Each segment must name a block of the used documents, and may set only names in
/// `names`: parameters that the mapping writes, and names that blocks of these documents mention. Reports an error
/// for each unknown block or key. A document that can't be loaded ends the check, because all further errors would
/// follow from it.
void check_blocks(const FamilyMapping& family, Library& library, Diagnostics& diagnostics) {
  std::vector<std::string> known, names;
  std::map<std::string, Block> blocks_by_name;
  for (const auto& [parameter, _] : family.parameters.entries()) names.push_back(parameter.text());
  for (const std::string& name : family.uses) {
    const Document* blocks = library.load(name, {"blocks"}, diagnostics, family.graph.span(), family.config.document->path);
    const auto model = blocks != nullptr ? load_model(*blocks, library, diagnostics) : std::nullopt;
    if (!model) return;
    for (const auto& [block, declared] : model->blocks) {
      known.push_back(block);
      blocks_by_name.emplace(block, declared);
    }
    for (std::string& mentioned : mentioned_names(*model)) names.push_back(std::move(mentioned));
  }
  const auto check_named_block = [&](const Datum& segment) {
    const Datum& block = *segment.find("block");
    const auto found = blocks_by_name.find(block.text());
    if (found != blocks_by_name.end())
      check_segment(segment, found->second, names, diagnostics);
    else
      diagnostics.error(block.span(), fmt::format("there is no block `{}`{}", block.text(), suggestion(block.text(), known)));
  };
  for (const Datum& item : family.graph.items()) {
    const Datum* kinds = item.find("kinds");
    if (kinds == nullptr) check_named_block(item);
    for (const Datum& kind : kinds != nullptr ? kinds->items() : std::vector<Datum>{}) check_named_block(kind);
  }
}

void check_names(const Datum& section, const char* noun, const std::vector<std::string>& known, Diagnostics& diagnostics) {
  for (const auto& [name, _] : section.entries()) {
    if (!contains(known, name.text()))
      diagnostics.error(name.span(), fmt::format("there is no {} `{}`{}", noun, name.text(), known_names(name.text(), "names", known)));
  }
}

/// Returns the keys that an execution may have under an accounting; the standard one if the name is empty.
std::vector<std::string> execution_keys(const std::string& accounting, Library& library) {
  std::vector<std::string> out = model_parameters(library);
  for (const auto& [key, schema] : find_schema("execution")->properties) {
    if (!schema->never) out.push_back(key);
  }
  Diagnostics ignored;
  if (const auto fields = accepted_fields(accounting, library, ignored)) {
    for (const DocumentField& field : fields->execution) out.push_back(field.name);
  }
  return out;
}

/// Loads each rule of a list, so that unknown names are reported.
void check_rules(const Document& document, const Datum& listed, Library& library, Diagnostics& diagnostics) {
  const auto check = [&](const Datum& name) { library.load(name.text(), {"rules"}, diagnostics, name.span(), document.path); };
  for (const Datum& rule : listed.all()) {
    if (rule.is_scalar()) check(rule);
    for (const auto& [name, _] : rule.entries()) check(name);
  }
}

/// Checks names that other documents declare: keys of executions, fields, marks, and published numbers of a model.
/// Reports each unknown name as an error. Rules are loaded, and every other written value is checked for unknown
/// keys. The keys `let` and `refused` of the export have forms of their own.
void check_named(const LaunchMapping& launch, const ExportMapping& export_mapping, const QuantizationMapping& quantization, Library& library,
                 Diagnostics& diagnostics) {
  const FamilyMapping& family = launch.family;
  if (!launch.execution.entries().empty() || !launch.approximated.entries().empty()) {
    const Datum* const accounting = launch.execution.find("accounting");
    const Datum* const named = accounting != nullptr ? accounting->find("literal") : nullptr;
    const std::vector<std::string> keys = execution_keys(named != nullptr ? named->text() : "", library);
    check_names(launch.execution, "key of executions", keys, diagnostics);
    check_names(launch.approximated, "key of executions", keys, diagnostics);
  }
  std::vector<std::string> names = names_of(family.config.fields);
  names.insert(names.end(), {"let", "refused"});
  check_names(export_mapping.writes, "field", names, diagnostics);
  if (!family.published.entries().empty()) {
    check_names(family.published, "published number", declared_names("documents", "published", library), diagnostics);
  }
  for (const char* of : {"node", "cached"}) {
    if (const Datum* marks = quantization.rules.find(of)) check_names(*marks, "mark", declared_names("marks", of, library), diagnostics);
  }
  for (const Datum* section : {&launch.execution, &export_mapping.writes}) {
    for (const auto& [key, value] : section->entries()) {
      if (key.text() == "rules")
        check_rules(*family.config.document, value, library, diagnostics);
      else if (key.text() != "let" && key.text() != "refused")
        check_written(value, diagnostics);
    }
  }
}

}  // namespace

/// Links the mapping without a config: its fields become inputs without values. A mapping that does not link is
/// checked no further, because later checks need its program. Every subject of a mapping is checked, although most
/// mappings have only one: absent sections are empty.
void check_mapping(const Document& document, Library& library, Diagnostics& diagnostics) {
  const std::optional<Mapping> mapping = load_mapping(document, library, diagnostics);
  if (!mapping) return;
  const LaunchMapping launch = read_launch_mapping(*mapping);
  const QuantizationMapping quantization = read_quantization_mapping(*mapping);
  ProgramSources sources(graph_engine());
  sources.documents = {&launch.family.config.declarations};
  std::optional<Program> program = link_program(sources, diagnostics);
  if (!program || !check_units(*program, diagnostics)) return;
  link_imported_model(launch.family, *program, diagnostics);
  link_imported_execution(launch, *program, diagnostics);
  link_quantized(quantization, *program, diagnostics);
  check_blocks(launch.family, library, diagnostics);
  check_named(launch, read_export_mapping(*mapping), quantization, library, diagnostics);
}

}  // namespace opledger
