#pragma once
#include <map>

#include "accounting/graph_elements.h"
#include "base/function_ref.h"
#include "formulas/evaluate/inquiry.h"

/// Sizes of dimensions, degrees of axes, and elements of tensors under placements, as scalars: numbers, or symbols of a tape.
namespace opledger {

/// The input that says in which order the axes of a mesh lie on the machine, where there are several: the first word is the order as it is written.
inline constexpr const char* kMeshOrder = "mesh_order";

/// Ranks of a part of an axis that was cut: what fits a dimension, or the rest. A dimension of size 0 is one that any number fits.
Scalar part_degree(Tape* tape, const Mesh& mesh, AxisId part, FunctionRef<Scalar(DimId)> size, FunctionRef<Scalar(AxisId)> degree);

/// How many processors lie between two neighbours along an axis.
Scalar stride(Inquiry& inquiry, const Mesh& mesh, AxisId axis, FunctionRef<Scalar(AxisId)> degree);

/// What is found from here on is of candidates for which it is a whole number in these bounds, as it is here.
void keep_whole(Tape* tape, const Scalar& s, double least, double most);

/// What the size of a dimension must be, and what it is instead; empty: it may be that. A mean need not be whole.
std::string wrong_size(const Value& size, bool mean = false);

/// Where the value of a formula that is only a name is written: that name's own definition, or what that one names.
Span written(const Formula& formula, const Span& otherwise);

class Sizes {
 public:
  Sizes(Inquiry& inquiry, const GraphRun& run);

  Scalar size(DimId d);
  Scalar degree(AxisId a);
  Scalar degrees(const AxisList& axes);
  Scalar stride(AxisId a);
  /// Processors from the first to the last of a group over these axes, rounded up to whole steps of its outermost axis that has more than one rank.
  Scalar span(const AxisList& axes);
  /// By how much the busiest rank has more of a dimension than the average; 1 where nothing is said.
  Scalar load(DimId d);
  /// Entries of one dimension on one rank, the busiest; a padded dimension rounds up, and so does a load. A mean is never rounded.
  Scalar local(DimId d, const AxisList* axes);
  bool is_mean(DimId d) const { return run_.graph->dimensions[d].mean; }
  /// Size, as parts are cut by it.
  Scalar fitting_size(DimId d) { return is_mean(d) ? integer(0) : size(d); }
  Scalar elements(const DimList& dims, const Placement& placement);
  Scalar elements(const DimList& dims);

  /// Which axes have more than one rank (in the sample), for printing.
  IdVector<AxisId, bool> shown();
  /// As a message calls them: by those that have more than one rank.
  std::string describe(const AxisList& axes);
  /// What elements are called by: of several candidates all axes that have more than one rank in any of them.
  const std::string& named(const AxisList& axes);
  /// As it is written of one run; of several candidates nothing, since nobody reads it.
  std::string shape(const DimList& dims, const Placement& placement, double times = 1);

  Scalar multiply(Scalar a, Scalar b);
  Scalar add(Scalar a, Scalar b);
  Scalar operate(Op op, Scalar a, Scalar b = {}, Scalar c = {});

 private:
  Inquiry& inquiry_;
  const GraphRun& run_;
  Scalar even(DimId d, const AxisList* axes);

  std::map<DimId, Scalar> sizes_, loads_;
  std::map<AxisId, Scalar> degrees_, strides_;
  std::map<AxisList, std::string> names_;
  IdVector<DimId, bool> padded_;
};

}  // namespace opledger
