#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "import/module_list.h"
#include "import/quantized.h"
#include "schemas/yaml_text.h"

namespace opledger {
namespace {

constexpr int kUnconverted = -1;          // Index of no scheme: the module is not converted.
constexpr std::size_t kMostRanges = 200;  // Limit of ranges with different quantization; nobody reads longer rules.
constexpr std::string_view kWeight = ".weight";
constexpr std::size_t kMostSteps = 10'000'000;  // Limit of comparisons with listed modules, about two seconds. Real checkpoints need a hundredth.

/// A weight of the model that may be quantized.
struct ConvertedWeight {
  const Node* node = nullptr;
  std::string module;        ///< Name in the checkpoint, `*` for the layer and other numbers.
  std::vector<int> schemes;  ///< Scheme of each layer of the weight's segment.
};

/// Consecutive layers of a stack with equal schemes.
struct LayerRange {
  std::size_t first = 0, layers = 0;
};

/// The place of a node: a segment, or the part of a segment in one range of its stack.
struct Place {
  std::string segment;
  int range = -1;  ///< Range of the stack; -1 if the stack has a single range.
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// Returns a name with numbers in place of `*`: the layer first, then 0 for every other number. Expert 0 represents
/// all experts.
std::string numbered(const std::string& pattern, std::size_t layer) {
  std::string out;
  bool first = true;
  for (const char c : pattern) {
    out += c != '*' ? std::string(1, c) : std::to_string(first ? layer : 0);
    first = first && c != '*';
  }
  return out;
}

/// Writes rules for quantized weights: one rule for all weights with the same scheme in the same layers.
class RulesWriter {
 public:
  RulesWriter(const QuantizationMapping& mapping, const Schemes& schemes, const Graph& graph, const ImportedModel& model, Diagnostics& diagnostics)
      : mapping_(mapping), schemes_(schemes.all), module_exceptions_(schemes.exceptions), graph_(graph), model_(model), diagnostics_(diagnostics) {
    for (std::size_t s = 0; s < model.stacks.size(); ++s) {
      for (std::size_t layer = 0; layer < model.stacks[s].size(); ++layer) {
        stack_[model.stacks[s][layer]] = s;
        layers_[model.stacks[s][layer]].push_back(layer);
      }
    }
  }

  /// Returns the text of the rules. First, the names of every weight in every layer are compared with the config's
  /// lists of modules, which gives a scheme or none. Then each stack of layers is divided into ranges with equal
  /// schemes. Labels of weights with the same scheme and places finally form one rule. Returns an empty text and
  /// reports errors if the lists are invalid, if no weight is quantized, or if comparisons exceed `kMostSteps`. The
  /// cost is weights times layers times patterns in the lists.
  std::string text(const Datum& config, const DocumentHeading& heading) {
    const std::size_t errors = diagnostics_.errors();
    read_lists(config);
    if (diagnostics_.errors() > errors) return {};
    for (const WeightId id : graph_.weights.ids()) add(graph_.weights[id]);
    mark_known_tensors();
    if (steps_ == 0) {
      diagnostics_.error(config.span(), "the patterns of modules are too many, or too complex, to be compared with the model's modules");
      return {};
    }
    warn_of_unused(config);
    const auto is_converted = [](const ConvertedWeight& c) {
      return std::any_of(c.schemes.begin(), c.schemes.end(), [](int scheme) { return scheme != kUnconverted; });
    };
    if (std::none_of(converted_.begin(), converted_.end(), is_converted)) {
      diagnostics_.error(config.span(), "the config quantizes no matrix product of the model");
      return {};
    }
    for (std::size_t s = 0; s < model_.stacks.size(); ++s) ranges_.push_back(ranges(s));
    if (diagnostics_.errors() > errors) return {};
    return fmt::format("# {}\nkind: rules\nname: {}\ndoc: {}\nsource: {}\n", heading.comment, yaml_text(heading.name), yaml_text(heading.doc),
                       yaml_text(heading.source)) +
           parts() + "mark:\n" + node_marks() + cache_marks();
  }

 private:
  std::vector<Datum> listed(std::string_view key) const {
    const Datum* value = mapping_.rules.find(key);
    return value != nullptr ? value->all() : std::vector<Datum>{};
  }

