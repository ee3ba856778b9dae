#include "models/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "models/block_reader.h"

namespace opledger {

namespace {

/// Replaces the entry with this name at its position, or appends one.
template <class Value>
void replace(std::vector<std::pair<std::string, Value>>& list, const std::string& name, Value value) {
  auto same = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.first == name; });
  if (same == list.end()) {
    list.emplace_back(name, std::move(value));
  } else {
    same->second = std::move(value);
  }
}

/// A reader of the sections of one document into a model. Documents are read in the order of dependencies, so that later
/// ones override entries by name.
class ModelReader {
 public:
  ModelReader(Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {}

  /// Reads one document. `is_library`: formulas of parameters and dimensions are recorded as defaults of the model.
  void read(const Datum& root, bool is_library) {
    is_library_ = is_library;
    if (const Datum* section = root.find("parameters")) parameters(*section);
    if (const Datum* section = root.find("dimensions")) dimensions(*section);
    if (const Datum* section = root.find("grouped")) grouped(*section);
    if (const Datum* section = root.find("blocks")) blocks(*section);
    if (const Datum* section = root.find("graph")) graph(*section);
    if (const Datum* section = root.find("constraints")) model_.constraints = read_constraints(*section, diagnostics_);
  }

 private:
  bool expect_map(const Datum& section, const char* section_name) {
    if (section.is_map()) return true;
    if (!section.is_null()) diagnostics_.error(section.span(), fmt::format("`{}` must be a mapping, found {}", section_name, section.describe()));
    return false;
  }

  /// Adds parameters; a later document overrides a parameter at its position.
  void parameters(const Datum& section) {
    for (Definition& definition : parse_definitions(section, diagnostics_)) {
      auto same = std::find_if(model_.parameters.begin(), model_.parameters.end(), [&](const Definition& other) { return other.name == definition.name; });
      if (same != model_.parameters.end() && takes_texts(same->otherwise)) definition.otherwise = names_as_texts(definition.otherwise);
      add_default(definition.name, definition.otherwise);
      if (same == model_.parameters.end()) {
        model_.parameters.push_back(std::move(definition));
      } else {
        *same = std::move(definition);
      }
    }
  }

  /// Records the formula of a block library, which a model may override later.
  void add_default(const std::string& name, const ExprPtr& formula) {
    if (is_library_ && formula) model_.defaults[name] = formula;
  }

  /// Reads dimensions: a formula of the size, or a mapping of properties.
  void dimensions(const Datum& section) {
    if (!expect_map(section, "dimensions")) return;
    for (const auto& [name, value] : section.entries()) {
      DimensionSpec spec;
      spec.span = name.span();
      if (value.is_map()) {
        for (const auto& [key, entry] : value.entries()) property(name, key, entry, spec);
      } else {
        spec.size = parse_formula(value, name.text(), diagnostics_);
      }
      add_default(name.text(), spec.size);
      replace(model_.dimensions, name.text(), std::move(spec));
    }
  }

  /// Reads one property of the dimension `name` into `spec`. Formulas are kept, truths are read at once; `doc` is ignored. A
  /// key without a meaning is an error. The schema has checked the values of truths.
  void property(const Datum& name, const Datum& key, const Datum& value, DimensionSpec& spec) {
    if (key.text() == "size") {
      spec.size = parse_formula(value, name.text(), diagnostics_);
    } else if (key.text() == "unordered") {
      spec.unordered = value.text() == "true";
    } else if (key.text() == "round") {
      spec.rounds = value.text() == "down";
    } else if (key.text() == "mean") {
      spec.mean = value.text() == "true";
    } else if (key.text() == "continues") {
      spec.continues = read_text(key, value, diagnostics_);
    } else if (key.text() == "load") {
      spec.load = parse_formula(value, name.text(), diagnostics_);
    } else if (key.text() != "doc") {
      diagnostics_.error(key.span(),
                         fmt::format("dimension `{}` has `size`, `round`, `unordered`, `mean`, `continues` and `load`, not `{}`", name.text(), key.text()));
    }
  }

  void grouped(const Datum& section) {
    if (!expect_map(section, "grouped")) return;
    for (const auto& [fine, coarse] : section.entries()) replace(model_.grouped, fine.text(), read_text(fine, coarse, diagnostics_));
  }

  /// Reads blocks. A block that another document, or this one, declared before is an error.
  void blocks(const Datum& section) {
    if (!expect_map(section, "blocks")) return;
    for (const auto& [name, value] : section.entries()) {
      auto known = model_.blocks.find(name.text());
      if (known != model_.blocks.end()) {
        diagnostics_.error(name.span(), fmt::format("block `{}` is declared twice", name.text())).note(known->second.span, "first declared here");
        continue;
      }
      if (auto block = read_block(name, value, diagnostics_)) model_.blocks.emplace(name.text(), std::move(*block));
    }
  }

  void graph(const Datum& section) {
    if (!section.is_list()) {
      diagnostics_.error(section.span(), fmt::format("`graph` must be a list of segments, found {}", section.describe()));
      return;
    }
    for (const Datum& item : section.items()) {
      const int group = static_cast<int>(model_.graph.size());  // index of the first segment
      for (SegmentSpec& segment : read_segments(item, group, diagnostics_)) {
        for (auto& [key, value] : segment.arguments) name_number(key, value);
        model_.graph.push_back(std::move(segment));
      }
    }
  }

  /// Replaces a number or truth that a segment states for a parameter by the name of a new parameter with this value, such
  /// as `kv_heads_4`. Equal texts of a parameter share the name. Other values, and those of unknown parameters, stay
  /// unchanged.
  void name_number(const Datum& key, Datum& value) {
    if (!is_declared(key.text()) || !value.is_scalar() || value.quoted() || (!value.number() && !value.boolean())) return;
    std::string name = key.text() + "_" + value.text();
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    const auto is_taken = [&](const VariantSpec& variant) { return variant.name == name && (variant.of != key.text() || variant.text != value.text()); };
    while (is_declared(name) || std::any_of(model_.variants.begin(), model_.variants.end(), is_taken)) name += "_";
    const auto known = std::find_if(model_.variants.begin(), model_.variants.end(), [&](const VariantSpec& variant) { return variant.name == name; });
    if (known == model_.variants.end()) {
      model_.variants.push_back({name, key.text(), value.text(), parse_formula(value, key.text(), diagnostics_), value.span()});
    }
    value = Datum::scalar(name, false, value.span());
  }

  bool is_declared(const std::string& name) const {
    return std::any_of(model_.parameters.begin(), model_.parameters.end(), [&](const Definition& other) { return other.name == name; }) ||
           std::any_of(model_.dimensions.begin(), model_.dimensions.end(), [&](const auto& other) { return other.first == name; });
  }

  Model& model_;
  Diagnostics& diagnostics_;
  bool is_library_ = false;
};

/// Declares each variant as a parameter, and adds its pairs to `grouped`: `heads` -> `kv_heads_4` beside `heads` ->
/// `kv_heads`.
void declare_variants(Model& model) {
  for (const VariantSpec& variant : model.variants) {
    Definition parameter;
    parameter.name = variant.name;
    parameter.otherwise = variant.size;
    parameter.span = variant.span;
    model.parameters.push_back(std::move(parameter));
  }
  const auto with_variants = [&](const std::string& name) {
    std::vector<std::string> out = {name};
    for (const VariantSpec& variant : model.variants) {
      if (variant.of == name) out.push_back(variant.name);
    }
    return out;
  };
  std::vector<std::pair<std::string, std::string>> grouped;
  for (const auto& [fine, coarse] : model.grouped) {
    for (const std::string& a : with_variants(fine)) {
      for (const std::string& b : with_variants(coarse)) grouped.emplace_back(a, b);
    }
  }
  model.grouped = std::move(grouped);
}

}  // namespace

