#pragma once
#include <set>

#include "base/function_ref.h"
#include "graph/mesh.h"

/// Axes of one rank, which tell no rank from another. One structure is to serve all degrees, so a derivation takes every axis for one of several ranks: a
/// collective over one rank costs nothing anyway. But two placements that differ only in such axes are the same, and where it takes them for different it may
/// send or keep something twice. There, and only there, it asks; axes that turn out to have one rank are left out of all placements, and the derivation begins
/// again. What ranks hold then decides, whatever the axes are called and however they are cut.
namespace opledger {

class OneRank {
 public:
  using Ask = FunctionRef<bool(const Mesh& mesh, AxisId axis)>;
  explicit OneRank(Ask ask) : ask_(ask) {}

  bool left_out(AxisId axis) const { return left_out_.count(axis) > 0; }
  AxisList without(AxisList axes) const;

  /// Returns whether the axis is already known to have several ranks; does not ask.
  bool has_several(AxisId axis) const { return several_.count(axis) > 0; }

  /// Asks about the axes in order until one has several ranks, and leaves out those before it. Returns whether all have one rank.
  bool ask_until_more(const Mesh& mesh, const AxisList& axes);
  void ask_all(const Mesh& mesh, const AxisList& axes);

  /// Whether axes were found since this was last called: the derivation must begin again.
  bool found();

 private:
  bool ask(const Mesh& mesh, AxisId axis);

  Ask ask_;
  std::set<AxisId> left_out_, several_;  ///< Several: known to have more than one rank.
  bool found_ = false;
};

}  // namespace opledger