  /// Reads the lists that select modules. The mapping's `classes` gives the module class of each operator. Modules at
  /// the config's places `exceptions_at` are exceptions; each scheme has a list of targets. Components under
  /// `by_name_only` are converted only by name, not by class. Wrappers under `wrapped_in` are names of modules around a
  /// language model.
  void read_lists(const Datum& config) {
    std::set<std::string> classes;
    if (const Datum* all = mapping_.rules.find("classes")) {
      for (const auto& [name, op] : all->entries()) {
        classes.insert(name.text());
        class_of_.emplace(op.text(), name.text());
      }
    }
    std::vector<Datum> kept_modules = module_exceptions_;
    for (const Datum& place : listed("exceptions_at")) {
      const Datum* entries = config.find(place.text());
      if (entries == nullptr || entries->is_null()) continue;
      for (const Datum& entry : entries->all()) kept_modules.push_back(entry);
    }
    exceptions_.emplace(kept_modules, classes, diagnostics_);
    for (const Scheme& scheme : schemes_) targets_.emplace_back(scheme.targets, classes, diagnostics_);
    for (const Datum& component : listed("by_name_only")) named_only_.insert(component.text());
    for (const Datum& wrapper : listed("wrapped_in")) wrappers_.push_back(wrapper.text());
    const Datum* const tied = mapping_.rules.find("tied");
    converts_tied_ = tied != nullptr && tied->boolean().value_or(false);
  }

  /// Determines the scheme of a weight in every layer and adds the weight to `converted_`. The module's name comes from
  /// the first checkpoint tensor that stores the weight, else from the weight, without a final `.weight`; the first `*`
  /// in it stands for the layer. Weights of operators without a class are not converted. A weight with several uses is
  /// converted only if the mapping says so (`tied`), for all its uses alike. A weight outside of a stack has one entry.
  void add(const Weight& weight) {
    if (weight.uses.size() > 1 && !converts_tied_) return;
    for (const auto& [id, _] : weight.uses) add(weight, graph_.nodes[id]);
  }

  void add(const Weight& weight, const Node& node) {
    if (class_of_.count(node.op->name) == 0) return;
    const auto holds = [&](const auto& tensor) {
      return std::any_of(tensor.second.begin(), tensor.second.end(), [&](const std::string& pattern) { return glob_match(pattern, weight.name); });
    };
    const auto tensor = std::find_if(model_.tensors.begin(), model_.tensors.end(), holds);
    ConvertedWeight out{&node, tensor != model_.tensors.end() ? tensor->first : weight.name, {}};
    if (out.module.ends_with(kWeight)) out.module.resize(out.module.size() - kWeight.size());
    const auto layers = layers_.find(graph_.segments[node.segment].name);
    for (const std::size_t layer : layers != layers_.end() ? layers->second : std::vector<std::size_t>{0}) {
      out.schemes.push_back(scheme_of(node, names(numbered(out.module, layer))));
    }
    converted_.push_back(std::move(out));
  }

  /// Returns the possible names of a module. In a multimodal checkpoint a wrapper encloses the language model. The
  /// wrapper's name is then in front of the module, or in place of the module's first part.
  std::vector<std::string> names(const std::string& module) const {
    std::vector<std::string> out = {module};
    for (const std::string& wrapper : wrappers_) {
      out.push_back(wrapper + "." + module);
      out.push_back(wrapper + module.substr(std::min(module.find('.'), module.size())));
    }
    return out;
  }

  /// Returns the scheme of a module. Exceptions win over targets, names win over classes, and the first scheme of
  /// several wins. Every list is searched, because the search also records used entries.
  int scheme_of(const Node& node, const std::vector<std::string>& module) {
    const std::string& own_class = class_of_.at(node.op->name);
    const bool is_exception = exceptions_->matches_any(module, steps_) || exceptions_->classes().count(own_class) > 0;
    int found = kUnconverted;
    for (std::size_t s = targets_.size(); s-- > 0;) {
      if (targets_[s].matches_any(module, steps_)) found = static_cast<int>(s);
    }
    if (is_exception || (found != kUnconverted && !schemes_[static_cast<std::size_t>(found)].converts)) return kUnconverted;
    for (std::size_t s = 0; found == kUnconverted && named_only_.count(node.component) == 0 && s < targets_.size(); ++s) {
      if (targets_[s].classes().count(own_class) > 0) found = static_cast<int>(s);
    }
    return found;
  }

