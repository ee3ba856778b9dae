#include "import/imported_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "base/units.h"
#include "import/layer_pattern.h"
#include "schemas/yaml_text.h"

namespace opledger {
namespace {

constexpr const char* kLayer = "layer";       // Name of the layer's number in conditions of layer kinds.
constexpr std::size_t kMostSegments = 1'000;  // Limit of segments; nobody edits longer documents.
constexpr std::size_t kCommentColumn = 33;

/// Links the formulas of a family's model. Conditions of layer kinds are linked in a scope with the layer's number.
class ModelLinker {
 public:
  ModelLinker(Program& program, Diagnostics& diagnostics)
      : linker_(program, program, diagnostics), global_(*program.global), layer_(linker_.scope(program.global)), diagnostics_(diagnostics) {
    layer_.locals.emplace(kLayer, 0);
  }

  LinkedModel link(const FamilyMapping& family) {
    LinkedModel out;
    out.uses = family.uses;
    for (const auto& entry : family.published.entries()) out.published.push_back(parameter(entry));
    for (const auto& entry : family.parameters.entries()) out.parameters.push_back(parameter(entry));
    for (const Datum& item : family.graph.items()) out.graph.push_back(segment(item));
    for (const auto& [name, stored] : family.names.tensors.entries()) out.tensors.push_back(tensor(name.text(), stored));
    return out;
  }

 private:
  const Formula* formula(const Datum* text, const NameScope& scope) { return link_mapped(text, linker_, scope, diagnostics_); }
  MappedFormula parameter(const Datum::Entry& entry) { return link_mapped(entry, linker_, global_, diagnostics_); }

  LinkedModel::Segment segment(const Datum& source) {
    LinkedModel::Segment out{&source, formula(source.find("when"), global_), formula(source.find("layers"), global_), {}, {}};
    const Datum* kinds = source.find("kinds");
    if (kinds == nullptr) return out;
    for (const Datum& kind : kinds->items()) {
      out.kinds.push_back({&kind, formula(kind.find("when"), layer_), nullptr, {}, {}});
      const Datum* sizes = kind.find("sizes");
      for (const auto& entry : sizes != nullptr ? sizes->entries() : std::vector<Datum::Entry>{}) {
        out.kinds.back().sizes.push_back(link_mapped(entry, linker_, layer_, diagnostics_));
      }
    }
    return out;
  }

  LinkedModel::Tensor tensor(const std::string& name, const Datum& stored) {
    LinkedModel::Tensor out{name, {}, formula(stored.find("when"), global_)};
    const Datum& weights = stored.is_map() ? *stored.find("weights") : stored;
    if (weights.is_scalar()) out.patterns.push_back(weights.text());
    for (const Datum& pattern : weights.items()) out.patterns.push_back(pattern.text());
    return out;
  }

  Linker linker_;
  const NameScope& global_;
  NameScope& layer_;
  Diagnostics& diagnostics_;
};

/// A kind of layers with the values of its `sizes`, in their order, as the model document states them. The text of a size
/// whose condition does not hold is empty.
struct SizedKind {
  std::size_t kind = 0;
  std::vector<std::string> sizes;
  bool operator==(const SizedKind&) const = default;
};

/// Returns a segment as the model document states it, without keys that only the mapping reads. A layer stack that `in`
/// names is replaced by the stack's last segment. The entries of `sizes` become keys of the segment.
Datum document_segment(const Datum& segment, const std::string& name, const std::string& repeat, const std::vector<std::string>& sizes,
                       const std::map<std::string, std::string>& ends) {
  std::vector<Datum::Entry> entries;
  for (const auto& [key, value] : segment.entries()) {
    if (key.text() == "when" || key.text() == "doc") continue;
    if (key.text() == "sizes") {
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (!sizes[i].empty()) entries.emplace_back(value.entries()[i].first, Datum::scalar(sizes[i], false, value.span()));
      }
      continue;
    }
    const auto end = key.text() == "in" && value.is_scalar() ? ends.find(value.text()) : ends.end();
    if (end != ends.end()) {
      entries.emplace_back(key, Datum::scalar(end->second, false, value.span()));
      continue;
    }
    entries.emplace_back(key, key.text() == "name" ? Datum::scalar(name, false, value.span()) : value);
    if (key.text() == "block" && !repeat.empty()) entries.emplace_back(Datum::scalar("repeat", false, key.span()), Datum::scalar(repeat, false, key.span()));
  }
  return Datum::map(std::move(entries), segment.span());
}

/// Writes the model document. Parameters become numbers, segments stay if their conditions hold, and a layer stack is
/// divided into segments of equal layers.
class ModelMaker {
 public:
  ModelMaker(MappedConfig& config, Diagnostics& diagnostics) : config_(config), diagnostics_(diagnostics) {}

