#include "import/launch_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/lists.h"
#include "base/text.h"
#include "import/places.h"
#include "import/toml.h"
#include "schemas/document.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

/// Merges the arguments into the document: entries below their key, then all other entries of the root.
Datum merge_arguments(const Datum& root, const LaunchMapping& launch) {
  const Datum* arguments = launch.arguments_at.empty() ? nullptr : root.find(launch.arguments_at);
  if (arguments == nullptr || !arguments->is_map()) return root;
  std::vector<Datum::Entry> entries = arguments->entries();
  for (const Datum::Entry& entry : root.entries()) {
    if (entry.first.text() != launch.arguments_at) entries.push_back(entry);
  }
  return Datum::map(std::move(entries), root.span());
}

Datum arguments(const std::vector<Datum>& words, const LaunchMapping& launch, const Span& whole, Diagnostics& diagnostics) {
  return launch.family.config.flags ? flags_of(words, whole) : sections_of(words, whole, diagnostics);
}

/// Reads a YAML or JSON document: a list of scalars is a list of arguments, a mapping has them as keys.
std::optional<Datum> from_document(const std::shared_ptr<const SourceFile>& source, const LaunchMapping& launch, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  const std::optional<Datum> root = parse_document(source, diagnostics);
  if (!root || diagnostics.errors() > errors) return std::nullopt;
  const auto scalar = [](const Datum& item) { return item.is_scalar(); };
  if (root->is_list() && std::all_of(root->items().begin(), root->items().end(), scalar)) return arguments(root->items(), launch, root->span(), diagnostics);
  if (root->is_map()) return merge_arguments(*root, launch);
  diagnostics.error(root->span(), fmt::format("expected a mapping, or a list of arguments, found {}", root->describe()));
  return std::nullopt;
}

bool reads_program(const LaunchMapping& launch) {
  return std::any_of(launch.family.config.fields.begin(), launch.family.config.fields.end(),
                     [](const MappedField& field) { return contains(field.places, kProgramPlace); });
}

/// Returns the keys of an execution, and the fields of the mapping, that a file states in comment lines
/// `# opledger: KEY: VALUE`. All such lines together are parsed as one YAML document. Every other line is blanked and
/// the mark is replaced by blanks, so positions in messages stay correct. Only `rules`, the keys in the mapping's
/// `assumed` and `approximated`, and fields in comments are permitted; any other key is an error.
std::vector<Datum::Entry> notes_of(const std::shared_ptr<const SourceFile>& source, const LaunchMapping& launch, Diagnostics& diagnostics) {
  std::string text, line;
  bool has_notes = false;
  for (std::size_t begin = 0; begin < source->text.size(); begin += line.size() + 1) {
    line = source->text.substr(begin, source->text.find('\n', begin) - begin);
    const bool is_note = line.rfind(kNoteMark, 0) == 0;
    text += (is_note ? std::string(kNoteMark.size(), ' ') + line.substr(kNoteMark.size()) : "") + "\n";
    has_notes = has_notes || is_note;
  }
  if (!has_notes) return {};
  const std::optional<Datum> notes = parse_document(std::make_shared<const SourceFile>(source->path, text), diagnostics);
  if (!notes) return {};
  std::vector<std::string> known = launch.assumed;
  known.emplace_back("rules");
  for (const auto& [key, _] : launch.approximated.entries()) known.push_back(key.text());
  for (const MappedField& field : launch.family.config.fields) {
    if (field.in_comment) known.push_back(field.name);
  }
  std::vector<Datum::Entry> out;
  for (const Datum::Entry& entry : notes->entries()) {
    if (contains(known, entry.first.text())) {
      out.push_back(entry);
    } else {
      diagnostics.error(entry.first.span(), fmt::format("`{}` is no key that the mapping `{}` reads from a comment{}", visible(entry.first.text()),
                                                        launch.family.config.name(), known_names(entry.first.text(), "fields", known)));
    }
  }
  return out;
}

}  // namespace

std::optional<LaunchConfig> read_launch(const std::shared_ptr<const SourceFile>& source, const LaunchMapping& launch, const ScriptVariables& variables,
                                        Diagnostics& diagnostics) {
  // The suffix of the file name selects the parser; a final `.gz` is ignored. User variables replace references in
  // scripts, YAML and JSON, not in TOML. The program of a command becomes a field only if the mapping has a field at
  // the place `$0`. Keys in comments are read last, from any format.
  const std::size_t errors = diagnostics.errors();
  const fs::path file = source->path;
  const std::string suffix = (file.extension() == ".gz" ? file.stem() : file).extension().string();
  LaunchConfig out;
  std::optional<Datum> config;
  if (suffix == ".py") {
    diagnostics.error({source, 1, 1},
                      "this is a program, which would have to be run to know what it starts: a script, arguments, YAML, JSON or TOML can be read");
  } else if (suffix == ".toml") {
    config = parse_toml(source, diagnostics);
  } else if (suffix == ".yaml" || suffix == ".yml" || suffix == ".json") {
    config = from_document(source, launch, diagnostics);
    if (config) config = with_variables(*config, variables);
  } else {
    Datum program;
    const std::optional<std::vector<Datum>> words = read_script(source, variables, diagnostics, &program, launch.command_words);
    if (words) config = arguments(*words, launch, {source, 1, 1}, diagnostics);
    if (config && !program.is_null() && reads_program(launch)) config = with_value(*config, kProgramPlace, program);
  }
  if (!config || diagnostics.errors() > errors) return std::nullopt;
  out.config = std::move(*config);
  out.comment_keys = notes_of(source, launch, diagnostics);
  for (const MappedField& field : launch.family.config.fields) {
    const auto is_field = [&](const Datum::Entry& entry) { return field.in_comment && entry.first.text() == field.name; };
    const auto stated = std::find_if(out.comment_keys.begin(), out.comment_keys.end(), is_field);
    if (stated == out.comment_keys.end()) continue;
    out.config = with_value(out.config, field.places[0], stated->second);
    out.comment_keys.erase(stated);
  }
  if (diagnostics.errors() > errors) return std::nullopt;
  return out;
}

}  // namespace opledger
