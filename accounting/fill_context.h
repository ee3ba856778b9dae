#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "accounting/communicators.h"
#include "accounting/element_table.h"
#include "accounting/graph_elements.h"
#include "accounting/layouts.h"
#include "accounting/sizes.h"

/// Shared state of the functions of fill_*.cc, which fill the engine's sets (graph_engine.h) from an annotated graph.
/// Each function writes rows with an ElementTable and hands the table to the evaluator; later functions read the tables
/// of positions below. Internal to this folder; other folders call fill_sets of graph_elements.h.
namespace opledger {

/// The inputs of filling, and the results that later functions need. It lives during one call of fill_sets; `run` and
/// the evaluator outlive it.
struct FillContext {
  FillContext(Evaluator& evaluator, const GraphRun& run);

  Evaluator& evaluator() { return inquiry.evaluator(); }

  std::shared_ptr<Inquiry> shared_inquiry;  ///< Owner of `inquiry`; callbacks for node values keep it alive.
  Inquiry& inquiry;
  const GraphRun& run;                                               ///< Linked formulas of the graph.
  const Graph& graph;                                                ///< Graph of `run`.
  const Annotations& notes;                                          ///< Placements, transfers, saved and cached tensors of the graph.
  std::shared_ptr<Sizes> sizes;                                      ///< Sizes and degrees as scalars.
  std::shared_ptr<std::vector<std::unique_ptr<std::string>>> texts;  ///< Owner of the elements' texts, as long as the elements live.

  std::map<std::string, WordId> components;                      ///< Elements of the component set by name.
  std::map<NodeId, WordId> kernels;                              ///< Elements of the kernel set by the first node of each kernel.
  IdVector<SegmentId, Scalar> layers;                            ///< Number of layers of each segment.
  std::map<std::string, std::optional<double>> layers_of_whole;  ///< Number of layers of all parts of a segment, by the name of the whole; nothing if symbolic.
  std::optional<Layouts> layouts;                                ///< Layers of the pipeline's stages.
  struct SegmentWeight {                                         ///< An element of the weight set: a weight, a segment that uses it, and the first node there.
    WeightId weight;
    NodeId node;
    SegmentId segment;
  };
  std::vector<SegmentWeight> segment_weights;  ///< Elements of the weight set, in order; those of one weight are neighbors.
  struct StageMessage {                        ///< A message that each stage sends once for all `users`, the segments that share its weights.
    WordId message, communicator;              ///< Elements of the sets.
    const Transfer* transfer;                  ///< The first transfer of the message.
    std::set<SegmentId> users;
    Scalar exists;  ///< Condition for sending the message separately.
  };
  std::vector<StageMessage> stage_messages;     ///< Messages of stages, in the order of the message set.
  std::vector<std::size_t> message_of;          ///< Message of each transfer, before messages are merged.
  std::vector<Scalar> saved_bytes;              ///< Bytes of each element of the saved set.
  std::vector<NodeId> nodes_with_extra_memory;  ///< Nodes of the elements that follow those of `Annotations::saved`.

  Value text(std::string t);                               ///< Stores a text in `texts` and returns it as a value.
  Point at_node(NodeId n);                                 ///< The point of evaluation that chooses one node. The node set must be filled.
  Scalar width(std::initializer_list<const char*> names);  ///< Value of the first name that the accounting defines; 1 without any definition.
  WordId component(NodeId n) const;                        ///< Word of the node's component; kNoWord without a node.
  WordId kernel(NodeId n) const;                           ///< Word of the node's kernel; kNoWord without a node.
  bool single(WeightId weight) const;                ///< The weight exists once per stage: the segment of its first use has one layer, over all its parts.
  std::set<SegmentId> users(WeightId weight) const;  ///< Segments with a node that uses the weight.
  const Placement& used(WeightId weight, NodeId node) const;  ///< The placement in which a node, one of the weight's users, computes with it.
};

/// Returns a scalar as a value without unit, or in bytes.
inline Value count_value(Scalar s) { return number_value(s); }
inline Value byte_value(Scalar s) { return number_value(s, Dimension{{1, 0, 0, 0}}); }

/// Each function fills one set, or the related sets of one concept. fill_sets.cc explains the order.
bool fill_segments(FillContext& context);        ///< Segments, components and kernels. False, with errors, if a layer count is impossible.
void fill_nodes(FillContext& context);           ///< Needs segments, components and kernels.
void fill_stages(FillContext& context);          ///< The stages themselves; before all sets that belong to stages.
void fill_messages(FillContext& context);        ///< Messages, transfers, communicators, and the nodes at both ends of a message.
void fill_saved(FillContext& context);           ///< Tensors saved for backward.
void fill_cached(FillContext& context);          ///< Tensors cached between calls, and their readers.
void fill_program_points(FillContext& context);  ///< Program points, and the tensors alive at each point.
void fill_weights(FillContext& context);         ///< Weights, one element per segment that uses each.
void fill_stage_contents(FillContext& context);  ///< Layers, weights, messages, saved tensors, matrices and ends of chunks of each stage.

}  // namespace opledger
