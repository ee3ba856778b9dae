#pragma once
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "accounting/element_table.h"
#include "accounting/layouts.h"
#include "accounting/sizes.h"

/// The groups of ranks over which collectives run. First `find` registers the communicator of each transfer; then the
/// other functions describe the communicators by number, and `fill` writes the sets. Most groups are spanned by axes of
/// the mesh. Pipeline stages that share a weight are a group of their own, which may differ by layout. Neighboring
/// stages, which send to each other, are a group too. Networks are unknown here: formulas derive the networks that a
/// group crosses from the positions of its ranks.
namespace opledger {

/// The communicators of one run, numbered in the order of registration. All references must outlive the object.
class Communicators {
 public:
  /// `layouts` gives the layers of each stage, and so the stages that share a weight.
  Communicators(const Graph& graph, const Mesh& mesh, Sizes& sizes, const Layouts& layouts) : graph_(graph), mesh_(mesh), sizes_(sizes), layouts_(layouts) {}

  /// Returns the position of the transfer's communicator in the set; adds the communicator if it is new.
  WordId find(const Transfer& transfer);
  std::size_t size() const { return all_.size(); }  ///< Number of communicators.
  /// Returns the number of ranks of the communicator. For a shared weight it is the number of stages with the weight.
  /// For neighboring stages it is 2, as one sends to the other (1 with a single stage).
  Scalar ranks(WordId communicator);
  /// Returns whether two communicators have the same ranks: every axis of only one communicator has a single rank.
  /// Groups of stages equal only themselves. A group of axes with a single rank in every candidate equals no group,
  /// because it sends nothing.
  Scalar same(WordId a, WordId b);

  /// Returns the condition under which the communicator counts as an element: it has several ranks, and no earlier
  /// communicator has the same ranks.
  Scalar exists(WordId communicator);

  /// Fills the sets of communicators, their axes and their stages. `text` keeps a string as long as the elements live.
  void fill(Evaluator& evaluator, const std::function<Value(std::string)>& text);

 private:
  /// The key of a communicator; equal keys give equal numbers.
  struct Group {
    AxisList axes;        ///< Axes of the mesh that span the group; axes of layers are outermost first.
    bool stages = false;  ///< The communicator connects pipeline stages.
    /// Positions of the classes of stages with `weight`, by layout; empty without a shared weight.
    std::vector<std::vector<std::size_t>> members;
    WeightId weight;  ///< A weight that the stages share, otherwise none. Compared by `members`, so equal groups may differ in it.
    bool operator<(const Group& o) const { return std::tie(axes, stages, members) < std::tie(o.axes, o.stages, o.members); }
  };
  /// Removes axes with a single rank in every candidate; if no other axis is left, returns all axes.
  AxisList spanning(const AxisList& axes);
  /// Returns whether stages of a class have a layer that uses the weight.
  bool holds(const StageClass& stage, WeightId weight) const;
  /// Returns the classes of stages with the weight.
  std::vector<std::size_t> holders(const StageClasses& stages, WeightId weight) const;
  /// Returns the stages with the weight, ascending.
  std::vector<long long> positions(const StageClasses& stages, WeightId weight) const;
  /// Returns the first processor of a stage, relative to the first stage's. `layers`: the axes over which stages lie.
  Scalar processor(const AxisList& layers, Scalar stage);
  /// Returns the names of the axes, followed for a shared weight by its stages, or by its name if there are several
  /// layouts.
  std::string name(const Group& group);

  /// Axes of a communicator that nest without a gap, seen as one row of ranks with a constant stride.
  struct Row {
    Scalar ranks, stride;  ///< Number of ranks; processors between neighbors.
  };
  /// Returns the longest row whose outermost axis is `outermost`; one rank if the row goes on outwards.
  Row row_to(const AxisList& axes, AxisId outermost);
  /// Returns the element of the engine's set of axes.
  WordId axis_word(AxisId axis) const;

  const Graph& graph_;
  const Mesh& mesh_;
  Sizes& sizes_;
  const Layouts& layouts_;
  std::map<Group, WordId> index_;  ///< Numbers of the communicators.
  std::vector<Group> all_;         ///< Communicators by number.
};

}  // namespace opledger
