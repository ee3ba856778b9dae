#include "import/hf.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "import/foreign.h"
#include "import/made_model.h"
#include "run/run.h"
#include "schemas/document.h"

namespace opledger {
namespace {

constexpr const char* kFamily = "model_type";
constexpr const char* kText = "text_config";  // of a model for more than text: its language model

/// The mapping that holds a language model's fields, for all of this is about.
const Datum& language_model(const Datum& root, Diagnostics& diagnostics) {
  const Datum* text = root.find(kText);
  if (text == nullptr || !text->is_map()) return root;
  diagnostics.warning(text->span(), fmt::format("only `{}` is imported: what else the model has is not counted", kText));
  return *text;
}

/// A mapping that maps a family, and what is known of the others for messages.
const Document* find_mapping(const Datum& family, Library& library, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  Diagnostics own;  // of mappings that can't be read: one may be the one
  for (const std::string& name : library.names("import")) {
    const Document* document = library.load(name, {"import"}, own);
    const Datum* types = document != nullptr ? document->root.find("model_types") : nullptr;
    if (types == nullptr) continue;
    for (const Datum& type : types->all()) {
      if (type.text() == family.text()) return document;
      known.push_back(type.text());
    }
  }
  std::sort(known.begin(), known.end());
  const std::string meant = suggestion(family.text(), known);
  diagnostics.error(family.span(), fmt::format("no mapping knows the family `{}`{}", family.text(), meant))
      .note({}, "known are " + join(known, ", ") + "; --mapping takes one of your own");
  diagnostics.append(std::move(own));
  return nullptr;
}

const Document* mapping_for(const ImportRequest& request, const Datum& config, Library& library, Diagnostics& diagnostics) {
  if (!request.mapping.empty()) return library.load(request.mapping, {"import"}, diagnostics);
  const Datum* family = config.find(kFamily);
  if (family == nullptr || !family->is_scalar()) {
    diagnostics.error(family != nullptr ? family->span() : config.span(),
                      fmt::format("this says no `{}`, by which a mapping is found: is it the config.json of a model? --mapping names a mapping", kFamily));
    return nullptr;
  }
  return find_mapping(*family, library, diagnostics);
}

/// What was written must be a model. Messages then show its text. `library` is a copy: what it has read needn't be read again, and the model is in it only here.
bool builds(const std::string& text, const std::string& name, Library library, Diagnostics& diagnostics) {
  const auto source = std::make_shared<const SourceFile>(name + ".yaml", text);
  Diagnostics own;
  RunRequest request;
  request.model = "imported " + name;  // no name of a document that somebody provided
  std::optional<Datum> root = parse_document(source, own);
  if (!root || own.has_errors() || library.provide(request.model, source->path, *root, own) == nullptr) {
    diagnostics.append(std::move(own));
    return false;
  }
  const bool good = Run::prepare(request, library, own) != nullptr;
  if (!good) diagnostics.append(std::move(own));
  return good;
}

}  // namespace

std::string import_hf(const ImportRequest& request, Library& library, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  const Document* original = load_kindless(request.file, library, diagnostics);
  if (original == nullptr || diagnostics.errors() > errors) return {};
  const Datum& config = language_model(original->root, diagnostics);
  const Document* document = mapping_for(request, config, library, diagnostics);
  const std::optional<Mapping> mapping = document != nullptr ? load_mapping(*document, library, diagnostics) : std::nullopt;
  if (!mapping) return {};
  if (mapping->graph.is_null()) {
    diagnostics.error(document->root.span(), fmt::format("the mapping `{}` makes no model: it is a part of others", document->name));
    return {};
  }
  const std::optional<ConfigFields> fields = read_config(config, *mapping, diagnostics);
  if (!fields) return {};
  const Datum* doc = document->root.find("doc");
  const Datum* family = config.find(kFamily);
  MadeHeading heading;
  heading.name = request.name;
  heading.doc = doc != nullptr ? doc->text() : document->name;
  heading.source = fmt::format("{} (Hugging Face{})", original->path.filename().string(), family != nullptr ? ", model_type " + family->text() : "");
  heading.comment = fmt::format("Imported with the mapping `{}`. Comments say what a number comes from; all of this may be edited.", visible(document->name));
  std::string text = make_model(*mapping, *fields, config, heading, diagnostics);
  if (text.empty() || !builds(text, request.name, library, diagnostics)) return {};
  return text;
}

}  // namespace opledger
