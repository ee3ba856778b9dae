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

/// What the functions that fill the engine's sets share (fill_*.cc, each with the sets of one concept). Not for others: see graph_elements.h.
namespace opledger {

struct Filling {
  Filling(Evaluator& evaluator, const GraphRun& run);

  Evaluator& evaluator() { return inquiry.evaluator(); }

  std::shared_ptr<Inquiry> asking;  ///< Nodes ask on for as long as they are used.
  Inquiry& inquiry;
  const GraphRun& run;
  const Graph& graph;
  const Annotations& notes;
  std::shared_ptr<Sizes> sizes;
  std::shared_ptr<std::vector<std::unique_ptr<std::string>>> texts;  ///< Of the elements, for as long as these are used.

  std::map<std::string, WordId> components;
  std::map<NodeId, WordId> kernels;  ///< By their first nodes.
  IdVector<SegmentId, Scalar> layers;
  std::map<std::string, std::optional<double>> together;  ///< The layers of all parts of a segment, by its whole's name; nothing: a symbol.
  std::optional<Layouts> layouts;                         ///< On the stages of the pipeline.
  struct Holding {                                        ///< A weight in a segment that uses it: an element of the set of weights.
    WeightId weight;
    NodeId node;
    SegmentId segment;
  };
  std::vector<Holding> holdings;
  struct StageMessage {  ///< A message that is counted by the stage, its first transfer, and the segments that use each of the weights that it is of.
    WordId message, communicator;
    const Transfer* transfer;
    std::set<SegmentId> users;
    Scalar there;  ///< Of candidates that do not send it with another.
  };
  std::vector<StageMessage> stage_messages;
  std::vector<std::size_t> message_of;  ///< By transfer.
  std::vector<Scalar> saved_bytes;      ///< By what is saved.
  std::vector<NodeId> kept_beside;      ///< Nodes whose elements of the set stand behind those of `Annotations::saved`.

  Value text(std::string t);
  Point at_node(NodeId n);                                 ///< Where a node is chosen. The set of nodes is filled.
  Scalar width(std::initializer_list<const char*> names);  ///< The first of these names that the accounting defines; 1 if it defines none.
  WordId component(NodeId n) const;                        ///< kNoWord without a node.
  WordId kernel(NodeId n) const;                           ///< The same.
  bool single(WeightId weight) const;                      ///< There is one of it, whatever uses it: its segment has one layer, all parts together.
  std::set<SegmentId> users(WeightId weight) const;
  const Placement& used(WeightId weight, NodeId node) const;  ///< The placement in which a node computes with a weight.
};

inline Value count_value(Scalar s) { return number_value(s); }
inline Value byte_value(Scalar s) { return number_value(s, Dimension{{1, 0, 0, 0}}); }

bool fill_segments(Filling& f);  ///< And components and kernels; false, with errors, if a segment can't occur as often as it says.
void fill_nodes(Filling& f);
void fill_stages(Filling& f);    ///< Of the pipeline, before all that belongs to one.
void fill_messages(Filling& f);  ///< And their parts, ends and communicators.
void fill_saved(Filling& f);
void fill_held(Filling& f);
void fill_moments(Filling& f);  ///< And what is alive then.
void fill_weights(Filling& f);
void fill_held_by_stages(Filling& f);  ///< What each of them holds.

}  // namespace opledger
