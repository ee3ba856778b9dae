#include "import/checkpoint/tensor_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "accounting/graph_engine.h"
#include "base/text.h"
#include "import/checkpoint/stored_tensor.h"
#include "import/checkpoint/weight_shape.h"

namespace opledger {
namespace {

constexpr char kNumber = '*';
constexpr double kMostTensors = 2e6;

std::vector<std::string> texts_of(const Datum* value) {
  std::vector<std::string> out;
  for (const Datum& text : value != nullptr ? value->all() : std::vector<Datum>{}) {
    if (text.is_scalar()) out.push_back(text.text());
  }
  return out;
}

/// Builds the tensor groups of a model. Each weight is matched with the patterns of all entries; weights of one entry
/// and segment share a tensor group. Shapes are measured once for each group, because all layers of a segment are
/// equal. The cost is weights times patterns.
class NameMaker {
 public:
  NameMaker(Run& run, std::vector<TensorEntry> entries, Diagnostics& diagnostics) : run_(run), graph_(run.graph()), diagnostics_(diagnostics), shapes_(run) {
    out_.entries = std::move(entries);
  }

  std::optional<TensorNames> make() {
    for (const WeightId id : graph_.weights.ids()) add(id);
    for (std::size_t g = 0; g < out_.groups.size(); ++g) {
      if (!measure(out_.groups[g], ids_[g])) return std::nullopt;
    }
    if (!is_small()) return std::nullopt;
    number_layers();
    for (std::size_t w = 0; w < out_.weights.size(); ++w) {
      if (!count(w)) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  bool is_small() {
    double all = 0;
    for (const TensorGroup& group : out_.groups) all += layers(group.segment) * static_cast<double>(group.matrices);
    if (all <= kMostTensors) return true;
    diagnostics_.error({}, fmt::format("a checkpoint of this model would have {:.0f} tensors, and at most {:.0f} are compared", all, kMostTensors));
    return false;
  }

  double layers(SegmentId segment) const {
    const Elements& segments = run_.evaluator().elements(kSegmentSet);
    return segments.fields.at("layers")[segment.index()].scalar.value;
  }

  /// Adds a weight and puts it into the group of every entry that names it. A weight used by several nodes is tied:
  /// it has the name of its first use, and a name `NODE.WEIGHT` for each further use. An entry that matches a further
  /// name gives a group of copies. `weight_ids_` keeps the id of each weight in `out_.weights`. The cost is uses
  /// times patterns.
  void add(WeightId id) {
    const Weight& weight = graph_.weights[id];
    const std::size_t position = out_.weights.size();
    out_.weights.push_back({weight.name, 0, {}});
    weight_ids_.push_back(id);
    for (std::size_t use = 0; use < weight.uses.size(); ++use) {
      const auto& [n, port] = weight.uses[use];
      const Node& node = graph_.nodes[n];
      const std::string name = use == 0 ? weight.name : node.name + "." + node.op->weights[port].name;
      for (std::size_t entry = 0; entry < out_.entries.size(); ++entry) {
        const std::vector<std::string>& patterns = out_.entries[entry].weights;
        if (std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return glob_match(pattern, name); }))
          add_to_group(position, id, entry, node.segment, use > 0);
      }
    }
  }

  /// Adds a weight to the group of an entry in a segment, once, and creates the group for its first weight.
  /// `position` is the weight's index in `out_.weights`. Copies have groups of their own, which the weight itself
  /// does not list.
  void add_to_group(std::size_t position, WeightId id, std::size_t entry, SegmentId segment, bool copy) {
    const auto [found, is_new] = group_of_.try_emplace({entry, segment, copy}, out_.groups.size());
    if (is_new) {
      out_.groups.push_back({entry, segment, {}, copy, {}, 1, {}, true, 0});
      ids_.emplace_back();
    }
    TensorGroup& group = out_.groups[found->second];
    if (contains(group.weights, position)) return;
    group.weights.push_back(position);
    ids_[found->second].push_back(id);
    if (!copy) out_.weights[position].groups.push_back(found->second);
  }

  static bool contains(const std::vector<std::size_t>& list, std::size_t value) { return std::find(list.begin(), list.end(), value) != list.end(); }

  /// Computes shape and elements of the tensors in a group. Two `*` in a name give each matrix of a stack, such as an
  /// expert, a tensor of its own. Otherwise the stack gives the leading axes, and a `joined` entry merges the first
  /// two axes. Weights that form no rectangular tensor have only a number of elements. Returns false and reports an
  /// error if a size has no value.
  bool measure(TensorGroup& group, const std::vector<WeightId>& weights) {
    const TensorEntry& entry = out_.entries[group.entry];
    std::vector<WeightShape> all;
    for (const WeightId id : weights) {
      auto shape = shapes_.shape(id, entry.spread, diagnostics_);
      if (!shape) return false;
      all.push_back(std::move(*shape));
    }
    const bool numbered = std::count(entry.name.begin(), entry.name.end(), kNumber) > 1;
    if (numbered) group.matrices = static_cast<std::size_t>(product(all.front().stack).value_or(0));
    const auto joint = joint_shape(all, entry.transposed, numbered);
    group.fits = joint.has_value();
    if (joint) group.shape = *joint;
    if (entry.joined && group.shape.size() > 1) {
      group.shape[1] *= group.shape[0];
      group.shape.erase(group.shape.begin());
    }
    for (const WeightShape& shape : all) {
      const std::uint64_t stack = numbered ? 1 : product(shape.stack).value_or(0);
      group.elements += stack * shape.first * shape.second;
    }
    return true;
  }

