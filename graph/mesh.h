#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "graph/placement.h"
#include "schemas/datum.h"

/// The processors as a grid of named axes, outermost first. Degrees are numbers and are not kept here: an axis of one rank stays in every placement.
///   mesh: {pp: 8, dp: {edp: 2, ep: 8}, cp: 2, tp: 8}     dp is made of edp and ep
///   mesh: {dp: 2, cp: 4, tp: 2, ep: [cp, tp]}            ep is another name for cp and tp
/// It may lie on the machine in other orders than the one in which it is written, each of which has a name:
///   mesh_orders: {pp_inside: [dp, pp, tp]}
namespace opledger {

struct Axis {
  std::string name;
  /// An axis that a dimension can fill only in part is cut in two: the `fitting` part has gcd(size of the dimension left, degree of the whole) ranks,
  /// the `rest` the others.
  enum class Part { whole, fitting, rest } part = Part::whole;
  AxisId of;             ///< What was cut.
  DimId dimension;       ///< What it was cut for.
  AxisList before;       ///< Axes that the dimension fills before this one.
  bool aligned = false;  ///< The dimension goes with a finer one: behind an axis that it fills only in part nothing fits any more, or its entries would lie
                         ///< elsewhere than those of the finer one.
  Span span;
};

class Mesh {
 public:
  IdVector<AxisId, Axis> axes;                                           ///< Every axis that was ever declared or cut.
  AxisList order;                                                        ///< Those that are not cut, outermost first: the grid.
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  ///< Composite axes and aliases: name -> members, which may be groups.
  std::vector<std::pair<std::string, AxisList>> orders;                  ///< Others, by name. Axes that one leaves out lie outside of all others.
  std::vector<std::string> composites;                                   ///< Of the groups, those made of parts of one axis (not aliases).

  AxisId find(std::string_view name) const;                      ///< A single axis, of the grid or cut since; none: unknown.
  AxisId whole(AxisId axis) const;                               ///< What it was cut from, or it.
  bool knows(std::string_view name) const;                       ///< Axis or group.
  AxisList expand(std::string_view name) const;                  ///< To axes of the grid; empty if the mesh has no such axis.
  AxisList expand(const std::vector<std::string>& names) const;  ///< In order, each axis once.

  /// The axes of the grid that lie inside one of them, innermost first. `order`: 0, as it is written; else of `orders`, counted from 1.
  AxisList inside(AxisId axis, std::size_t order) const;

  /// Cuts every axis of the list that `dimension` may fill only in part, once. Those of `wholes` divide it wherever they are used, and are not cut.
  /// `aligned`: see Axis.
  void cut(DimId dimension, const AxisList& list, bool aligned = false, const AxisList& wholes = {});

  /// As a user would name them: parts joined to their axis again when all of those in `shown` stand together. `shown` says which axes have more than one rank.
  std::string describe(const AxisList& axes, const IdVector<AxisId, bool>& shown) const;
  std::string describe(const AxisList& axes) const;  ///< With every axis shown.
};

/// Degrees are formulas: `name -> formula`, for every axis that is no group.
struct MeshSpec {
  Mesh mesh;
  std::vector<std::pair<std::string, Datum>> degrees;
};

/// Null, with errors: a name used twice or not a plain word, a part made of parts, an alias of unknown axes or of itself.
std::optional<MeshSpec> parse_mesh(const Datum& datum, Diagnostics& diagnostics);

/// Adds `NAME: [axes]`, outermost first. False, with errors: an unknown axis, one twice.
bool parse_mesh_orders(const Datum& datum, Mesh& mesh, Diagnostics& diagnostics);

}  // namespace opledger