  /// Marks the exceptions that match tensors of the model as used. The config may list tensors without a conversion,
  /// such as norms, and must give no warning for them.
  void mark_known_tensors() {
    std::size_t layers = 1;
    for (const auto& stack : model_.stacks) layers = std::max(layers, stack.size());
    for (const auto& [tensor, _] : model_.tensors) {
      const std::size_t numbers = tensor.find('*') != std::string::npos ? layers : 1;
      for (std::size_t layer = 0; layer < numbers; ++layer) exceptions_->matches_any(names(numbered(tensor, layer)), steps_);
    }
  }

  void warn_of_unused(const Datum& config) {
    std::vector<ModuleList*> lists = {&*exceptions_};
    for (ModuleList& list : targets_) lists.push_back(&list);
    for (const ModuleList* list : lists) {
      const std::vector<Datum> unused = list->unused();
      if (unused.empty()) continue;
      const std::string others = unused.size() == 1 ? "" : fmt::format(", and {} more of this list", unused.size() - 1);
      diagnostics_.warning(unused[0].span().known() ? unused[0].span() : config.span(),
                           fmt::format("`{}`{}: the model has no module of this name", unused[0].text(), others));
    }
  }

  /// Returns the scheme of each weight, by label, in one layer of a segment; `position` counts the segment's layers.
  std::map<std::string, int> layer(const std::string& segment, std::size_t position) const {
    std::map<std::string, int> out;
    for (const ConvertedWeight& c : converted_) {
      if (graph_.segments[c.node->segment].name == segment) out[c.node->label] = c.schemes[position];
    }
    return out;
  }

  /// Divides a stack into ranges of layers, each written as one part of the model. All layers of one segment in a
  /// range have equal schemes for all weights. The scan is greedy: a range ends in front of the first layer that
  /// differs from an earlier layer of the same segment in the range. Reports an error if the ranges are too many,
  /// because nobody reads such rules.
  std::vector<LayerRange> ranges(std::size_t stack) {
    std::vector<LayerRange> out;
    std::map<std::string, std::map<std::string, int>> range_schemes;  // Schemes of each segment in the current range.
    std::map<std::string, std::size_t> next;                          // Number of layers of each segment so far.
    for (std::size_t i = 0; i < model_.stacks[stack].size(); ++i) {
      const std::string& segment = model_.stacks[stack][i];
      const auto now = layer(segment, next[segment]++);
      const auto before = range_schemes.find(segment);
      if (out.empty() || (before != range_schemes.end() && before->second != now)) {
        range_schemes.clear();
        out.push_back({i, 0});
      }
      range_schemes[segment] = now;
      ++out.back().layers;
    }
    if (out.size() > kMostRanges)
      diagnostics_.error({}, fmt::format("layers have {} ranges with different quantization, and at most {} are possible", out.size(), kMostRanges));
    return out;
  }

  /// Returns the name of a range: `rest` for the last one, which takes all remaining layers, otherwise the layers'
  /// numbers.
  std::string part_name(std::size_t stack, std::size_t range) const {
    const LayerRange& layers = ranges_[stack][range];
    if (range + 1 == ranges_[stack].size()) return "rest";
    return layers.layers == 1 ? fmt::format("layer_{}", layers.first) : fmt::format("layers_{}_to_{}", layers.first, layers.first + layers.layers - 1);
  }

  std::string parts() const {
    std::string out;
    for (std::size_t s = 0; s < ranges_.size(); ++s) {
      const std::set<std::string> segments(model_.stacks[s].begin(), model_.stacks[s].end());
      for (std::size_t r = 0; r + 1 < ranges_[s].size(); ++r) {
        out +=
            fmt::format("  - {{segment: [{}], name: {}, layers: {}}}\n", join({segments.begin(), segments.end()}, ", "), part_name(s, r), ranges_[s][r].layers);
      }
    }
    return out.empty() ? out : "parts:\n" + out;
  }

  /// Returns the places in which weights with a label have each scheme. A place is a segment, or a segment's part in
  /// one range of layers.
  std::map<int, std::set<Place>> places(const std::string& label) const {
    std::map<int, std::set<Place>> out;
    for (const ConvertedWeight& c : converted_) {
      if (c.node->label != label) continue;
      const std::string& segment = graph_.segments[c.node->segment].name;
      const auto stack = stack_.find(segment);
      for (std::size_t i = 0; i < c.schemes.size(); ++i) {
        out[c.schemes[i]].insert({segment, stack == stack_.end() || ranges_[stack->second].size() == 1 ? -1 : range_of(stack->second, layers_.at(segment)[i])});
      }
    }
    return out;
  }

