#include "import/launch.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/lists.h"
#include "base/text.h"
#include "import/config.h"
#include "import/config_writer.h"
#include "import/import_steps.h"
#include "import/imported_execution.h"
#include "import/included_files.h"
#include "import/places.h"
#include "run/document_fields.h"
#include "schemas/document.h"
#include "schemas/finder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormats = "formats";

/// Returns whether the file itself has a field.
bool has_field(const Datum& config, const MappedField& field) {
  return std::any_of(field.places.begin(), field.places.end(), [&](const std::string& place) { return find_at(config, place) != nullptr; });
}

/// Completes `config`, which lists only changes, by the base run of the request. The base run is written as a config,
/// as for an export, and each field that `config` lacks is copied. A base model without a base execution provides
/// only the fields that the mapping lists in `of_model`. A mapping without a model, or a request without a base
/// model, needs no base. Returns false and reports errors if the base can't run, or if the mapping can't express it.
bool add_base(const LaunchMapping& launch, const ExportMapping& export_mapping, const ImportRequest& request, Datum& config, Library& library,
              Diagnostics& diagnostics) {
  if (launch.family.graph.is_null() || request.base_model.empty()) return true;
  RunRequest base;
  base.model = request.base_model;
  if (!request.base_execution.empty()) base.execution = request.base_execution;
  base.system = export_mapping.compared_on;
  const std::unique_ptr<Run> run = Run::prepare(base, library, diagnostics);
  const std::optional<WrittenConfig> base_config = run != nullptr ? write_config(launch, export_mapping, *run, diagnostics) : std::nullopt;
  if (!base_config) return false;
  for (const WrittenField& field : base_config->fields) {
    const bool is_needed = !request.base_execution.empty() || contains(launch.of_model, field.field->name);
    if (is_needed && !has_field(config, *field.field)) config = with_value(config, field.field->places[0], field.value);
  }
  return true;
}

/// Sets the base model of a request by the name that the config states, unless the user names a model. A format whose
/// mapping has no names of models needs none. Returns false and reports an error without a model.
bool find_base_model(const LaunchConfig& config, const ModelNames& names, ImportRequest& request, Diagnostics& diagnostics) {
  if (names.place.empty() || !request.base_model.empty()) return true;
  const Datum* const name = find_at(config.config, names.place);
  if (name == nullptr || !name->is_scalar()) {
    diagnostics.error(config.config.span(), fmt::format("`{}` is missing: name the model with `--base MODEL`", names.place));
    return false;
  }
  const std::optional<std::string> model = find_named_model(*name, names, diagnostics);
  request.base_model = model.value_or("");
  return model.has_value();
}

/// Reads the file of a request and the files that it names, and applies the user's settings, then the base run. A
/// setting names a field, or the place of a file's name; any other name with an upper-case letter sets a variable of
/// the script, except in TOML. A setting of a field replaces the value at every place, also at the places that the
/// field overrules, and is written to the first place. Returns nothing and reports errors for an unknown name, or if a
/// file or the base can't be read.
std::optional<LaunchConfig> read_with_settings(const LaunchMapping& launch, const ExportMapping& export_mapping, const ImportRequest& request, Library& library,
                                               Diagnostics& diagnostics) {
  ScriptVariables variables;
  std::vector<std::pair<const MappedField*, Datum>> settings;
  NamedFiles files;
  std::vector<std::string> known;
  const std::vector<MappedField>& fields = launch.family.config.fields;
  for (const MappedField& field : fields) known.push_back(field.name);
  for (const auto& [name, value] : request.settings) {
    const auto at = std::find(known.begin(), known.end(), name);
    const bool is_variable = !request.file.ends_with(".toml") && std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (launch.included_files.find(name) != nullptr && (at == known.end() || is_path(value))) {
      files.emplace_back(name, Datum::scalar(value, false, place_of_setting(name, value)));
    } else if (at != known.end()) {
      settings.emplace_back(&fields[static_cast<std::size_t>(at - known.begin())], Datum::scalar(value, false, place_of_setting(name, value)));
    } else if (is_variable) {
      variables[name] = value;
    } else {
      diagnostics.error(place_of_setting(name, value),
                        fmt::format("the mapping `{}` has no field `{}`{}", launch.family.config.name(), visible(name), known_names(name, "fields", known)));
    }
  }
  const std::shared_ptr<const SourceFile> source = diagnostics.has_errors() ? nullptr : read_source(request.file, diagnostics);
  std::optional<LaunchConfig> out = source != nullptr ? read_launch(source, launch, variables, diagnostics) : std::nullopt;
  if (!out || !include_files(out->config, launch, files, library, diagnostics)) return std::nullopt;
  for (const auto& [field, value] : settings) {
    for (const auto* places : {&field->places, &field->overrules}) {
      for (const std::string& place : *places) out->config = without_value(out->config, place);
    }
    out->config = with_value(out->config, field->places[0], value);
  }
  if (!add_base(launch, export_mapping, request, out->config, library, diagnostics)) return std::nullopt;
  return out;
}

}  // namespace

std::optional<Mapping> load_launch_mapping(const std::string& format, const std::string& mapping_name, Library& library, Diagnostics& diagnostics) {
  const Document* document = mapping_name.empty()
                                 ? find_mapping(kFormats, "format", Datum::scalar(format, false, {}), "--mapping takes one of your own", library, diagnostics)
                                 : library.load(mapping_name, {"import"}, diagnostics);
  std::optional<Mapping> mapping = document != nullptr ? load_mapping(*document, library, diagnostics) : std::nullopt;
  if (!mapping || !mapping->merged_section("execution").entries().empty()) return mapping;
  diagnostics.error(document->root.span(), fmt::format("the mapping `{}` makes no execution", document->name));
  return std::nullopt;
}

