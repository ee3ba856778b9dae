#include "import/hf.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/text.h"
#include "import/foreign_document.h"
#include "import/import_steps.h"
#include "import/imported_model.h"
#include "import/places.h"
#include "import/quantized.h"
#include "run/run.h"
#include "schemas/document.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFamily = "model_type";
constexpr const char* kClasses = "architectures";
constexpr const char* kText = "text_config";  // Section of the language model in a multimodal config.
constexpr const char* kQuantizationKeys[] = {"quantization", "quantization_config", "compression_config"};
constexpr const char* kSeparateFile = "hf_quant_config.json";
constexpr const char* kMethod = "quant_method";
constexpr const char* kUnquantizedAdvice = "--unquantized imports the model as trained";

/// Returns the names of a config's sections that this import does not read: all except the language model's section
/// and the descriptions of quantized weights.
std::vector<std::string> other_mappings(const Datum& root) {
  std::vector<std::string> out;
  for (const auto& [key, value] : root.entries()) {
    const bool is_quantization = std::find(std::begin(kQuantizationKeys), std::end(kQuantizationKeys), key.text()) != std::end(kQuantizationKeys);
    if (value.is_map() && key.text() != kText && !is_quantization) out.push_back(fmt::format("`{}`", visible(key.text())));
  }
  return out;
}

/// Returns the section with the fields of the language model; the whole config if it has no such section. Warns that
/// other sections, which the message names, are not read.
const Datum& language_model(const Datum& root, Diagnostics& diagnostics) {
  const Datum* text = root.find(kText);
  if (text == nullptr || !text->is_map()) return root;
  const std::vector<std::string> others = other_mappings(root);
  const std::string read = others.empty() ? "other parts of the model are not counted" : fmt::format("what {} describe is not counted", join(others, ", "));
  diagnostics.warning(text->span(), fmt::format("only `{}` is imported: {}", kText, read));
  return *text;
}

/// Returns the section of the language model with the fields of the outer config that overrule its own (`outer_fields`).
Datum with_outer_fields(const Datum& root, const Datum& language, const Mapping& mapping) {
  Datum out = language;
  for (const std::string& field : mapping.all_texts("outer_fields")) {
    const Datum* const value = root.find(field);
    if (value != nullptr && !value->is_null()) out = with_value(out, field, *value);
  }
  return out;
}

/// Warns of fields that only the outer config has. The user may have meant them for the language model, but the
/// import ignores them.
void warn_of_outer_fields(const Datum& root, const Datum& language, const FieldMapping& mapping, Diagnostics& diagnostics) {
  for (const MappedField& field : mapping.fields) {
    if (field.name == kClasses || field.name == kFamily) continue;
    const auto is_there = [&](const Datum& config) {
      return std::any_of(field.places.begin(), field.places.end(), [&](const std::string& place) { return find_at(config, place) != nullptr; });
    };
    if (is_there(language) || !is_there(root)) continue;
    const Datum& outer = *find_at(root, *std::find_if(field.places.begin(), field.places.end(), [&](const std::string& p) { return find_at(root, p); }));
    diagnostics.warning(outer.span(),
                        fmt::format("`{}` is outside of `{}` and is not read: move it inside if it belongs to the language model", field.name, kText));
  }
}

/// Returns the mapping that the request names, else the mapping of the config's family. Returns null and reports an
/// error without such a mapping.
/// A section without a family has that of the outer config.
const Document* mapping_for(const ImportRequest& request, const Datum& config, const Datum& outer, Library& library, Diagnostics& diagnostics) {
  if (!request.mapping.empty()) return library.load(request.mapping, {"import"}, diagnostics);
  const Datum* family = config.find(kFamily);
  if (family == nullptr) family = outer.find(kFamily);
  if (family == nullptr || !family->is_scalar()) {
    diagnostics.error(family != nullptr ? family->span() : config.span(),
                      fmt::format("the config has no `{}`, which selects a mapping: is it the config.json of a model? --mapping names a mapping", kFamily));
    return nullptr;
  }
  return find_mapping("model_types", "family", *family, "--mapping takes one of your own", library, diagnostics);
}

/// The description of quantized weights in a config or in a separate file.
struct Quantization {
  Datum config;
  std::string place;  ///< Name of the place, for messages.
  Datum method;       ///< Name of the quantization method; null if the description lacks one.
};

/// Reads the separate file for quantization (`hf_quant_config.json`) in the folder of the config.
std::optional<Quantization> separate_quantization(const Document& config, Library& library, Diagnostics& diagnostics) {
  const fs::path file = config.path.parent_path() / kSeparateFile;
  std::error_code unknown;
  if (!fs::is_regular_file(file, unknown)) return std::nullopt;
  const Document* document = load_kindless(file.string(), library, diagnostics);
  const Datum* description = document != nullptr ? document->root.find("quantization") : nullptr;
  if (description == nullptr || !description->is_map()) return std::nullopt;
  const Datum* producer = document->root.find("producer");
  const Datum* method = producer != nullptr ? producer->find("name") : nullptr;
  return Quantization{*description, kSeparateFile, method != nullptr ? *method : Datum()};
}