  /// Writes the document section by section: heading, published numbers, parameters, graph. A number or segment is
  /// left out if its condition does not hold for the config. A segment with a number of layers is a stack and is
  /// written by `layers`. The text and the structure of the layers are collected in `out_`. Returns nothing and
  /// reports errors if a formula has no value, or if a layer has no kind.
  std::optional<ImportedModel> make(const LinkedModel& model, const DocumentHeading& heading) {
    const std::size_t errors = diagnostics_.errors();
    out_.text = fmt::format("# {}\nkind: model\nname: {}\ndoc: {}\nsource: {}\nuses: [{}]\n", heading.comment, yaml_text(heading.name), yaml_text(heading.doc),
                            yaml_text(heading.source), join(model.uses, ", "));
    if (!heading.checkpoint.empty()) out_.text += fmt::format("checkpoint: {}\n", yaml_text(heading.checkpoint));
    out_.text += section("published", model.published) + section("parameters", model.parameters);
    out_.text += "graph:\n";
    for (const LinkedModel::Segment& segment : model.graph) {
      if (config_.holds(segment.when))
        out_.text += segment.layers != nullptr ? layers(segment) : item(*segment.source, segment.source->find("name")->text(), "", {}, "  ");
    }
    for (const LinkedModel::Tensor& tensor : model.tensors) {
      if (config_.holds(tensor.when)) out_.tensors.emplace_back(tensor.name, tensor.patterns);
    }
    if (diagnostics_.errors() > errors) return std::nullopt;
    return std::move(out_);
  }

 private:
  std::string section(const char* name, const std::vector<MappedFormula>& numbers) {
    std::string out;
    for (const MappedFormula& number : numbers) out += line(number);
    return out.empty() ? out : fmt::format("{}:\n{}", name, out);
  }

  std::string line(const MappedFormula& parameter) {
    if (parameter.value == nullptr || !config_.holds(parameter.when)) return {};
    std::string out = fmt::format("  {}: {}", parameter.name, written(config_.value_of(*parameter.value)));
    const std::string from = config_.comment(*parameter.value);
    if (from.empty()) return out + "\n";
    out.resize(std::max(out.size() + 1, kCommentColumn), ' ');
    return out + "# " + from + "\n";
  }

  static std::string written(const Value& value) {
    return value.kind == Value::Kind::truth ? (value.scalar.value != 0 ? "true" : "false") : exact(value.scalar.value);
  }

  std::string item(const Datum& source, const std::string& name, const std::string& repeat, const std::vector<std::string>& sizes, const std::string& indent) {
    names_.insert(name);
    return fmt::format("{}- {}\n", indent, yaml_flow(document_segment(source, name, repeat, sizes, ends_)));
  }

  /// Returns the segment of a run of layers.
  std::string item(const LinkedModel::Segment& segment, const SizedKind& of, const std::string& name, const std::string& repeat, const std::string& indent) {
    return item(*segment.kinds[of.kind].source, name, repeat, of.sizes, indent);
  }

