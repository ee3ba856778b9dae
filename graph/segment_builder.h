#pragma once
#include <deque>
#include <optional>
#include <vector>

#include "graph/node_builder.h"

/// One segment of a graph: its inputs linked to the segments before it, its names resolved, its nodes in order.
namespace opledger {

class SegmentBuilder {
 public:
  SegmentBuilder(Graph& graph, DimensionTable& dimensions, const Model& model)
      : graph_(graph), dimensions_(dimensions), diagnostics_(dimensions.diagnostics()), model_(model) {}

  void build(Expansion& expansion);

 private:
  struct Input {
    TensorId source;  ///< None: with an error.
    const InputSpec* edge = nullptr;
  };

  void add_inputs(const Expansion& expansion, Segment& segment);
  TensorId add_input(const Scope& scope, const TensorSpec& spec, bool data);
  std::vector<Input> sources(const Expansion& expansion);
  void go_on(const Block& block, const SegmentSpec& spec, std::vector<InputSpec>& edges);
  Input earlier(const InputSpec& edge, const std::string& reader);
  void check_source(const InputSpec* edge, const std::string& name, const TensorSpec& spec, TensorId source, TensorId input, const Span& span);
  void add_nodes(Expansion& expansion);
  void set_output(Expansion& expansion, Segment& segment);
  void check_repeat(const Segment& segment);

  Graph& graph_;
  DimensionTable& dimensions_;
  Diagnostics& diagnostics_;
  const Model& model_;
  SegmentState state_;
  std::deque<InputSpec> implied_;  ///< Inputs that nobody wrote: the segment before.
};

}  // namespace opledger
