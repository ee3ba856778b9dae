#pragma once
#include <string>
#include <vector>

/// The split of a model over pipeline stages. The model is cut into chunks of consecutive layers, in order. A stage
/// holds one or several chunks, and several stages may hold the same chunk. Stages with equal content form one class
/// with a count, so that the cost of a stage is computed once per class. `split_stages` computes the classes from the
/// layers of segments and from a Pipeline (pipeline.h reads one from the accounting).
namespace opledger {

/// The cut of a model: layers per chunk, and chunks per stage. Chunks and stages count from 0.
struct Pipeline {
  std::vector<long long> chunk_layers;           ///< Number of repeated layers of each chunk.
  std::vector<std::vector<std::size_t>> stages;  ///< Numbers of the chunks of each stage, in the order of its slots.
};

/// Returns one chunk per stage, as even as whole layers allow; the first chunks have the surplus layers.
Pipeline even_pipeline(long long layers, long long stages);

/// Stages with equal content. Segments are numbered as in the graph.
struct StageClass {
  /// The layers of one chunk.
  struct Part {
    std::size_t chunk = 0;
    std::vector<double> layers;  ///< Number of layers of each segment.
  };
  std::vector<Part> parts;           ///< Chunks of the first stage of the class, in the order of the model.
  std::vector<long long> positions;  ///< Stages of the class, ascending.
  bool absent = false;               ///< A placeholder without stages: a copy of another class that pads the layout to the size of others.

  long long first() const { return positions.front(); }  ///< Position of the first stage, also of a placeholder.
  long long last() const { return positions.back(); }
  /// Returns whether each stage of the class has layers of a segment, in any chunk, or in the chunk `parts[part]`.
  bool holds(std::size_t segment) const { return !absent && layers(segment) != 0; }
  bool holds(std::size_t segment, std::size_t part) const { return !absent && parts[part].layers[segment] != 0; }
  /// Number of stages.
  long long count() const { return absent ? 0 : static_cast<long long>(positions.size()); }
  std::vector<double> layers() const;        ///< Layers of each segment on one stage.
  double layers(std::size_t segment) const;  ///< Layers of one segment on one stage.
  std::string name() const;                  ///< Formats the positions: `0`, `1-6`, `0, 7`, `0-4 (3 of them)`.
};

/// The layers of one segment of the graph, and their order among the layers of other segments.
struct SegmentLayers {
  double layers = 0;     ///< All layers of the segment.
  bool repeated = true;  ///< The segment repeats a block; else its single layer belongs to no chunk's count.
  int group = -1;        ///< Equal for neighboring segments that take turns, parts of a segment counting together; -1: no group.
  double rounds = 1;     ///< Number of rounds of the group. Each round has layers / rounds of this segment, or of its parts together.
  /// The n layers lie evenly among the N layers of this segment and the next. The layers a to b contain
  /// floor(b n / N) - floor(a n / N) of them. Such segments of one group are spread together.
  bool even = false;
  int whole = -1;  ///< Equal for neighboring segments that are consecutive parts of one segment; -1: no part.
};

/// Assigns layers to stages and groups stages of equal content. Repeated layers are assigned in order. A segment that
/// is not repeated stays in the chunk of the layer before it; at the ends of the model, in the first or last chunk. The
/// chunks must cover all repeated layers.
std::vector<StageClass> split_stages(const std::vector<SegmentLayers>& segments, const Pipeline& pipeline);

}  // namespace opledger