  bool count(std::size_t w) {
    const WeightId id = weight_ids_[w];
    const auto shape = shapes_.shape(id, false, diagnostics_);
    if (!shape) return false;
    const SegmentId segment = graph_.nodes[graph_.weights[id].uses.front().first].segment;
    out_.weights[w].elements =
        layers(segment) * static_cast<double>(product(shape->stack).value_or(0)) * static_cast<double>(shape->first) * static_cast<double>(shape->second);
    return true;
  }

  /// Numbers the layers of each prefix in execution order. Segments of one group take turns, round by round.
  void number_layers() {
    std::map<std::string, std::map<SegmentId, std::vector<std::size_t>>> numbers;
    for (const TensorGroup& group : out_.groups) {
      const TensorEntry& entry = out_.entries[group.entry];
      if (entry.name.find(kNumber) != std::string::npos) numbers[entry.prefix()][group.segment];
    }
    for (auto& [_, segments] : numbers) number(segments);
    for (TensorGroup& group : out_.groups) {
      const TensorEntry& entry = out_.entries[group.entry];
      group.layers = entry.name.find(kNumber) == std::string::npos ? std::vector<std::size_t>{0} : numbers[entry.prefix()][group.segment];
    }
  }

  /// Assigns consecutive numbers to the layers of segments in graph order; `segments` receives the numbers of each
  /// segment. Segments of one group are repeated together, in rounds: each round numbers an equal part of each
  /// segment. For two segments of 2 layers in 2 rounds, the first gets 0 and 2, the second 1 and 3.
  void number(std::map<SegmentId, std::vector<std::size_t>>& segments) {
    std::size_t next = 0;
    for (auto begin = segments.begin(); begin != segments.end();) {
      auto end = std::next(begin);
      const int group = graph_.segments[begin->first].group;
      while (group >= 0 && end != segments.end() && graph_.segments[end->first].group == group) ++end;
      const std::size_t rounds = group >= 0 ? rounds_of(begin->first) : 1;
      for (std::size_t round = 0; round < rounds; ++round) {
        for (auto segment = begin; segment != end; ++segment) {
          const auto layers_of_round = static_cast<std::size_t>(layers(segment->first)) / std::max<std::size_t>(1, rounds);
          for (std::size_t i = 0; i < layers_of_round; ++i) segment->second.push_back(next++);
        }
      }
      begin = end;
    }
  }

  /// Returns the number of rounds of a segment's group; 1 if the run states none.
  std::size_t rounds_of(SegmentId segment) {
    const Formula* rounds = run_.graph_run().rounds[segment];
    return rounds != nullptr ? static_cast<std::size_t>(std::max(0.0, run_.evaluator().ask(*rounds).value.scalar.value)) : 1;
  }

  Run& run_;
  const Graph& graph_;
  Diagnostics& diagnostics_;
  WeightShapes shapes_;
  TensorNames out_;
  std::vector<WeightId> weight_ids_;        ///< Parallel to TensorNames::weights.
  std::vector<std::vector<WeightId>> ids_;  ///< Parallel to TensorNames::groups.
  std::map<std::tuple<std::size_t, SegmentId, bool>, std::size_t> group_of_;
};

}  // namespace

std::string TensorEntry::prefix() const { return name.substr(0, name.find(kNumber)); }

std::vector<TensorEntry> tensor_entries(const CheckpointNames& names) {
  std::vector<TensorEntry> out;
  for (const auto& [name, stored] : names.tensors.entries()) {
    TensorEntry entry{name.text(), texts_of(stored.is_map() ? stored.find("weights") : &stored)};
    const std::vector<std::string> layout = texts_of(stored.find("layout"));
    const auto has_layout = [&](const char* word) { return std::find(layout.begin(), layout.end(), word) != layout.end(); };
    entry.transposed = has_layout("transposed"), entry.spread = has_layout("spread"), entry.joined = has_layout("joined");
    if (!entry.weights.empty()) out.push_back(std::move(entry));
  }
  return out;
}

std::string TensorGroup::name(const TensorEntry& entry, std::size_t layer, std::size_t matrix) const {
  std::string out;
  std::size_t numbers = 0;
  for (const char c : entry.name) out += c == kNumber ? std::to_string(numbers++ == 0 ? layer : matrix) : std::string(1, c);
  return out;
}

std::optional<TensorNames> tensor_names(Run& run, const CheckpointNames& names, Diagnostics& diagnostics) {
  return NameMaker(run, tensor_entries(names), diagnostics).make();
}

}  // namespace opledger
