#pragma once
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "expr/ast.h"
#include "models/model.h"

/// Parts: layers of repeated segments that become segments of their own, so that rules can address them, such as the
/// first layers for recomputation. Their number is a formula. A part without layers exists and costs nothing, so one
/// graph serves every number.
namespace opledger {

/// A cut of `layers` layers from each row of layers. A row consists of matching segments; a segment that does not
/// repeat ends it. An encoder and a decoder are therefore cut separately. Segments that take turns are cut round by
/// round. `even` ignores rows, and spreads the part over all matching segments.
struct LayerPart {
  /// Position of the part: the first or the last layers of a row, or layers spread evenly.
  enum class At { first, last, even };
  std::vector<std::string> segments, blocks;  ///< Globs; without any, all repeated segments match.
  std::string name;                           ///< `decoder` is cut into `decoder.NAME` and `decoder.rest`.
  ExprPtr layers;                             ///< Number of layers, in the model's scope; at most all.
  ExprPtr every;                              ///< Instead of `layers`, with `even`: the part has a layer of each `every` layers.
  At at = At::first;                          ///< Position of the part among all layers.
  std::string rule;                           ///< Name of the rule: `recompute_first.parts[0]`.
  Span span;                                  ///< Position of the rule, for messages.
};

/// A segment under construction: a segment of the model, or a part of it.
struct SegmentPlan {
  const SegmentSpec* spec = nullptr;  ///< The segment of the model.
  std::string name, part;             ///< `decoder.first` and `first`; `part` is empty for a whole segment.
  ExprPtr repeat;                     ///< Number of layers, over all rounds of the group; null: a single layer that does not repeat.
  bool even = false;                  ///< The layers lie evenly among those of the next part.
  bool continues = false;             ///< The segment continues the previous part.
};

/// Returns the segments of a model after all cuts, in order; parts are cut one after the other. The rest of a cut may
/// be cut again, unless its layers lie evenly. Warnings: a part that matches nothing, or a cut of some segments of a
/// group that was cut differently before. Error: the name of a part is `rest`, or a segment already has a part of this
/// name.
std::vector<SegmentPlan> cut_segments(const std::vector<const SegmentSpec*>& segments, const std::vector<LayerPart>& parts, Diagnostics& diagnostics);

}  // namespace opledger