  int range_of(std::size_t stack, std::size_t layer) const {
    const std::vector<LayerRange>& all = ranges_[stack];
    return static_cast<int>(std::find_if(all.begin(), all.end(), [&](const LayerRange& r) { return layer < r.first + r.layers; }) - all.begin());
  }

  std::string place_name(const Place& place) const {
    return place.range < 0 ? place.segment : place.segment + "." + part_name(stack_.at(place.segment), static_cast<std::size_t>(place.range));
  }

  /// Writes one rule for all labels with the same scheme in the same places. Labels are visited in the model's order,
  /// each once; `order` has the rules in the order of their first labels. A rule without places holds in the whole
  /// model. It is used only for a dotted label with one scheme everywhere, because the pattern of a single word also
  /// matches labels that end in the word.
  std::string node_marks() const {
    std::map<std::pair<int, std::set<Place>>, std::vector<std::string>> rules;
    std::vector<std::pair<int, std::set<Place>>> order;
    std::set<std::string> done;
    for (const ConvertedWeight& c : converted_) {
      const std::string& label = c.node->label;
      if (!done.insert(label).second) continue;
      const auto all = places(label);
      for (const auto& [scheme, where] : all) {
        if (scheme == kUnconverted) continue;
        const bool whole = all.size() == 1 && label.find('.') != std::string::npos;
        const std::pair key(scheme, whole ? std::set<Place>{} : where);
        if (rules[key].empty()) order.push_back(key);
        rules[key].push_back(label);
      }
    }
    std::string out;
    for (const auto& key : order) out += node_mark(schemes_[static_cast<std::size_t>(key.first)], key.second, rules[key]);
    return out;
  }

  std::string node_mark(const Scheme& scheme, const std::set<Place>& where, const std::vector<std::string>& labels) const {
    std::vector<std::string> segments;
    for (const Place& place : where) segments.push_back(place_name(place));
    std::string out = "  - match:\n";
    if (!segments.empty()) out += fmt::format("      segment: [{}]\n", join(segments, ", "));
    return out + fmt::format("      name: [{}]\n", join(labels, ", ")) + marks(scheme, "node", "    ");
  }

  /// Writes the marks of cached tensors. The marks hold for the whole model, and the first scheme states them.
  std::string cache_marks() const {
    const std::string out = marks(schemes_.front(), "cached", "    ");
    return out.empty() ? out : "  - " + out.substr(4);
  }

  static std::string marks(const Scheme& scheme, std::string_view of, const std::string& indent) {
    std::string out;
    for (const Scheme::Mark& mark : scheme.marks) {
      if (mark.of != of) continue;
      const std::string line = fmt::format("{}  {}: {}", indent, mark.name, mark.value);
      out += mark.from.empty() || mark.from == mark.value ? line + "\n" : fmt::format("{:<40} # {}\n", line, mark.from);
    }
    return out.empty() ? out : fmt::format("{}{}:\n", indent, of) + out;
  }

  const QuantizationMapping& mapping_;
  const std::vector<Scheme>& schemes_;
  const std::vector<Datum>& module_exceptions_;
  const Graph& graph_;
  const ImportedModel& model_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::size_t> stack_;                ///< Stack of each segment.
  std::map<std::string, std::vector<std::size_t>> layers_;  ///< Positions in the stack of each segment's layers.
  std::map<std::string, std::string> class_of_;             ///< Class of each operator.
  std::optional<ModuleList> exceptions_;
  std::vector<ModuleList> targets_;  ///< Target modules of each scheme.
  std::set<std::string> named_only_;
  std::vector<std::string> wrappers_;
  bool converts_tied_ = false;      ///< A weight with several uses is converted, too.
  std::size_t steps_ = kMostSteps;  ///< Remaining comparisons.
  std::vector<ConvertedWeight> converted_;
  std::vector<std::vector<LayerRange>> ranges_;  ///< Ranges of each stack.
};

}  // namespace

std::string make_quantized_rules(const Datum& config, const Datum& model_config, const QuantizationMapping& mapping, const Graph& graph,
                                 const ImportedModel& model, const DocumentHeading& heading, Diagnostics& diagnostics) {
  const Schemes schemes = read_schemes(config, model_config, mapping, diagnostics);
  if (schemes.all.empty()) return {};
  return RulesWriter(mapping, schemes, graph, model, diagnostics).text(config, heading);
}

}  // namespace opledger