ImportedDocuments import_config(const LaunchConfig& config, const LaunchMapping& launch, const std::string& format, const ImportRequest& request,
                                Diagnostics& diagnostics) {
  // The import has three phases: read the fields, link every formula of the mapping with them, evaluate. Everything is
  // linked before the first evaluation, so an error in a formula is found for any values of the config. Each phase runs
  // only if the previous one had no error. A mapping without a graph gives only an execution.
  const FamilyMapping& family = launch.family;
  const std::optional<ConfigFields> fields = read_config(config.config, family.config, diagnostics);
  std::optional<Program> program = fields ? link_config(family.config, *fields, diagnostics) : std::nullopt;
  const std::optional<LinkedModel> model = program ? link_imported_model(family, *program, diagnostics) : std::nullopt;
  const std::optional<LinkedExecution> execution = model ? link_imported_execution(launch, *program, diagnostics) : std::nullopt;
  if (!execution) return {};
  MappedConfig mapped(family.config, *fields, config.config, *program, diagnostics);
  if (!mapped.check()) return {};
  const std::string source = fmt::format("{} ({})", fs::path(request.file).filename().string(), format);
  const std::string advice =
      (family.graph.is_null() && !request.base_model.empty() ? fmt::format("It runs the model `{}`. ", visible(request.base_model)) : "") +
      "Comments name the sources of values; everything may be edited.";
  ImportedDocuments out;
  if (!family.graph.is_null()) {
    const std::optional<ImportedModel> imported =
        make_model(*model, mapped, heading_of(request.name, *family.config.document, source, advice.c_str()), diagnostics);
    if (!imported) return {};
    out.text = imported->text;
  }
  const auto run = make_execution(*execution, mapped, config.comment_keys, request.published_rules,
                                  heading_of(request.execution, *family.config.document, source, advice.c_str()), diagnostics);
  if (!run) return {};
  out.execution = *run;
  return out;
}

std::vector<std::string> published_rules_of(const std::string& model, Library& library) {
  Diagnostics ignored;  // A wrong name is an error of the run.
  const Document* const document = model.empty() ? nullptr : library.load(model, {"model"}, ignored);
  return document != nullptr ? document->root.texts("published_rules") : std::vector<std::string>{};
}

ImportedDocuments import_launch(const std::string& format, const ImportRequest& original, Library& library, Diagnostics& diagnostics) {
  // The imported documents are proved by preparing a run in a copy of the library. The proof needs an execution and a
  // model: without a model in the file or the request, the documents are returned unproved.
  const std::optional<Mapping> mapping = load_launch_mapping(format, original.mapping, library, diagnostics);
  if (!mapping) return {};
  const LaunchMapping launch = read_launch_mapping(*mapping);
  ImportRequest request = original;
  const std::optional<LaunchConfig> config = read_with_settings(launch, read_export_mapping(*mapping), request, library, diagnostics);
  if (!config) return {};
  if (!find_base_model(*config, launch.model_names, request, diagnostics)) {
    read_config(config->config, launch.family.config, diagnostics);  // The key of the model may be misspelt: other errors show it.
    return {};
  }
  request.published_rules = published_rules_of(request.base_model, library);
  ImportedDocuments imported = import_config(*config, launch, format, request, diagnostics);
  imported.base_model = request.base_model;
  if (imported.execution.empty() || (imported.text.empty() && request.base_model.empty())) return imported;
  Library extended_library = library;
  ImportRequest proof = request;  // Some graphs depend on the times of a machine.
  if (proof.system.empty()) proof.system = read_export_mapping(*mapping).compared_on;
  const std::unique_ptr<Run> run = build_imported(imported, proof, extended_library, diagnostics);
  if (run == nullptr) return {};
  if (!imported.text.empty()) warn_of_defaults(*run, launch.family, diagnostics);
  for (const std::string& message : messages_about(*run, launch.run_remarks, *run->program().model)) diagnostics.warning(config->config.span(), message);
  return imported;
}

std::vector<std::string> launch_formats(Library& library) {
  std::vector<std::string> out;
  Diagnostics ignored;
  for (const std::string& name : library.names("import")) {
    const Document* document = library.load(name, {"import"}, ignored);
    if (document == nullptr) continue;
    for (std::string& format : document->root.texts(kFormats)) out.push_back(std::move(format));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> export_formats(Library& library) {
  std::vector<std::string> out = launch_formats(library);
  std::erase_if(out, [&](const std::string& format) {
    Diagnostics ignored;
    const std::optional<Mapping> mapping = load_launch_mapping(format, "", library, ignored);
    return !mapping || read_export_mapping(*mapping).export_format.empty();
  });
  return out;
}

std::string suffix_of_export(const std::string& format, Library& library) {
  Diagnostics ignored;
  const std::optional<Mapping> mapping = load_launch_mapping(format, "", library, ignored);
  const std::string suffix = mapping ? read_export_mapping(*mapping).export_format : "";
  return suffix == "script" ? "sh" : suffix;
}

std::optional<std::string> export_format_of_stack(const std::string& stack, Library& library) {
  for (const std::string& format : export_formats(library)) {
    Diagnostics ignored;
    const std::optional<Mapping> mapping = load_launch_mapping(format, "", library, ignored);
    const Datum execution = mapping->merged_section("execution");
    const Datum* const named = execution.find("stack");
    for (const Datum& item : named != nullptr ? named->all() : std::vector<Datum>{}) {
      const Datum* const name = item.find("literal");
      if (name != nullptr && name->text() == stack) return format;
    }
  }
  return std::nullopt;
}

}  // namespace opledger
