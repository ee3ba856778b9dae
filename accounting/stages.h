#pragma once
#include <string>
#include <vector>

/// Pipeline stages with equal content are one class with a count: what a stage costs is then worked out once for each class.
namespace opledger {

struct StageClass {
  std::vector<double> layers;  ///< Of each segment, on one stage.
  long long first = 0, last = 0, count = 0;

  std::string name() const;  ///< `0`, `1-6`, `0, 2, 4`
};

struct SegmentLayers {
  double layers = 0;  ///< In all.
  bool repeated = true;
  int group = -1;     ///< Equal for neighbours that take turns; -1: alone.
  double rounds = 1;  ///< How often the group comes round: layers / rounds of this segment each time.
  bool even = false;  ///< Lies evenly among the layers of the next one: of n among N, floor(b n / N) - floor(a n / N) are between a and b.
};

/// Layers of repeated segments are dealt out in order, as evenly as whole layers allow, the first stages taking one more; a segment that is not
/// repeated stays with the layer before it, or with the first one.
std::vector<StageClass> split_stages(const std::vector<SegmentLayers>& segments, long long stages);

}  // namespace opledger
