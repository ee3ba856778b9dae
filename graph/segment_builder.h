#pragma once
#include <deque>
#include <optional>
#include <vector>

#include "graph/node_builder.h"

/// Construction of one segment: its inputs are linked to earlier segments, its names resolved, its nodes added in
/// topological order.
namespace opledger {

/// Builds the segments of a graph one after the other.
class SegmentBuilder {
 public:
  /// All arguments must outlive the builder.
  SegmentBuilder(Graph& graph, DimensionTable& dimensions, const Model& model)
      : graph_(graph), dimensions_(dimensions), diagnostics_(dimensions.diagnostics()), model_(model) {}

  /// Appends the segment of an expansion, with its nodes and tensors, to the graph. Segments must come in the order of
  /// the model. Errors are reported; nodes with errors, and their readers, are left out.
  void build(Expansion& expansion);

 private:
  /// The source of an input of the segment.
  struct Input {
    TensorId source;                  ///< Tensor that enters the segment; none after an error.
    const InputSpec* edge = nullptr;  ///< The edge with its renames, as written or implied.
  };

  // Functions report errors; a function that returns a tensor or source then returns none.
  void add_inputs(const Expansion& expansion, Segment& segment);              ///< Adds the tensors of all inputs and their sources.
  TensorId add_input(const Scope& scope, const TensorSpec& spec, bool data);  ///< Adds the tensor of one input; `data`: from the data loader.
  std::vector<Input> sources(const Expansion& expansion);                     ///< Returns the source of each activation of the block.
  void continue_part(const Block& block, const SegmentSpec& spec, std::vector<InputSpec>& edges);  ///< Lets a later part read the part before it.
  Input find_source(const InputSpec& edge, const std::string& reader);  ///< Returns the output of the earlier segment that an edge names.
  /// Checks that the source's dimensions, after the renames of `edge`, are the dimensions of the input. `name`: of the
  /// segment; `span`: for the error if the edge is implied.
  void check_source(const InputSpec* edge, const std::string& name, const TensorSpec& spec, TensorId source, TensorId input, const Span& span);
  void add_nodes(Expansion& expansion);                     ///< Adds the nodes in topological order.
  void set_output(Expansion& expansion, Segment& segment);  ///< Finds the tensor that the segment passes on.
  void check_repeat(const Segment& segment);                ///< Checks that a layer can read the output of the layer before.

  Graph& graph_;
  DimensionTable& dimensions_;
  Diagnostics& diagnostics_;
  const Model& model_;
  SegmentState state_;             ///< Tensors of the current segment.
  std::deque<InputSpec> implied_;  ///< Edges of all segments, written or implied; a deque, because inputs point to them.
};

}  // namespace opledger
