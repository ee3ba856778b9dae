#include "import/launch.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/lists.h"
#include "base/text.h"
#include "import/imported.h"
#include "import/launch_reader.h"
#include "import/made_execution.h"
#include "import/places.h"
#include "run/sources.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormats = "formats";

class LaunchImporter {
 public:
  LaunchImporter(const std::string& format, const ImportRequest& request, Library& library, Diagnostics& diagnostics)
      : format_(format), request_(request), library_(library), diagnostics_(diagnostics) {}

  Imported import() {
    const Document* document =
        request_.mapping.empty()
            ? find_mapping(kFormats, "format", Datum::scalar(format_, false, {}), "--mapping takes one of your own", library_, diagnostics_)
            : library_.load(request_.mapping, {"import"}, diagnostics_);
    const std::optional<Mapping> mapping = document != nullptr ? load_mapping(*document, library_, diagnostics_) : std::nullopt;
    if (!mapping) return {};
    if (mapping->execution.empty()) {
      diagnostics_.error(document->root.span(), fmt::format("the mapping `{}` makes no execution", document->name));
      return {};
    }
    const std::optional<Datum> config = read(*mapping);
    const std::optional<ConfigFields> fields = config ? read_config(*config, *mapping, diagnostics_) : std::nullopt;
    if (!fields) return {};
    Imported made = make(*mapping, *fields, *config);
    Library with_made = library_;
    if (made.execution.empty() || (made.text.empty() && request_.base_model.empty())) return made;
    return build_imported(made, request_, with_made, diagnostics_) != nullptr ? made : Imported{};
  }

 private:
  std::optional<Datum> read(const Mapping& mapping) {
    ScriptVariables variables;
    std::vector<std::pair<const MappedField*, Datum>> given;
    for (const auto& [key, value] : request_.given) {
      const std::string& name = key;
      const auto field = std::find_if(mapping.fields.begin(), mapping.fields.end(), [&](const MappedField& other) { return other.name == name; });
      if (field == mapping.fields.end()) {
        variables[key] = value;
      } else {
        given.emplace_back(&*field, Datum::scalar(value, false, place_of_setting(key, value)));
      }
    }
    std::optional<Datum> config = read_launch(request_.file, mapping, variables, diagnostics_);
    if (!config || !check(variables, mapping)) return std::nullopt;
    for (const auto& [field, value] : given) {
      for (const std::string& place : field->places) config = without(*config, place);
      config = with_value(*config, field->places[0], value);
    }
    return config;
  }

  /// What is no field must be a variable's name, or it would do nothing.
  bool check(const ScriptVariables& variables, const Mapping& mapping) {
    std::vector<std::string> known;
    for (const MappedField& field : mapping.fields) known.push_back(field.name);
    bool fine = true;
    for (const auto& [name, value] : variables) {
      const bool is_variable = std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
      if (is_variable && mapping.flags) continue;
      diagnostics_.error(place_of_setting(name, value),
                         fmt::format("the mapping `{}` has no field `{}`{}", mapping.name(), visible(name), suggestion(name, known)));
      fine = false;
    }
    return fine;
  }

  Imported make(const Mapping& mapping, const ConfigFields& fields, const Datum& config) {
    std::optional<Program> program = link_config(mapping, fields, diagnostics_);
    const std::optional<LinkedModel> model = program ? link_made_model(mapping, *program, diagnostics_) : std::nullopt;
    const std::optional<LinkedExecution> execution = model ? link_made_execution(mapping, *program, diagnostics_) : std::nullopt;
    if (!execution) return {};
    MappedConfig mapped(mapping, fields, config, *program, diagnostics_);
    if (!mapped.check()) return {};
    const std::string source = fmt::format("{} ({})", fs::path(request_.file).filename().string(), format_);
    const char* const advice = "Comments say what a value comes from; all of this may be edited.";
    Imported out;
    if (!mapping.graph.is_null()) {
      const std::optional<MadeModel> made = make_model(*model, mapped, heading_of(request_.name, *mapping.document, source, advice), diagnostics_);
      if (!made) return {};
      out.text = made->text;
    }
    const auto run = make_execution(*execution, mapped, heading_of(request_.execution, *mapping.document, source, advice), diagnostics_);
    if (!run) return {};
    out.execution = *run;
    return out;
  }

  const std::string& format_;
  const ImportRequest& request_;
  Library& library_;
  Diagnostics& diagnostics_;
};

}  // namespace

Imported import_launch(const std::string& format, const ImportRequest& request, Library& library, Diagnostics& diagnostics) {
  return LaunchImporter(format, request, library, diagnostics).import();
}

std::vector<std::string> launch_formats(Library& library) {
  std::vector<std::string> out;
  Diagnostics unread;
  for (const std::string& name : library.names("import")) {
    const Document* document = library.load(name, {"import"}, unread);
    if (document == nullptr) continue;
    for (std::string& format : document->root.texts(kFormats)) out.push_back(std::move(format));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace opledger
