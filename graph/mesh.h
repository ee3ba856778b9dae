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

/// The mesh: processors as a grid of named axes, outermost first. Degrees are formulas outside of this class.
///   mesh: {pp: 8, dp: {edp: 2, ep: 8}, cp: 2, tp: 8}     dp consists of edp and ep
///   mesh: {dp: 2, cp: 4, tp: 2, ep: [cp, tp]}            ep is an alias of cp and tp
/// The mesh may lie on the machine in further orders, each with a name:
///   mesh_orders: {pp_inside: [dp, pp, tp]}
namespace opledger {

/// A direction of the mesh.
struct Axis {
  std::string name;
  /// An axis that a dimension can fill only in part is cut in two. The `fitting` part has gcd(rest of the dimension's
  /// size, degree of the whole) ranks, the `rest` the remaining factor.
  enum class Part { whole, fitting, rest } part = Part::whole;
  AxisId of;             ///< The axis that was cut.
  DimId dimension;       ///< The dimension of the cut.
  AxisList before;       ///< Axes that the dimension fills before this axis, outermost first.
  bool aligned = false;  ///< The dimension follows a finer one, so nothing fits after an axis that was filled in part.
  Span span;
};

/// The axes of a mesh with their order and groups, but without degrees.
class Mesh {
 public:
  IdVector<AxisId, Axis> axes;                                           ///< Every axis that was declared or cut.
  AxisList order;                                                        ///< The grid: axes that are not cut, outermost first.
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  ///< Composite axes and aliases with their members, which may be groups.
  std::vector<std::pair<std::string, AxisList>> orders;                  ///< Further orders by name. An axis that an order leaves out lies outside of its axes.
  std::vector<std::string> composites;                                   ///< Groups that consist of parts of one axis, in contrast to aliases.

  AxisId find(std::string_view name) const;                      ///< Returns a single axis, cut or not; none if unknown.
  AxisId whole(AxisId axis) const;                               ///< Returns the declared axis from which an axis was cut, or the axis itself.
  bool knows(std::string_view name) const;                       ///< Returns whether the name is an axis or a group.
  AxisList expand(std::string_view name) const;                  ///< Returns the grid's axes for a name; empty if unknown.
  AxisList expand(const std::vector<std::string>& names) const;  ///< Returns the grid's axes for all names, in order, without duplicates.

  /// Returns the grid's axes that lie inside of an axis in the order number `order`: 0 for the written order, else a
  /// position in `orders`, counted from 1. The list is innermost first by the written order.
  AxisList inside(AxisId axis, std::size_t order) const;

  /// Cuts every axis of the list that `dimension` may fill only in part, unless it was cut for the dimension before.
  /// Axes of `wholes` divide the dimension wherever they are used and are not cut. `aligned`: see Axis.
  void cut(DimId dimension, const AxisList& list, bool aligned = false, const AxisList& wholes = {});

  /// Returns axes as a user names them: parts are joined to their axis if all parts in `shown` occur. `shown` are the
  /// axes with several ranks.
  std::string describe(const AxisList& axes, const IdVector<AxisId, bool>& shown) const;
  std::string describe(const AxisList& axes) const;  ///< Describes axes with every axis shown.
};

/// A parsed mesh with the formula of each axis's degree; groups have no degree.
struct MeshSpec {
  Mesh mesh;
  std::vector<std::pair<std::string, Datum>> degrees;  ///< Pairs of the name of an axis and its formula, in order.
};

/// Parses `mesh`. Returns nothing after errors: for example, a repeated name, a name that is no plain word, parts
/// within parts, an alias of unknown axes, a cyclic alias.
std::optional<MeshSpec> parse_mesh(const Datum& datum, Diagnostics& diagnostics);

/// Parses `mesh_orders`: `NAME: [axes]`, outermost first. Returns false after the first error, for example an unknown
/// or repeated axis.
bool parse_mesh_orders(const Datum& datum, Mesh& mesh, Diagnostics& diagnostics);

}  // namespace opledger
