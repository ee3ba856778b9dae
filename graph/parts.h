#pragma once
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "expr/ast.h"
#include "models/model.h"

/// Some layers of repeated segments set apart, so that rules can speak of them alone. How many is a formula: a part of no layers is there and costs nothing, so
/// that one graph serves every number.
namespace opledger {

/// Cuts `layers` layers off all matching segments together, as if they were one row of layers; segments that take turns, round by round. A row ends with the stack:
/// what does not repeat parts an encoder from a decoder, and each gives `layers` of its own.
struct LayerPart {
  enum class At { first, last, even };
  std::vector<std::string> segments, blocks;  ///< Globs; none: all that repeat.
  std::string name;                           ///< `decoder` becomes `decoder.NAME` and `decoder.rest`.
  ExprPtr layers;                             ///< In the model's scope; more than there are: all.
  ExprPtr every;                              ///< Instead of `layers`, with `even`: one in so many.
  At at = At::first;                          ///< `even`: spread among the others.
  std::string rule;                           ///< `recompute_first.parts[0]`
  Span span;
};

/// A segment as it is built: one of the model, or a part of one.
struct SegmentPlan {
  const SegmentSpec* spec = nullptr;
  std::string name, part;  ///< `decoder.first`, `first`; no part: the segment itself.
  ExprPtr repeat;          ///< Layers in all, in every round of its group.
  bool even = false;       ///< Its layers lie evenly among those of the next part.
  bool continues = false;  ///< It goes on where the part before it ends.
};

/// The rest of each cut may be cut again, except where layers lie evenly. Warnings: a part that matches nothing, or only some of those segments that took turns
/// where these were cut before. Errors: two parts of one name.
std::vector<SegmentPlan> cut_segments(const std::vector<const SegmentSpec*>& segments, const std::vector<LayerPart>& parts, Diagnostics& diagnostics);

}  // namespace opledger