  /// Returns a new name: `dense`, `dense_2`, …, and reserves it.
  std::string unused_name(const std::string& name) {
    std::string out = name;
    for (int n = 2; !names_.insert(out).second; ++n) out = fmt::format("{}_{}", name, n);
    return out;
  }

  /// Returns the text of a stack of layers. The kind of every layer is evaluated by the conditions of the kinds, and a
  /// short pattern of kinds is written (layer_pattern.h). The number of layers is limited because conditions may visit
  /// a list about layers for every layer. Returns an empty text and reports an error if the number is out of range, or
  /// if a layer has no kind. The cost is layers times kinds.
  std::string layers(const LinkedModel::Segment& segment) {
    const Answer layers = config_.ask(*segment.layers);
    if (!layers.report(diagnostics_)) return {};
    const double count = layers.value.scalar.value;
    if (!(count >= 1 && count <= static_cast<double>(kMostLayers))) {
      diagnostics_.error(config_.place_of(*segment.layers), fmt::format("{} layers: there may be 1 to {}", exact(count), kMostLayers));
      return {};
    }
    std::vector<SizedKind> kinds;            // Each combination of a kind and sizes, once.
    std::vector<std::size_t> kind_of_layer;  // Number of its entry in `kinds`.
    for (double layer = 0; layer < count; ++layer) {
      const std::optional<std::size_t> kind = kind_of(segment, layer);
      const std::optional<SizedKind> sized = kind ? sized_kind(segment, *kind, layer) : std::nullopt;
      if (!sized) return {};
      kind_of_layer.push_back(static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), *sized) - kinds.begin()));
      if (kind_of_layer.back() == kinds.size()) kinds.push_back(*sized);
    }
    return write_stack(segment, kinds, find_pattern(kind_of_layer), kind_of_layer.size());
  }

  /// Evaluates the sizes of a layer's kind. Returns nothing and reports an error if one has no value.
  std::optional<SizedKind> sized_kind(const LinkedModel::Segment& segment, std::size_t kind, double layer) {
    SizedKind out{kind, {}};
    const std::vector<Value> number = {number_value(integer(layer))};
    for (const MappedFormula& size : segment.kinds[kind].sizes) {
      const Answer when = size.when == nullptr ? Answer{truth_value(true)} : config_.ask(*size.when, &number);
      if (!when.report(diagnostics_)) return std::nullopt;
      const bool is_written = as_truth(when.value).scalar.value != 0;
      const Answer value = is_written ? config_.ask(*size.value, &number) : Answer{};
      if (is_written && !value.report(diagnostics_)) return std::nullopt;
      out.sizes.push_back(is_written ? written(value.value) : "");
    }
    return out;
  }

  /// Returns the first kind whose condition holds for a layer number. Reports an error if no condition holds.
  std::optional<std::size_t> kind_of(const LinkedModel::Segment& segment, double layer) {
    for (std::size_t kind = 0; kind < segment.kinds.size(); ++kind) {
      const Formula* const when = segment.kinds[kind].when;
      const std::vector<Value> number = {number_value(integer(layer))};
      const Answer is_it = when == nullptr ? Answer{truth_value(true)} : config_.ask(*when, &number);
      if (!is_it.report(diagnostics_)) return std::nullopt;
      if (as_truth(is_it.value).scalar.value != 0) return kind;
    }
    diagnostics_.error(segment.source->span(), fmt::format("layer {:.0f} has no kind in the mapping `{}`", layer, config_.mapping().name()));
    return std::nullopt;
  }

  /// Returns the text of a stack of layers, divided into groups: runs of equal layers, repeated for some rounds. A run
  /// becomes a segment; several rounds become a `repeat` around the segments of one round. Counts are numbers, except
  /// for the longest group if the stack has the key `repeat`, a parameter with the number of layers. The count of this
  /// group is the parameter minus the layers of all other groups; several rounds divide it by the layers of one round.
  /// The parameter thus stays editable. The segment of each layer goes to `out_.stacks`, from which quantization rules
  /// are made. References to the stack later mean its last segment (`ends_`).
  std::string write_stack(const LinkedModel::Segment& segment, const std::vector<SizedKind>& kinds, const std::vector<LayerGroup>& groups, std::size_t layers) {
    const auto longest = std::max_element(groups.begin(), groups.end(), [](const LayerGroup& a, const LayerGroup& b) { return a.layers() < b.layers(); });
    const Datum* parameter = segment.source->find("repeat");
    const std::size_t others = layers - longest->layers();
    std::string out;
    std::size_t segments = 0;
    std::vector<std::string>& stack = out_.stacks.emplace_back();
    for (const LayerGroup& group : groups) {
      std::vector<std::string> names, layers_of_round;  // Segment of each layer in one round.
      for (const LayerRun& run : group.runs) {
        names.push_back(unused_name(segment.kinds[kinds[run.kind].kind].source->find("name")->text()));
        layers_of_round.insert(layers_of_round.end(), run.layers, names.back());
      }
      for (std::size_t round = 0; round < group.rounds; ++round) stack.insert(stack.end(), layers_of_round.begin(), layers_of_round.end());
      const bool is_longest = &group == &*longest && parameter != nullptr;
      std::string count = !is_longest ? std::to_string(group.layers()) : others == 0 ? parameter->text() : fmt::format("{} - {}", parameter->text(), others);
      if (group.rounds == 1) {
        out += item(segment, kinds[group.runs[0].kind], names[0], count, "  ");
      } else {
        const std::size_t round = group.layers() / group.rounds;
        if (!is_longest) count = std::to_string(group.rounds);
        if (is_longest) count = (count.find(' ') == std::string::npos ? count : "(" + count + ")") + fmt::format(" / {}", round);
        out += fmt::format("  - repeat: {}\n    segments:\n", count);
        for (std::size_t i = 0; i < names.size(); ++i)
          out += item(segment, kinds[group.runs[i].kind], names[i], group.runs[i].layers > 1 ? std::to_string(group.runs[i].layers) : "", "      ");
      }
      segments += group.runs.size();
    }
    if (const Datum* name = segment.source->find("name")) ends_[name->text()] = stack.back();
    if (segments <= kMostSegments) return out;
    diagnostics_.error(config_.config().span(), fmt::format("the layers need {} segments, because their kinds follow no pattern: too many to write", segments));
    return {};
  }

  MappedConfig& config_;
  Diagnostics& diagnostics_;
  std::set<std::string> names_;
  std::map<std::string, std::string> ends_;  ///< Last segment of each named layer stack.
  ImportedModel out_;
};

}  // namespace

std::optional<LinkedModel> link_imported_model(const FamilyMapping& family, Program& program, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  LinkedModel model = ModelLinker(program, diagnostics).link(family);
  if (diagnostics.errors() > errors) return std::nullopt;
  return model;
}

std::optional<ImportedModel> make_model(const LinkedModel& model, MappedConfig& config, const DocumentHeading& heading, Diagnostics& diagnostics) {
  return ModelMaker(config, diagnostics).make(model, heading);
}

std::optional<ImportedModel> make_model(const FamilyMapping& family, const ConfigFields& fields, const Datum& config, const DocumentHeading& heading,
                                        Diagnostics& diagnostics) {
  std::optional<Program> program = link_config(family.config, fields, diagnostics);
  const std::optional<LinkedModel> model = program ? link_imported_model(family, *program, diagnostics) : std::nullopt;
  if (!model) return std::nullopt;
  MappedConfig mapped(family.config, fields, config, *program, diagnostics);
  if (!mapped.check()) return std::nullopt;
  return make_model(*model, mapped, heading, diagnostics);
}

}  // namespace opledger
