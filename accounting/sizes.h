#pragma once
#include <map>

#include "accounting/graph_elements.h"
#include "base/function_ref.h"
#include "formulas/evaluate/inquiry.h"

/// Sizes of dimensions, degrees of axes, and elements of tensors under placements, as scalars: numbers, or symbols of a
/// tape. All sizes are counts; no value here has a unit.
namespace opledger {

/// The input that selects the order of a mesh's axes on the machine. Its first word is the order as written.
inline constexpr const char* kMeshOrder = "mesh_order";

/// Returns the ranks of one part of a cut axis: the part whose ranks divide a dimension, or the rest. `size` gives the
/// size of a dimension; every number divides a size of 0. `degree` gives the ranks of other axes.
Scalar part_degree(Tape* tape, const Mesh& mesh, AxisId part, FunctionRef<Scalar(DimId)> size, FunctionRef<Scalar(AxisId)> degree);

/// Returns the number of processors from a rank to its neighbor along an axis; `degree` gives the ranks of each axis.
Scalar stride(Inquiry& inquiry, const Mesh& mesh, AxisId axis, FunctionRef<Scalar(AxisId)> degree);

/// Guards the tape: the recording is valid only for candidates whose `s` is a whole number from `least` to `most`. Does
/// nothing for a constant.
void keep_whole(Tape* tape, const Scalar& s, double least, double most);

/// Returns the text "EXPECTATION, not VALUE" for an invalid size of a dimension; empty if the size is valid. A mean
/// need not be whole.
std::string size_error(const Value& size, bool mean = false);

/// Returns the position of a formula's value, for errors. If the formula is only a name, this is the position of the
/// name's definition, followed through further names. Otherwise the result is the position `otherwise`.
Span written(const Formula& formula, const Span& otherwise);

/// Evaluates and caches the sizes and degrees of one run. Errors go to `inquiry`; `inquiry` and `run` must outlive the
/// object.
class Sizes {
 public:
  Sizes(Inquiry& inquiry, const GraphRun& run);

  /// Returns the number of entries of a dimension before splitting. Invalid sizes are reported and count as 1.
  Scalar size(DimId d);
  Scalar degree(AxisId a);               ///< Number of ranks along an axis, or along a part of a cut axis.
  Scalar degrees(const AxisList& axes);  ///< Product of the degrees.
  Scalar stride(AxisId a);               ///< Number of processors between two neighbors along an axis.
  /// Number of processors from the first to the last of a group over these axes, rounded up to whole steps of the
  /// outermost axis with several ranks.
  Scalar span(const AxisList& axes);
  /// Load of the busiest rank relative to the average, along a dimension; 1 by default.
  Scalar load(DimId d);
  /// Entries of one dimension on the busiest rank. An uneven split is rounded up for a padded dimension, else down; the
  /// result of a load is rounded up. A mean is never rounded.
  Scalar local(DimId d, const AxisList* axes);
  /// Returns whether the size of a dimension is an average, which need not be whole.
  bool is_mean(DimId d) const { return run_.graph->dimensions[d].mean; }
  /// Size for the cutting of axes; 0 for a mean, which every number divides.
  Scalar fitting_size(DimId d) { return is_mean(d) ? integer(0) : size(d); }
  /// Returns the elements of a tensor on one rank under a placement; a weight spread by elements counts as divided
  /// evenly, even with a remainder.
  Scalar elements(const DimList& dims, const Placement& placement);
  Scalar elements(const DimList& dims);  ///< Elements of the unsplit tensor.

  /// Axes that have several ranks in the sample, for printing.
  IdVector<AxisId, bool> shown();
  /// Names axes for a message: the axes with several ranks.
  std::string describe(const AxisList& axes);
  /// Names axes for elements: the axes with several ranks in at least one candidate.
  const std::string& named(const AxisList& axes);
  /// Formats the dimensions, and the axes that split them, with a factor `times` in front: `batch·seq/tp`. Empty on a
  /// tape, which serves several candidates.
  std::string shape(const DimList& dims, const Placement& placement, double times = 1);

  /// Operations on scalars, recorded if an operand is a symbol.
  Scalar multiply(Scalar a, Scalar b);
  Scalar add(Scalar a, Scalar b);
  Scalar operate(Op op, Scalar a, Scalar b = {}, Scalar c = {});

 private:
  Inquiry& inquiry_;
  const GraphRun& run_;
  /// Returns the entries of a dimension on one rank, without its load.
  Scalar even_share(DimId d, const AxisList* axes);

  std::map<DimId, Scalar> sizes_, loads_;
  std::map<AxisId, Scalar> degrees_, strides_;
  std::map<AxisList, std::string> names_;
  IdVector<DimId, bool> padded_;
};

}  // namespace opledger