/// Returns the mapping that recognizes a description without a method by its fields (`recognized_by`); null without one.
/// Of several, the mapping with most fields wins.
const Document* recognized_mapping(const Datum& description, Library& library) {
  const Document* best = nullptr;
  std::size_t most = 0;
  for (const std::string& name : library.names("import")) {
    Diagnostics ignored;
    const Document* const document = library.load(name, {"import"}, ignored);
    const std::vector<std::string> fields = document != nullptr ? document->root.texts("recognized_by") : std::vector<std::string>{};
    const bool has_all = std::all_of(fields.begin(), fields.end(), [&](const std::string& field) { return find_at(description, field) != nullptr; });
    if (has_all && fields.size() > most) best = document, most = fields.size();
  }
  return best;
}

/// Returns the first description of quantized weights: in the whole config, in the language model's section, or in
/// the separate file. Returns nothing for unquantized weights. A description of which the method is known wins.
std::optional<Quantization> find_quantization(const Document& original, const Datum& language, Library& library, Diagnostics& diagnostics) {
  std::optional<Quantization> unknown;
  for (const Datum* config : {&original.root, &language}) {
    for (const char* place : kQuantizationKeys) {
      const Datum* description = config->find(place);
      if (description == nullptr || !description->is_map() || description->entries().empty()) continue;
      const Datum* method = description->find(kMethod);
      Quantization out{*description, place, method != nullptr ? *method : Datum()};
      if (out.method.is_scalar() || recognized_mapping(out.config, library) != nullptr) return out;
      if (!unknown) unknown = std::move(out);
    }
  }
  std::optional<Quantization> separate = separate_quantization(original, library, diagnostics);
  return separate ? separate : unknown;
}

std::string source_of(const fs::path& file, const char* key, const Datum* word) {
  return fmt::format("{} (Hugging Face{})", file.filename().string(), word != nullptr && word->is_scalar() ? fmt::format(", {} {}", key, word->text()) : "");
}

/// Imports a config in four steps: find the mapping, make the model's text, prepare a run as proof, and make rules
/// for quantized weights.
class Importer {
 public:
  Importer(const ImportRequest& request, Library& library, Diagnostics& diagnostics) : request_(request), library_(library), diagnostics_(diagnostics) {}

  /// Runs the import; the result is empty after any error. The run is a proof that the new model is valid, and its
  /// graph names the weights that quantization rules refer to. The model is added to a copy of the library, so that
  /// the caller's library stays unchanged.
  ImportedDocuments import() {
    const std::size_t errors = diagnostics_.errors();
    if (request_.trained && !request_.rules.empty()) diagnostics_.error({}, "`--rules` and `--unquantized` exclude each other: leave out one of them");
    original_ = load_kindless(request_.file, library_, diagnostics_);
    if (original_ == nullptr || diagnostics_.errors() > errors) return {};
    const Datum& config = language_model(original_->root, diagnostics_);
    const std::optional<ImportedModel> model = make(config);
    if (!model) return {};
    Library with_model = library_;
    const std::unique_ptr<Run> run = build_imported({model->text, {}, {}}, request_, with_model, diagnostics_);
    if (run == nullptr) return {};
    warn_of_defaults(*run, *family_, diagnostics_);
    warn_of_unnamed_weights(run->graph(), *model);
    ImportedDocuments out{model->text, request_.trained ? "" : rules(config, run->graph(), *model)};
    return diagnostics_.errors() > errors ? ImportedDocuments{} : out;
  }

 private:
  /// Finds the mapping of a config, reads the config's fields and writes the model. Returns nothing and reports
  /// errors if a step fails. `config` may be the language model's section inside a larger config; fields outside of
  /// the section then give warnings. The heading names the mapping for audits of checkpoints only if the library can
  /// find the mapping by name. The family is stored for later warnings about defaults.
  std::optional<ImportedModel> make(const Datum& section) {
    const Document* document = mapping_for(request_, section, original_->root, library_, diagnostics_);
    const std::optional<Mapping> mapping = document != nullptr ? load_mapping(*document, library_, diagnostics_) : std::nullopt;
    if (!mapping) return std::nullopt;
    const FamilyMapping family = read_family_mapping(*mapping);
    if (family.graph.is_null()) {
      diagnostics_.error(document->root.span(), fmt::format("the mapping `{}` makes no model: it is a part of others", document->name));
      return std::nullopt;
    }
    const bool is_section = &section != &original_->root;
    const Datum config = is_section ? with_outer_fields(original_->root, section, *mapping) : section;
    const std::optional<ConfigFields> fields = read_config(config, family.config, diagnostics_);
    if (!fields) return std::nullopt;
    if (is_section) warn_of_outer_fields(original_->root, config, family.config, diagnostics_);
    DocumentHeading heading = heading_of(request_.name, *document, source_of(original_->path, kFamily, config.find(kFamily)),
                                         "Comments name the sources of numbers; everything may be edited.");
    if (contains(library_.names("import"), document->name)) heading.checkpoint = document->name;
    family_ = family;
    return make_model(family, *fields, config, heading, diagnostics_);
  }

