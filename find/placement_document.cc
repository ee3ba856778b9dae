#include "find/placement_document.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/lists.h"
#include "base/text.h"

namespace opledger {
namespace {

using Line = PlacementDocument::Line;
using Lines = std::vector<Line>;

/// Weight of a boundary that the lines place in another way, in exceptions of nodes: no exception can mend it.
constexpr std::size_t kBoundaryWeight = 1000;

bool same_placement(const NodePlacement& a, const NodePlacement& b) { return a.axes == b.axes && a.consumed == b.consumed; }

/// Returns the placement of a node, or of the boundaries of a variable, by a rule.
NodePlacement placed(TensorDerivation& derivation, const PlacedVariable& variable, const NodeRule& rule) {
  return variable.node ? derivation.place(variable.node, rule) : derivation.place_boundary(variable.boundaries.front(), rule);
}

/// Returns a rule that places a node as the lines do.
NodeRule rule_of(const Lines& lines, const PlacementSpace& space) {
  NodeRule out;
  out.shard = space.fixed, out.avoid = space.axes;
  for (const Line& line : lines) out.shard.push_back(line_of(space, line.dimension, line.axis));
  return out;
}

/// The search for the list. A node is placed by the passes themselves, so that the list means what the document means.
class LineSearch {
 public:
  LineSearch(TensorDerivation& derivation, const PlacementSpace& space, const StateChoice& states) : derivation_(derivation), space_(space), states_(states) {}

  PlacementDocument find() {
    collect();
    Lines best;
    std::size_t least = wrong(best);
    for (bool better = true; better && least > 0;) {
      better = false;
      Lines winner;
      for (Lines& lines : neighbors_of(best)) {
        const std::size_t count = wrong(lines);
        if (count >= least) continue;
        least = count, winner = std::move(lines), better = true;
      }
      if (better) best = std::move(winner);
    }
    return document(without_idle(std::move(best), least));
  }

 private:
  /// Collects the target placement of each variable, and the pairs of dimension and axis that occur.
  void collect() {
    std::set<std::pair<std::string, std::string>> known;
    for (std::size_t v = 0; v < space_.variables.size(); ++v) {
      const PlacedState& state = space_.variables[v].states[states_[v]];
      target_.push_back(placed(v, rule_for_split(space_, state.split)));
      for (const auto& [dimension, axes] : state.split) {
        for (const std::string& axis : axes) {
          if (known.emplace(dimension, axis).second) pairs_.push_back({dimension, axis, {}});
        }
      }
    }
  }

  NodePlacement placed(std::size_t v, const NodeRule& rule) { return opledger::placed(derivation_, space_.variables[v], rule); }

  /// Returns how far a list is from the target placements: the number of axes that a node has elsewhere, so that each
  /// line that is right for one axis counts.
  std::size_t wrong(const Lines& lines) {
    const NodeRule rule = rule_of(lines, space_);
    std::size_t out = 0;
    for (std::size_t v = 0; v < space_.variables.size(); ++v)
      out += differing_axes(placed(v, rule), target_[v]) * (space_.variables[v].node ? 1 : kBoundaryWeight);
    return out;
  }

  /// Returns the number of searched axes that two placements give to different dimensions; 1 if only their order differs.
  std::size_t differing_axes(const NodePlacement& a, const NodePlacement& b) const {
    if (same_placement(a, b)) return 0;
    const auto differ = [&](const std::string& axis) { return dimensions_of(a, axis) != dimensions_of(b, axis); };
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::count_if(space_.axes.begin(), space_.axes.end(), differ)));
  }

  DimList dimensions_of(const NodePlacement& placement, const std::string& axis) const {
    const Mesh& mesh = derivation_.annotations().mesh;
    const auto is_axis = [&](AxisId a) { return mesh.axes[mesh.whole(a)].name == axis; };
    DimList out;
    for (const auto& [dimension, axes] : placement.axes) {
      if (std::any_of(axes.begin(), axes.end(), is_axis)) out.push_back(dimension);
    }
    if (std::any_of(placement.consumed.begin(), placement.consumed.end(), is_axis)) out.push_back(DimId());
    return out;
  }

  /// Returns the lists with one line inserted, moved or removed.
  std::vector<Lines> neighbors_of(const Lines& lines) const {
    std::vector<Lines> out;
    for (const Line& pair : pairs_) {
      Lines rest = lines;
      const auto at = std::find_if(rest.begin(), rest.end(), [&](const Line& l) { return l.dimension == pair.dimension && l.axis == pair.axis; });
      if (at != rest.end()) {
        rest.erase(at);
        out.push_back(rest);
      }
      for (std::size_t i = 0; i <= rest.size(); ++i) {
        out.push_back(rest);
        out.back().insert(out.back().begin() + static_cast<std::ptrdiff_t>(i), pair);
      }
    }
    return out;
  }

  /// Removes lines without which no further exception is needed.
  Lines without_idle(Lines lines, std::size_t least) {
    for (std::size_t i = lines.size(); i-- > 0;) {
      Lines rest = lines;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      if (wrong(rest) <= least) lines = std::move(rest);
    }
    return lines;
  }

  PlacementDocument document(Lines lines) {
    PlacementDocument out;
    const NodeRule rule = rule_of(lines, space_);
    for (std::size_t v = 0; v < space_.variables.size(); ++v) {
      const Split& split = space_.variables[v].states[states_[v]].split;
      if (space_.variables[v].node && !same_placement(placed(v, rule), target_[v])) {
        auto same = std::find_if(out.exceptions.begin(), out.exceptions.end(), [&](const auto& other) { return other.split == split; });
        if (same == out.exceptions.end()) same = out.exceptions.insert(same, {split, {}});
        same->variables.push_back(v);
        continue;
      }
      for (Line& line : lines) {
        const auto has = [&](const auto& entry) { return entry.first == line.dimension && contains(entry.second, line.axis); };
        if (std::any_of(split.begin(), split.end(), has)) line.variables.push_back(v);
      }
    }
    out.lines = std::move(lines);
    return out;
  }