/// Reads all documents even after errors, so that one call reports all mistakes. Dependencies come first, so that the model
/// overrides its libraries; the last document is the model. Documents of operators are listed but not read here.
std::optional<Model> assemble_model(const std::vector<const Document*>& documents, Diagnostics& diagnostics) {
  std::size_t errors = diagnostics.errors();
  Model model;
  model.documents = documents;
  model.name = documents.back()->name;
  if (const Datum* doc = documents.back()->root.find("doc")) model.doc = doc->text();
  for (const Document* document : documents) {
    if (document->kind != "ops") ModelReader(model, diagnostics).read(document->root, document->kind == "blocks");
  }
  if (diagnostics.errors() != errors) return std::nullopt;
  declare_variants(model);
  return model;
}

/// Documents of operators are dependencies too: their names appear in `documents`, although only graph construction
/// reads them.
std::optional<Model> load_model(const Document& document, Library& library, Diagnostics& diagnostics) {
  std::size_t errors = diagnostics.errors();
  auto documents = library.closure(document, {"uses"}, {"blocks", "ops"}, diagnostics);
  if (diagnostics.errors() != errors || documents.empty()) return std::nullopt;
  return assemble_model(documents, diagnostics);
}

// Collects the operators by depth-first search from the segments' blocks over nested blocks. Each block is visited once.
// A node has either an operator or a block, and the other name is empty: empty names are ignored as blocks, and erased as
// operators. Unknown blocks are ignored; graph construction reports them.
std::set<std::string> operators_of(const Model& model) {
  std::set<std::string> operators, visited;
  std::vector<std::string> open;
  for (const SegmentSpec& segment : model.graph) open.push_back(segment.block);
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    const auto block = model.blocks.find(name);
    if (block == model.blocks.end() || !visited.insert(name).second) continue;
    for (const NodeSpec& node : block->second.nodes) {
      operators.insert(node.op);
      open.push_back(node.block);
    }
  }
  operators.erase("");
  return operators;
}

}  // namespace opledger
