#pragma once
#include <string>
#include <vector>

/// How a pipeline holds a model. The model is cut into pieces, in its order; a stage holds one or several of them, and more than one stage may hold the
/// same. Stages with equal content are one class with a count: what a stage costs is then worked out once for each class.
namespace opledger {

struct Pipeline {
  std::vector<long long> pieces;                 ///< Of the layers that repeat, how many each piece has.
  std::vector<std::vector<std::size_t>> stages;  ///< The pieces that each stage holds.
};

/// A piece for each stage, as evenly as whole layers allow, the first ones with one more.
Pipeline even_pipeline(long long layers, long long stages);

struct StageClass {
  struct Part {
    std::size_t piece = 0;
    std::vector<double> layers;  ///< Of each segment.
  };
  std::vector<Part> parts;           ///< Those of its first stage, in the order of the model.
  std::vector<long long> positions;  ///< Of its stages, rising.
  bool absent = false;               ///< Like another one, but of no stages: it fills a place that other layouts need.

  long long first() const { return positions.front(); }
  long long last() const { return positions.back(); }
  bool holds(std::size_t segment) const { return !absent && layers(segment) != 0; }
  bool holds(std::size_t segment, std::size_t part) const { return !absent && parts[part].layers[segment] != 0; }
  long long count() const { return absent ? 0 : static_cast<long long>(positions.size()); }
  std::vector<double> layers() const;  ///< Of each segment, on one stage.
  double layers(std::size_t segment) const;
  std::string name() const;  ///< `0`, `1-6`, `0, 7`, `0-4 (3 of them)`
};

struct SegmentLayers {
  double layers = 0;  ///< In all.
  bool repeated = true;
  int group = -1;     ///< Equal for neighbours that take turns, parts being one; -1: alone.
  double rounds = 1;  ///< How often the group comes round: layers / rounds of this segment, or of its parts together, each time.
  bool even = false;  ///< Lies evenly among the layers of the next one: of n among N, floor(b n / N) - floor(a n / N) are between a and b. Those of
                      ///< several segments of a group lie evenly together.
  int whole = -1;     ///< Equal for neighbours that are parts of one segment, one behind the other; -1: no part.
};

/// Layers of repeated segments are dealt out in order; a segment that is not repeated stays with the layer before it, one before all layers with the first
/// piece, one behind all layers with the last. The pieces have all layers that repeat.
std::vector<StageClass> split_stages(const std::vector<SegmentLayers>& segments, const Pipeline& pipeline);

}  // namespace opledger