  /// Warns of weights of the model without a tensor in the mapping. A mapping without any `tensors` gets no warning.
  void warn_of_unnamed_weights(const Graph& graph, const ImportedModel& model) {
    std::vector<std::string> unnamed;
    for (const WeightId id : graph.weights.ids()) {
      const std::string& name = graph.weights[id].name;
      const bool is_named = std::any_of(model.tensors.begin(), model.tensors.end(), [&](const auto& tensor) {
        return std::any_of(tensor.second.begin(), tensor.second.end(), [&](const std::string& pattern) { return glob_match(pattern, name); });
      });
      if (!is_named) unnamed.push_back(name);
    }
    if (unnamed.empty() || model.tensors.empty()) return;
    diagnostics_.warning({}, fmt::format("the mapping `{}` names no tensor for {} of the model's weights, such as `{}`: see its key `tensors`",
                                         family_->config.name(), unnamed.size(), unnamed.front()));
  }

  /// Returns the text of rules for quantized weights; empty if the request names no rules. The rules are made in any
  /// case: an error, such as an unknown method, fails the import, because quantization may change costs. Without a
  /// request, success gives only a warning that the weights are quantized.
  std::string rules(const Datum& config, const Graph& graph, const ImportedModel& model) {
    const std::optional<Quantization> description = find_quantization(*original_, config, library_, diagnostics_);
    if (!description) {
      if (!request_.rules.empty() && !request_.has_optional_rules)
        diagnostics_.error(config.span(), "the config does not describe quantized weights: there are no rules to write");
      return {};
    }
    Diagnostics rule_messages;
    std::string text = rules(*description, config, graph, model, rule_messages);
    if (rule_messages.has_errors() || !request_.rules.empty()) {
      diagnostics_.append(std::move(rule_messages));
      return text;
    }
    diagnostics_.warning(description->config.span(),
                         fmt::format("`{}`: weights are quantized{}, which is no part of the model; --rules FILE writes rules for them", description->place,
                                     description->method.is_scalar() ? " (" + description->method.text() + ")" : ""));
    return {};
  }

  /// Finds the mapping of a quantization method by its name and writes the rules. Returns an empty text and reports
  /// errors if the description names no method, or if no mapping knows the method.
  std::string rules(const Quantization& description, const Datum& config, const Graph& graph, const ImportedModel& model, Diagnostics& diagnostics) {
    const bool has_method = description.method.is_scalar();
    const Document* document = has_method ? find_mapping("quant_methods", "method", description.method, kUnquantizedAdvice, library_, diagnostics)
                                          : recognized_mapping(description.config, library_);
    if (!has_method && document == nullptr) {
      diagnostics.error(description.config.span(),
                        fmt::format("`{}` has no `{}`, which selects a mapping; {}", description.place, kMethod, kUnquantizedAdvice));
      return {};
    }
    const std::optional<Mapping> mapping = document != nullptr ? load_mapping(*document, library_, diagnostics) : std::nullopt;
    if (!mapping) return {};
    const fs::path file = description.config.span().known() ? fs::path(description.config.span().file->path) : original_->path;
    const DocumentHeading heading = heading_of(request_.rules, *document, source_of(file, kMethod, has_method ? &description.method : nullptr),
                                               "The marks are those of the accounting `serving`; everything may be edited.");
    return make_quantized_rules(description.config, config, read_quantization_mapping(*mapping), graph, model, heading, diagnostics);
  }

  const ImportRequest& request_;
  Library& library_;
  Diagnostics& diagnostics_;
  const Document* original_ = nullptr;
  std::optional<FamilyMapping> family_;
};

}  // namespace

const Document* mapping_of_config(const std::string& file, Library& library, Diagnostics& diagnostics) {
  const Document* original = load_kindless(file, library, diagnostics);
  if (original == nullptr) return nullptr;
  Diagnostics ignored;  // Ignored: warnings about other parts of the model do not concern names.
  return mapping_for({file, {}, {}}, language_model(original->root, ignored), original->root, library, diagnostics);
}

ImportedDocuments import_hf(const ImportRequest& request, Library& library, Diagnostics& diagnostics) {
  return Importer(request, library, diagnostics).import();
}

}  // namespace opledger
