#pragma once
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "accounting/element_table.h"
#include "accounting/layouts.h"
#include "accounting/sizes.h"

/// The groups of ranks over which collectives run, without duplicates. Most groups are spanned by axes of the mesh.
/// Pipeline stages that share a weight are a group of their own, which may differ by layout. Neighboring stages, which
/// send to each other, are a group too. Networks are unknown here: formulas derive the networks that a group crosses
/// from the positions of its ranks.
namespace opledger {

class Communicators {
 public:
  /// `layouts` gives the layers of each stage, and so the stages that share a weight.
  Communicators(const Graph& graph, const Mesh& mesh, Sizes& sizes, const Layouts& layouts) : graph_(graph), mesh_(mesh), sizes_(sizes), layouts_(layouts) {}

  /// Returns the position of the transfer's communicator in the set; adds the communicator if it is new.
  WordId find(const Transfer& transfer);
  std::size_t size() const { return all_.size(); }
  /// Number of ranks of the communicator.
  Scalar ranks(WordId communicator);
  /// Returns whether two communicators have the same ranks: every axis of only one communicator has a single rank.
  /// Groups of stages equal only themselves. A group with a single rank equals no group, because it sends nothing.
  Scalar same(WordId a, WordId b);

  /// Returns the condition under which the communicator counts as an element: it has several ranks, and no earlier
  /// communicator has the same ranks.
  Scalar exists(WordId communicator);

  /// Fills the sets of communicators, their axes and their stages. `text` keeps a string as long as the elements live.
  void fill(Evaluator& evaluator, const std::function<Value(std::string)>& text);

 private:
  struct Group {
    AxisList axes;
    bool stages = false;
    std::vector<std::vector<std::size_t>> members;  ///< Per layout: the classes of stages that share `weight`; else empty.
    WeightId weight;                                ///< A weight that the stages share; else none.
    bool operator<(const Group& o) const { return std::tie(axes, stages, members) < std::tie(o.axes, o.stages, o.members); }
  };
  AxisList spanning(const AxisList& axes);
  bool holds(const StageClass& stage, WeightId weight) const;
  std::vector<std::size_t> holders(const StageClasses& stages, WeightId weight) const;
  std::vector<long long> positions(const StageClasses& stages, WeightId weight) const;
  Scalar processor(const AxisList& layers, Scalar stage);
  std::string name(const Group& group);

  /// Axes of a communicator that nest without a gap, seen as one row of ranks with a constant stride.
  struct Row {
    Scalar ranks, stride;
  };
  Row row_to(const AxisList& axes, AxisId outermost);
  WordId axis_word(AxisId axis) const;

  const Graph& graph_;
  const Mesh& mesh_;
  Sizes& sizes_;
  const Layouts& layouts_;
  std::map<Group, WordId> index_;
  std::vector<Group> all_;
};

}  // namespace opledger
