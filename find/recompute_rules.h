#pragma once
#include <string>
#include <vector>

#include "graph/graph.h"

/// Choices of recomputed nodes, and the rules that make them.
namespace opledger {

/// The recomputed nodes of each layer.
struct LayerRecompute {
  std::vector<NodeId> nodes;     ///< Nodes whose outputs are dropped and recomputed, in ascending order.
  std::vector<SegmentId> whole;  ///< Segments that save only the input of each layer; `nodes` has none of them.
  friend bool operator==(const LayerRecompute&, const LayerRecompute&) = default;
};

/// The recomputed nodes of all layers. Some layers may have another choice than the rest.
struct RecomputeChoice {
  LayerRecompute rest, some;
  long long layers = 0;   ///< Number of layers with the choice `some`; 0: all layers have the choice `rest`.
  bool is_first = false;  ///< The layers with the choice `some` are the first ones; else they are spread evenly.
};

/// A line of the rule document of a choice.
struct RecomputeLine {
  std::string names;        ///< The recomputed nodes or segments, for people.
  std::string part;         ///< The layers: empty for all, else a name of part_names.
  std::string rule;         ///< The rule in YAML.
  RecomputeChoice without;  ///< The choice without this line.
};

inline constexpr const char* kSomeLayers = "some";  ///< Part of the layers with the choice `some`.
inline constexpr const char* kRestLayers = "rest";  ///< Name that rules give the layers outside a part.

/// Returns the lines of a choice: nodes in the order of the graph, then whole segments. Nodes of equal label in several
/// segments share a line.
std::vector<RecomputeLine> lines_of(const Graph& graph, const RecomputeChoice& choice);

/// Returns the rule document of a choice as text. `head` are lines of comments above it, and `comments` stand behind the lines of
/// `lines_of`; empty: none.
std::string recompute_document(const Graph& graph, const RecomputeChoice& choice, const std::vector<std::string>& head = {},
                               const std::vector<std::string>& comments = {});

}  // namespace opledger