  TensorDerivation& derivation_;
  const PlacementSpace& space_;
  const StateChoice& states_;
  std::vector<NodePlacement> target_;  ///< By variable.
  Lines pairs_;                        ///< Lines from which lists are made.
};

std::vector<std::string> unused_axes(const PlacementSpace& space, const Split& split) {
  std::vector<std::string> out;
  for (const std::string& axis : space.axes) {
    if (std::none_of(split.begin(), split.end(), [&](const auto& entry) { return contains(entry.second, axis); })) out.push_back(axis);
  }
  return out;
}

NodeRule rule_of(const PlacementDocument::Exception& exception, const PlacementSpace& space) {
  NodeRule out;
  // Lines for the other axes of the same dimensions come first, as in the list for all nodes.
  for (const ShardRule& line : space.fixed) {
    const auto shares = [&](const auto& entry) { return contains(line.dimensions, entry.first); };
    if (std::any_of(exception.split.begin(), exception.split.end(), shares)) out.shard.push_back(line);
  }
  for (const auto& [dimension, axes] : exception.split) {
    for (const std::string& axis : axes) out.shard.push_back(line_of(space, dimension, axis));
  }
  out.avoid = unused_axes(space, exception.split);
  for (const std::size_t v : exception.variables) out.match.name.push_back(space.variables[v].name);
  return out;
}

std::string list_of(const std::vector<std::string>& words) { return words.size() == 1 ? words.front() : "[" + join(words, ", ") + "]"; }

/// Returns a line as YAML: `batch, slot: dp`, `vocab: {axis: tp, uneven: pad}`. In `braces` a comma would end the key.
std::string yaml_line(const ShardRule& line, bool skips, bool braces = false) {
  const std::string axes = list_of(line.axes);
  const bool is_plain = !line.uneven || *line.uneven == Uneven::error || (*line.uneven == Uneven::skip && !skips);
  const std::string mode = is_plain ? "" : uneven_words()[static_cast<std::size_t>(*line.uneven)];
  const std::string key = join(line.dimensions, ", ");
  return (braces && line.dimensions.size() > 1 ? '"' + key + '"' : key) + ": " + (is_plain ? axes : fmt::format("{{axis: {}, uneven: {}}}", axes, mode));
}

/// Returns names that select the nodes of an exception: the name without its segment if the exception has all nodes of
/// that name, else the full name.
std::vector<std::string> names_of(const PlacementDocument::Exception& exception, const Graph& graph, const PlacementSpace& space) {
  std::map<std::string, std::size_t> all, own;
  for (const Node& node : graph.nodes) ++all[node.label];
  for (const std::size_t v : exception.variables) ++own[graph.nodes[space.variables[v].node].label];
  std::vector<std::string> out;
  for (const std::size_t v : exception.variables) {
    const Node& node = graph.nodes[space.variables[v].node];
    const std::string& name = own[node.label] == all[node.label] && all[node.label] > 1 ? node.label : node.name;
    if (!contains(out, name)) out.push_back(name);
  }
  return out;
}

}  // namespace

PlacementDocument compact_document(TensorDerivation& derivation, const PlacementSpace& space, const StateChoice& states) {
  return LineSearch(derivation, space, states).find();
}

std::vector<std::vector<bool>> states_of_lines(TensorDerivation& derivation, const PlacementSpace& space, const Lines& lines) {
  const NodeRule rule = rule_of(lines, space);
  std::vector<std::vector<bool>> out;
  for (const PlacedVariable& variable : space.variables) {
    const NodePlacement by_lines = placed(derivation, variable, rule);
    out.emplace_back();
    for (const PlacedState& state : variable.states)
      out.back().push_back(same_placement(placed(derivation, variable, rule_for_split(space, state.split)), by_lines));
  }
  return out;
}

std::string yaml_of(const PlacementDocument& document, const Graph& graph, const PlacementSpace& space, const DocumentText& text) {
  std::string out;
  for (const std::string& line : text.head) out += "# " + line + "\n";
  out += "kind: rules\ndoc: Placements that opledger found.\n";
  std::size_t number = 0;
  const auto comment = [&] {
    const std::string words = number < text.comments.size() ? text.comments[number] : "";
    ++number;
    return words.empty() ? std::string("\n") : "  # " + words + "\n";
  };
  if (!document.exceptions.empty()) out += "nodes:\n";
  for (const PlacementDocument::Exception& exception : document.exceptions) {
    const NodeRule rule = rule_of(exception, space);
    out += "  - match: {name: " + list_of(names_of(exception, graph, space)) + "}" + comment();
    std::vector<std::string> lines;
    for (const ShardRule& line : rule.shard) lines.push_back("{" + yaml_line(line, text.skips, true) + "}");
    if (!lines.empty()) out += "    shard: [" + join(lines, ", ") + "]\n";
    if (!rule.avoid.empty()) out += "    avoid: " + list_of(rule.avoid) + "\n";
  }
  out += "shard:\n";
  for (const ShardRule& line : space.fixed) out += "  - " + yaml_line(line, true) + "\n";
  for (const Line& line : document.lines) out += "  - " + yaml_line(line_of(space, line.dimension, line.axis), text.skips) + comment();
  return out + text.others;
}

}  // namespace opledger
